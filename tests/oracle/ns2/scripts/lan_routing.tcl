# A LAN and a routing protocol; ns-2 has none with a part at each node.
set ns [new Simulator]
$ns rtproto [lindex $argv 0]
set n0 [$ns node]
set n1 [$ns node]
set n2 [$ns node]
$ns duplex-link $n0 $n2 1Mb 1ms DropTail
set lan [$ns newLan "$n0 $n1" 10Mb 1ms -llType LL -ifqType Queue/DropTail -macType Mac/802_3 -chanType Channel]
$ns at 3 "puts end; exit 0"
$ns run
