# A link with FQ: its class, what a byte takes, losses past its monitors, and what it says when it is down.
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
$ns rtproto DV
set n0 [$ns node]
set n1 [$ns node]
$ns duplex-link $n0 $n1 0.5Mb 2ms FQ
set link [$ns link $n0 $n1]
puts "[$link info class] [[$link queue] set secsPerByte_]"
foreach i {1 2} {
    set udp($i) [new Agent/UDP]
    $ns attach-agent $n0 $udp($i)
    $udp($i) set fid_ $i
    set null($i) [new Agent/Null]
    $ns attach-agent $n1 $null($i)
    $ns connect $udp($i) $null($i)
    set cbr($i) [new Application/Traffic/CBR]
    $cbr($i) attach-agent $udp($i)
    $cbr($i) set packetSize_ [expr $i * 500]
    $cbr($i) set rate_ 400kb
    $ns at 0.1 "$cbr($i) start"
}
if {[lindex $argv 0] ne ""} { [$link queue] set secsPerByte_ [lindex $argv 0] }
set monitor [$ns monitor-queue $n0 $n1 0]
$ns rtmodel-at 4 down $n0 $n1
$ns at 3.9 {puts "[$monitor set pkts_] [$monitor set pdrops_] [$monitor set pdepartures_]"}
$ns at 4.5 {puts [$link up?]}
$ns at 5 "exit 0"
$ns run
