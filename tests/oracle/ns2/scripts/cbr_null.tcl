# Constant bit rate over UDP into a Null: by rate, by interval, with jitter, with maxpkts_.
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b 1Mb 10ms DropTail

proc source {fid settings} {
    global ns a b
    set udp [new Agent/UDP]
    $udp set fid_ $fid
    $ns attach-agent $a $udp
    set null [new Agent/Null]
    $ns attach-agent $b $null
    $ns connect $udp $null
    set cbr [new Application/Traffic/CBR]
    foreach {name value} $settings { $cbr set $name $value }
    $cbr attach-agent $udp
    return $cbr
}
set c1 [source 1 {packetSize_ 500 rate_ 200kb}]
set c2 [source 2 {packetSize_ 1000 interval_ 0.04}]
set c3 [source 3 {packetSize_ 100 rate_ 64000 random_ 1}]
set c4 [source 4 {packetSize_ 200 interval_ 0.02 maxpkts_ 10}]
$ns at 0.10 "$c1 start"
$ns at 0.15 "$c2 start"
$ns at 0.20 "$c3 start"
$ns at 0.25 "$c4 start"
$ns at 1.00 "$c1 set rate_ 400kb"
$ns at 1.50 "$c2 stop"
$ns at 2.00 "$c2 start"
$ns at 3.00 "$ns flush-trace; close $trace; exit 0"
$ns run
