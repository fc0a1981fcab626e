# An edge that marks two flows by policy, and a core that drops by the marks.
#     diffserv.tcl POLICY SCHEDULE AVERAGE [ecn]
lassign $argv policy schedule average ecn
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
for {set i 0} {$i < 6} {incr i} {set n($i) [$ns node]}
$ns duplex-link $n(0) $n(2) 10Mb 5ms DropTail
$ns duplex-link $n(1) $n(2) 10Mb 5ms DropTail
$ns simplex-link $n(2) $n(3) 10Mb 5ms dsRED/edge
$ns simplex-link $n(3) $n(2) 10Mb 5ms dsRED/core
$ns simplex-link $n(3) $n(4) 1.5Mb 5ms dsRED/core
$ns simplex-link $n(4) $n(3) 1.5Mb 5ms dsRED/edge
$ns duplex-link $n(4) $n(5) 10Mb 5ms DropTail
$ns queue-limit $n(3) $n(4) 40

proc numbers {policy rate} {
    switch $policy {
        TSW2CM - SFD {return $rate}
        TSW3CM {return "$rate [expr $rate * 1.5]"}
        TokenBucket {return "$rate 5000"}
        srTCM {return "$rate 5000 8000"}
        trTCM {return "$rate 5000 [expr $rate * 1.5] 8000"}
    }
}
foreach {source target} {2 3 3 2 3 4 4 3} {
    set queue [[$ns link $n($source) $n($target)] queue]
    $queue meanPktSize 1000
    $queue set numQueues_ 2
    if {$ecn != ""} {$queue set ecn_ 1}
    $queue setNumPrec 3
    $queue setSchedularMode $schedule
    $queue setMREDMode $average
    $queue setMREDMode RIO-D 1
    $queue addQueueWeights 0 3
    $queue addQueueWeights 1 1
    $queue addQueueRate 0 800000
    foreach {point number precedence} {10 0 0 11 0 1 12 0 2 20 1 0 21 1 1 22 1 2} {
        $queue addPHBEntry $point $number $precedence
    }
    foreach number {0 1} {
        $queue configQ $number 0 10 20 0.02
        $queue configQ $number 1 5 15 0.1 0.01
        $queue configQ $number 2 3 9 0.2
    }
    set q($source$target) $queue
}
foreach edge {23 43} {
    set queue $q($edge)
    foreach {node point} {0 10 1 20} {
        foreach {from to} [list $node 5 5 $node] {
            eval $queue addPolicyEntry $from $to $policy $point [numbers $policy 600000]
        }
    }
    if {$policy == "SFD"} {
        $queue addPolicerEntry SFD 10 11 1
        $queue addPolicerEntry SFD 20 21 2
    } else {
        $queue addPolicerEntry $policy 10 11 12
        $queue addPolicerEntry $policy 20 21 22
    }
    $queue printPolicyTable
    $queue printPolicerTable
    $queue printPHBTable
}
set tcp [new Agent/TCP/Newreno]
if {$ecn != ""} {$tcp set ecn_ 1}
$tcp set window_ 50
set sink [new Agent/TCPSink]
$ns attach-agent $n(0) $tcp
$ns attach-agent $n(5) $sink
$ns connect $tcp $sink
[new Application/FTP] attach-agent $tcp
set udp [new Agent/UDP]
$ns attach-agent $n(1) $udp
set null [new Agent/Null]
$ns attach-agent $n(5) $null
$ns connect $udp $null
set cbr [new Application/Traffic/CBR]
$cbr attach-agent $udp
$cbr set rate_ 1.1Mb
$cbr set packetSize_ 700
$cbr set random_ 1
proc poll {} {
    global ns q policy
    set core $q(34)
    puts "[$ns now] [$core getAverage 0] [$core getAverage 1] [$core getCurrent 0] [$core getCurrentV 1 1]\
        [$core getAverageV 0 2] [$core getStat drops] [$core getStat edrops 20] [$core getStat pkts 10]"
    if {[lsearch {TokenBucket srTCM trTCM} $policy] >= 0} {puts [$q(23) getCBucket [$::n(0) id] 5]}
    $ns at [expr [$ns now] + 0.5] poll
}
proc finish {} {
    global ns q trace
    foreach name [lsort [array names q]] {
        $q($name) printStats
        $q($name) printWRRcount
    }
    $ns flush-trace
    close $trace
    exit 0
}
$ns at 0.1 "$tcp send -1"
$ns at 0.5 "$cbr start"
$ns at 0.1 poll
$ns at 8.0 finish
$ns run
