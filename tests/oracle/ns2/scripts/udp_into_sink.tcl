# Datagrams come to a sink of TCP: it acknowledges number 0 each time, since they have no TCP header.
#     udp_into_sink.tcl SINK
set ns [new Simulator]
$ns trace-all [set tf [open out.tr w]]
set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b 1Mb 10ms DropTail
set sender [new Agent/UDP]
set sink [new Agent/[lindex $argv 0]]
$ns attach-agent $a $sender
$ns attach-agent $b $sink
$ns connect $sender $sink
foreach at {0.1 0.2 0.3 0.301 0.302} {$ns at $at "$sender send 100"}
$ns at 1 "close $tf; exit 0"
$ns run
