# One simulation after the other: the second Simulator has a clock and events of its own; uids and nodes go on counting.
foreach k {1 2} {
    set ns [new Simulator]
    set f [open s$k.tr w]
    $ns trace-all $f
    set a [$ns node]; set b [$ns node]
    $ns duplex-link $a $b 1Mb 10ms DropTail
    set u [new Agent/UDP]; $ns attach-agent $a $u; set nu [new Agent/Null]; $ns attach-agent $b $nu; $ns connect $u $nu
    set c [new Application/Traffic/CBR]; $c attach-agent $u
    puts "[$ns now] [$a id] $ns $a $u"
    $ns at 0.1 "$c start"
    $ns after 0.2 "puts after"
    $ns at 0.5 "$c stop"
    $ns at 1.0 "$ns halt"
    $ns run
    puts "[$ns now] done"
    $ns flush-trace
    close $f
    delete $ns
}
