# What an FTP can be told: start, stop, produce, producemore, and a sender's maxpkts_ and advance.
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b 1Mb 10ms DropTail
foreach i {1 2 3 4} {
    set tcp($i) [new Agent/TCP/Reno]
    $tcp($i) set fid_ $i
    $ns attach-agent $a $tcp($i)
    set sink [new Agent/TCPSink]
    $ns attach-agent $b $sink
    $ns connect $tcp($i) $sink
    set ftp($i) [new Application/FTP]
    $ftp($i) attach-agent $tcp($i)
}
$ns at 0.1 "$ftp(1) start"
$ns at 0.9 "$ftp(1) stop"
$ns at 0.2 "$ftp(2) produce 12"
$ns at 0.8 "$ftp(2) producemore 7"
$ns at 1.6 "$ftp(2) produce 30"
$ftp(3) set maxpkts_ 15
$ns at 0.3 "$ftp(3) start"
$ns at 0.4 "$ftp(4) send 5300"
$ns at 1.4 "$ftp(4) send 100"
$ns at 2.0 "$ftp(1) start"
$ns at 2.2 "$ftp(1) stop"
$ns at 4.0 "$ns flush-trace; close $trace; exit 0"
$ns run
