# Messages of one packet each, in both directions and across a full queue, with TCP's header in the trace; closing.
set ns [new Simulator]
Trace set show_tcphdr_ 1
$ns trace-all [open out.tr w]
$ns namtrace-all [open out.nam w]
foreach i {0 1 2} {set n($i) [$ns node]}
$ns duplex-link $n(0) $n(1) 2Mb 5ms DropTail
$ns duplex-link $n(1) $n(2) 0.2Mb 15ms DropTail
$ns queue-limit $n(1) $n(2) 3
foreach {name at fid} {a 0 4 b 2 5} {
    set tcp($name) [new Agent/TCP/SimpleTcp]
    $tcp($name) set fid_ $fid
    $tcp($name) set packetSize_ 300
    $tcp($name) set window_ 7
    $ns attach-agent $n($at) $tcp($name)
    $tcp($name) proc done {} "puts \"\[$ns now\] $name is done\""
}
$ns connect $tcp(a) $tcp(b)
$tcp(b) listen
proc state {} {
    global tcp
    foreach name {a b} {puts "$name [$tcp($name) set seqno_] [$tcp($name) set window_] [$tcp($name) set ack_]"}
}
foreach {at size} {0.1 40 0.2 5000 0.3 0 0.4 1460} {$ns at $at "$tcp(a) send $size; state"}
$ns at 0.5 {for {set i 0} {$i < 8} {incr i} {$tcp(a) send 900; $tcp(b) send [expr 100 + $i]}}
$ns at 1.5 {$tcp(a) close; state; $tcp(a) send 10; $tcp(b) close}
$ns at 2.0 {
    # Another generator's numbers tell how many were drawn for the agents.
    puts [[new RandomVariable/Uniform] value]
    $ns flush-trace
    exit 0
}
$ns run
