set ns [new Simulator]
set f [open out.tr w]; $ns trace-all $f
set nf [open out.nam w]; $ns namtrace-all $nf
$ns color 1 Blue
foreach i {0 1 2} { set n($i) [$ns node] }
$n(0) label "left one"
$n(1) shape box
$ns duplex-link $n(0) $n(1) 1Mb 5ms DropTail
$ns duplex-link $n(1) $n(2) 200kb 10ms RED
$ns queue-limit $n(1) $n(2) 3
$ns duplex-link-op $n(0) $n(1) orient right-down
$ns duplex-link-op $n(1) $n(2) queuePos 0.5
set e [new ErrorModel]; $e set rate_ 0.05; ns-random 7; $e ranvar [new RandomVariable/Uniform]; $e drop-target [new Agent/Null]
$ns lossmodel $e $n(0) $n(1)
set tcp [new Agent/TCP/Newreno]; $tcp set ecn_ 1; $tcp set fid_ 1; $tcp set window_ 8; $tcp set packetSize_ 500
$tcp attach $f; $tcp trace cwnd_; $tcp trace ssthresh_
$ns attach-agent $n(0) $tcp
set sink [new Agent/TCPSink]; $ns attach-agent $n(2) $sink; $ns connect $tcp $sink
set ftp [new Application/FTP]; $ftp attach-agent $tcp
set udp [new Agent/UDP]; $udp set fid_ 2; $ns attach-agent $n(1) $udp
set null [new Agent/Null]; $ns attach-agent $n(2) $null; $ns connect $udp $null
set cbr [new Application/Traffic/CBR]; $cbr set rate_ 300kb; $cbr attach-agent $udp
$ns at 0.0 "$ftp start"; $ns at 0.1 "$cbr start"; $ns at 0.3 "$cbr stop"
$ns at 0.2 "$ns trace-annotate {half way}"
$ns at 1.2 "$ns flush-trace; exit 0"
$ns run
