# The order of the links of networks with LANs, which nam's lines of queues and loops over links follow.
set ns [new Simulator]
set nam [open out.nam w]
$ns namtrace-all $nam
for {set i 0} {$i < 9} {incr i} { set n$i [$ns node] }
$ns newLan "$n0 $n1 $n3 $n4 $n5" 10Mb 1ms -llType LL -ifqType Queue/DropTail -macType Mac/802_3
puts [$ns array names link_]
$ns duplex-link $n0 $n2 0.2Mb 20ms DropTail
puts [$ns array names link_]
$ns duplex-link-op $n0 $n2 queuePos 0.5
$ns newLan "$n2 $n3" 10Mb 1ms -llType LL -ifqType Queue/DropTail -macType Mac/802_3
$ns simplex-link $n6 $n0 1Mb 10ms DropTail
puts [$ns array names link_]
foreach {a b} {0 6 1 0 1 2 7 8} {
    $ns duplex-link [set n$a] [set n$b] 1Mb 10ms RED
    $ns duplex-link-op [set n$a] [set n$b] queuePos 0.25
    puts [$ns array names link_]
}
$ns at 1 "$ns flush-trace; exit 0"
$ns run
