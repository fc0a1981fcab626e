# A link that goes down and comes up again, with static routes.
set ns [new Simulator]
set trace [open out.tr w]
set nam [open out.nam w]
$ns trace-all $trace
$ns namtrace-all $nam
foreach i {0 1 2} { set n($i) [$ns node] }
$ns duplex-link $n(0) $n(1) 2Mb 5ms DropTail
$ns duplex-link $n(1) $n(2) 1Mb 10ms DropTail
set tcp [$ns create-connection TCP/Reno $n(0) TCPSink $n(2) 1]
set ftp [$tcp attach-app FTP]
$ns at 0.1 "$ftp start"
$ns rtmodel-at 1.5 down $n(1) $n(2)
$ns rtmodel-at 2.5 up $n(1) $n(2)
$ns at 6.0 "$ns flush-trace; close $trace; close $nam; exit 0"
$ns run
