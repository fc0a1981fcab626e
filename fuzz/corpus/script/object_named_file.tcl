Agent/TCP/Newreno file
nosuch
