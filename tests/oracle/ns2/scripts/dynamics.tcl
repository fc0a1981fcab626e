# dynamics.tcl PROTOCOL MODEL [SEVERAL]
#
# Six nodes with more than one way between most of them, TCP and a constant rate across, and links that fail by the
# model named: Exponential, Deterministic, Manual, Trace. Routes are by Session, DV or none; with SEVERAL, nodes use
# ways of equal cost in turn. Everything is traced, and the tables of a node are printed now and then.
set protocol [lindex $argv 0]
set model [lindex $argv 1]

set ns [new Simulator]
if {[llength $argv] > 2} {
    Node set multiPath_ [lindex $argv 2]
}
if {$protocol ne "none"} {
    $ns rtproto $protocol
}
set tr [open out.tr w]
$ns trace-all $tr
set nam [open out.nam w]
$ns namtrace-all $nam

for {set i 0} {$i < 6} {incr i} {
    set n($i) [$ns node]
}
$ns duplex-link $n(0) $n(1) 1Mb 10ms DropTail
$ns duplex-link $n(1) $n(2) 1Mb 10ms DropTail
$ns duplex-link $n(2) $n(3) 1Mb 10ms RED
$ns duplex-link $n(0) $n(4) 1Mb 10ms DropTail
$ns duplex-link $n(4) $n(3) 0.5Mb 20ms DropTail
$ns duplex-link $n(1) $n(5) 1Mb 5ms DropTail
$ns duplex-link $n(5) $n(3) 1Mb 5ms DropTail
$ns queue-limit $n(1) $n(2) 5
$ns cost $n(0) $n(4) 2
set monitor [$ns monitor-queue $n(1) $n(5) [open queue.tr w]]
[$ns link $n(1) $n(5)] start-tracing

set tcp [new Agent/TCP/Reno]
$ns attach-agent $n(0) $tcp
set sink [new Agent/TCPSink]
$ns attach-agent $n(3) $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 0.2 "$ftp start"

set udp [new Agent/UDP]
$ns attach-agent $n(0) $udp
set null [new Agent/Null]
$ns attach-agent $n(2) $null
$ns connect $udp $null
set cbr [new Application/Traffic/CBR]
$cbr attach-agent $udp
$cbr set interval_ 0.007
$ns at 0.1 "$cbr start"

switch $model {
    Exponential {
        $ns rtmodel Exponential {0.5 1.5 0.7} $n(1) $n(5)
        $ns rtmodel Exponential {- 2.0 0.3 7} $n(2)
    }
    Deterministic {
        $ns rtmodel Deterministic {} $n(1) $n(2)
        $ns rtmodel Deterministic {1.0 0.8 0.4 6.0} $n(1) $n(5)
    }
    Manual {
        $ns rtmodel-at 1.0 down $n(1) $n(5)
        $ns rtmodel-at 1.0 down $n(1) $n(2)
        $ns rtmodel-at 2.5 up $n(1) $n(5)
        $ns rtmodel-at 4 up $n(1) $n(2)
        $ns rtmodel-at 5 down $n(3)
        $ns rtmodel-at 5.5 up $n(3)
    }
    Trace {
        set events [open events.tr w]
        puts $events "+ 0.5 1 5 cbr 210 ------- 0 0.0 3.1 225 610"
        puts $events "v 0.9 link-down 1 5"
        puts $events "v 0.9 link-down 5 1"
        puts $events "v 1.5 link-down 9 1"
        puts $events "v 2.2 link-up 1 5"
        puts $events "v 2.2 link-up 5 1"
        puts $events "v 3.25 link-down 1 5"
        close $events
        $ns rtmodel Trace events.tr $n(1) $n(5)
    }
}

proc report {} {
    global ns n monitor protocol
    puts "[$ns now] [[$ns link $n(1) $n(5)] up?] [[$ns link $n(1) $n(2)] up?] [$monitor set parrivals_] [$monitor set pdrops_]"
    if {$protocol eq "DV"} {
        [$n(1) rtObject?] dump-routes stdout
        puts [[$ns get-routelogic] lookup 0 1]
    }
}
proc finish {} {
    global ns
    $ns flush-trace
    exit 0
}
$ns at 0.05 "report"
$ns at 1.9 "report"
$ns at 5.2 "report"
$ns at 7.9 "report"
$ns at 8.0 "finish"
$ns run
