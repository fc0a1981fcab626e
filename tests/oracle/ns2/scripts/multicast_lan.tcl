# multicast_lan.tcl
#
# Dense mode with members behind a LAN, which ns-2 loses packets for groups at.
set ns [new Simulator -multicast on]
set tr [open out.tr w]
$ns trace-all $tr
set nam [open out.nam w]
$ns namtrace-all $nam
for {set i 0} {$i < 6} {incr i} {
    set n($i) [$ns node]
}
$ns newLan [list $n(1) $n(2) $n(3)] 1Mb 2ms
foreach {a b} {0 1 2 4 3 5} {
    $ns duplex-link $n($a) $n($b) 1Mb 10ms DropTail
}
set group [Node allocaddr]
$ns mrtproto DM
set udp [new Agent/UDP]
$ns attach-agent $n(0) $udp
$udp set dst_addr_ $group
$udp set dst_port_ 0
set cbr [new Application/Traffic/CBR]
$cbr attach-agent $udp
$cbr set interval_ 0.02
$ns at 0.3 "$cbr start"
foreach k {1 2 4 5} {
    set sink [new Agent/LossMonitor]
    lappend sinks $sink
    $ns attach-agent $n($k) $sink
    $ns at 0.$k "$n($k) join-group $sink $group"
    $ns at 1.$k "$n($k) leave-group $sink $group"
}
$ns at 1.9 {foreach i {0 1 3} {$n($i) dump-routes stdout}}
$ns at 2.0 {
    $ns flush-trace
    foreach sink $sinks {
        puts "[$sink set npkts_] [$sink set bytes_] [$sink set nlost_]"
    }
    exit 0
}
$ns run
