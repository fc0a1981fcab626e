# Smoothed round robin: five flows with rates over one link, starting and stopping, packets of two sizes.
#     srr.tcl [VARIABLE VALUE]...
set ns [new Simulator]
$ns trace-all [open out.tr w]
set n0 [$ns node]
set n1 [$ns node]
$ns simplex-link $n0 $n1 300kb 1ms SRR
$ns simplex-link $n1 $n0 300kb 1ms DropTail
set q [[$ns link $n0 $n1] queue]
$q maxqueuenumber 64
$q mtu 250
$q granularity 5000
foreach {name value} $argv {$q set $name $value}
foreach {flow queue rate} {1 0 160000 2 1 45000 3 2 20000 4 3 5000 6 7 15000} {
    $q setqueue $flow $queue
    $q setrate $queue $rate
}
set null [new Agent/Null]
$ns attach-agent $n1 $null
foreach {flow rate size from until} {1 200kb 250 0 4 2 80kb 400 0.3 2 3 70kb 250 0.1 5 4 60kb 250 0 3 6 50kb 90 1.2 4.5} {
    set udp [new Agent/UDP]
    $udp set fid_ $flow
    $ns attach-agent $n0 $udp
    $ns connect $udp $null
    set cbr [new Application/Traffic/CBR]
    $cbr set packetSize_ $size
    $cbr set rate_ $rate
    $cbr attach-agent $udp
    $ns at $from "$cbr start"
    $ns at $until "$cbr stop"
}
$ns at 2.5 "$q setrate 3 90000"
$ns at 6.0 "exit 0"
$ns run
