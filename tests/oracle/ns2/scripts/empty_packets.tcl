# Acknowledgements without a byte in a queue, which hold up DRR until others come; and segments without one.
Agent/TCP set tcpip_base_hdr_size_ [lindex $argv 1]
set ns [new Simulator]
set tf [open out.tr w]; $ns trace-all $tf
set n0 [$ns node]; set n1 [$ns node]; set n2 [$ns node]
$ns duplex-link $n0 $n1 1Mb 10ms DropTail
$ns duplex-link $n1 $n2 1Mb 10ms [lindex $argv 0]
set t [new Agent/TCP]; set s [new Agent/TCPSink]; $s set packetSize_ 0
$ns attach-agent $n0 $t; $ns attach-agent $n2 $s; $ns connect $t $s
set f [$t attach-app FTP]
$ns at 0.1 "$f start"
set u [new Agent/UDP]; $ns attach-agent $n2 $u; set nl [new Agent/LossMonitor]; $ns attach-agent $n0 $nl; $ns connect $u $nl
set c [new Application/Traffic/CBR]; $c attach-agent $u; $c set rate_ 100kb; $ns at 0.5 "$c start"; $ns at 0.7 "$c stop"
$ns at 2 "puts [$nl set npkts_]; exit 0"
$ns run
