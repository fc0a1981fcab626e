"""`ackclock ns2 --safe`: the filter in Tcl, and the process that the operating system confines."""
