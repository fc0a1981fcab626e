# Simplex links of different rates and delays there and back.
set ns [new Simulator]
set trace [open out.tr w]
set nam [open out.nam w]
$ns trace-all $trace
$ns namtrace-all $nam
set a [$ns node]
set b [$ns node]
$ns simplex-link $a $b 2Mb 30ms DropTail
$ns simplex-link $b $a 56kb 7ms DropTail
$ns queue-limit $a $b 12
$ns queue-limit $b $a 3
set tcp [$ns create-connection TCP/Newreno $a TCPSink $b 3]
$tcp set window_ 30
set ftp [$tcp attach-app FTP]
$ns at 0.0 "$ftp start"
$ns at 4.0 "$ns flush-trace; close $trace; close $nam; exit 0"
$ns run
