# Traces of single links: trace-queue, namtrace-queue, and a file given to two links.
set ns [new Simulator]
set up [open up.tr w]
set both [open both.tr w]
set nam [open queue.nam w]
foreach i {0 1 2} { set n($i) [$ns node] }
$ns duplex-link $n(0) $n(1) 2Mb 4ms DropTail
$ns duplex-link $n(1) $n(2) 600kb 9ms DropTail
$ns queue-limit $n(1) $n(2) 4
$ns trace-queue $n(0) $n(1) $up
$ns trace-queue $n(1) $n(2) $both
$ns trace-queue $n(2) $n(1) $both
$ns namtrace-queue $n(1) $n(2) $nam
set tcp [$ns create-connection TCP/Sack1 $n(0) TCPSink/Sack1 $n(2) 7]
set ftp [$tcp attach-app FTP]
$ns at 0.25 "$ftp start"
$ns at 3.0 "$ns flush-trace; close $up; close $both; close $nam; exit 0"
$ns run
