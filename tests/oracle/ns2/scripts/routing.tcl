# A mesh: shortest paths, a tie between two of them, a link cost, several flows both ways.
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
for {set i 0} {$i < 8} {incr i} { set n($i) [$ns node] }
foreach {a b} {0 1 1 2 2 3 0 4 4 5 5 3 3 6 6 7 0 7 1 5} {
    $ns duplex-link $n($a) $n($b) 1Mb 5ms DropTail
}
$ns cost $n(0) $n(7) 5
$ns cost $n(7) $n(0) 2
set fid 0
foreach {a b} {0 3 3 0 4 2 7 1 6 4 2 7} {
    incr fid
    set udp [new Agent/UDP]
    $udp set fid_ $fid
    $ns attach-agent $n($a) $udp
    set null [new Agent/Null]
    $ns attach-agent $n($b) $null
    $ns connect $udp $null
    set cbr [new Application/Traffic/CBR]
    $cbr set rate_ 100kb
    $cbr attach-agent $udp
    $ns at 0.$fid "$cbr start"
}
$ns at 1.5 "$ns flush-trace; close $trace; exit 0"
$ns run
