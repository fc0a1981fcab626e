# A LossMonitor's counters, read while it runs; the link is slower than the source.
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
set a [$ns node]
set b [$ns node]
set c [$ns node]
$ns duplex-link $a $b 2Mb 5ms DropTail
$ns duplex-link $b $c 400kb 5ms DropTail
$ns queue-limit $b $c 5
set udp [new Agent/UDP]
$udp set packetSize_ 600
$ns attach-agent $a $udp
set monitor [new Agent/LossMonitor]
$ns attach-agent $c $monitor
$ns connect $udp $monitor
set cbr [new Application/Traffic/CBR]
$cbr set packetSize_ 1500
$cbr set rate_ 0.6Mb
$cbr attach-agent $udp

proc poll {} {
    global ns monitor
    foreach name {nlost_ npkts_ bytes_ lastPktTime_ expected_} {
        lappend row [$monitor set $name]
    }
    puts "[$ns now] $row"
    $monitor set bytes_ 0
    $ns at [expr [$ns now] + 0.5] poll
}
$ns at 0.0 poll
$ns at 0.2 "$cbr start"
$ns at 4.2 "$cbr stop"
$ns at 4.6 "$monitor clear"
$ns at 5.1 "$ns flush-trace; close $trace; exit 0"
$ns run
