# A packet for which a classifier has nothing ends the run, and the classifier is told on standard output.
#     no_slot.tcl ROUTING nowhere|far|port|left|alone|early
foreach {routing where} $argv break
set ns [new Simulator]
$ns rtproto $routing
for {set i 0} {$i < 5} {incr i} {set n($i) [$ns node]}
foreach {from to} {0 1 1 2 2 3} {$ns duplex-link $n($from) $n($to) 1Mb 10ms DropTail}
set tcp [$ns create-connection TCP $n(0) TCPSink $n(2) 0]
$ns at 0.1 "$tcp advance 3"
set udp [new Agent/UDP]
set null [new Agent/Null]
$ns attach-agent $n(1) $udp
$ns attach-agent $n(1) $null
switch $where {
    far {$udp set dst_addr_ 4; $udp set dst_port_ 0}
    port {$udp set dst_addr_ 1; $udp set dst_port_ 7}
    left {
        $udp set dst_addr_ 1
        $udp set dst_port_ 1
        $ns at 0.9 "$ns detach-agent $n(1) $null; $udp set dst_port_ 5"
    }
    alone {$udp set dst_addr_ 3; $udp set dst_port_ 0}
    early {$tcp advance 1}
}
$ns at 1 "puts sent; $udp send 100"
$ns at 2 "puts late; exit 0"
$ns run
