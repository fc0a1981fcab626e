# A routing protocol at one node or at two: ns-2's DV and LS take one or all.
#     rtproto_nodes.tcl PROTOCOL COUNT
lassign $argv protocol count
set ns [new Simulator]
foreach name {a b c} { set $name [$ns node] }
$ns duplex-link $a $b 1Mb 1ms DropTail
$ns duplex-link $c $b 1Mb 1ms DropTail
eval $ns rtproto $protocol [lrange [list $a $b $c] 0 [expr $count - 1]]
set udp [new Agent/UDP]
$ns attach-agent $a $udp
set sink [new Agent/LossMonitor]
$ns attach-agent $c $sink
$ns connect $udp $sink
$ns at 0.1 "$udp send 100"
$ns at 1.0 { puts [$sink set npkts_]; exit 0 }
puts "[catch {$ns run} said] [string range $said 0 45]"
exit 0
