# multicast.tcl PROTOCOL TOPOLOGY SEED ?ROUTING? ?fail?
#
# Two groups with constant rates from random nodes to random members, which join and leave, beside a TCP flow. PROTOCOL
# is DM, DVMRP (dense mode with that way to find children), CtrMcast or BST; TOPOLOGY is tree, ring or mesh. With `fail`
# a link fails and recovers. Everything is traced.
lassign $argv protocol topology seed routing fails
set ns [new Simulator -multicast on]
set tr [open out.tr w]
$ns trace-all $tr
set nam [open out.nam w]
$ns namtrace-all $nam
set rng [new RNG]
$rng seed $seed
proc draw {low high} {
    global rng
    expr {int([$rng uniform $low $high])}
}

set count 7
for {set i 0} {$i < $count} {incr i} {
    set n($i) [$ns node]
}
set links(tree) {0 1 10ms 1 2 10ms 1 3 10ms 3 4 10ms 3 5 10ms 5 6 10ms}
set links(ring) {0 1 10ms 1 2 10ms 2 3 10ms 3 4 10ms 4 5 10ms 5 6 10ms 6 0 10ms}
set links(mesh) {0 1 10ms 1 2 10ms 2 3 10ms 3 0 5ms 1 4 10ms 4 5 10ms 5 6 10ms 6 2 10ms 0 6 20ms}
foreach {a b delay} $links($topology) {
    $ns duplex-link $n($a) $n($b) 1Mb $delay DropTail
}
if {$routing ne ""} {
    $ns rtproto $routing
}

set groups [list [Node allocaddr] [Node allocaddr]]
if {$protocol eq "BST"} {
    foreach group $groups {
        BST set RP_($group) $n([draw 0 $count])
    }
}
if {$protocol eq "DVMRP"} {
    DM set CacheMissMode dvmrp
    set protocol DM
}
set trees [$ns mrtproto $protocol]
if {$protocol eq "CtrMcast"} {
    $trees set_c_rp $n([draw 0 $count]) $n([draw 0 $count])
    $trees set_c_bsr $n(1):0
    $ns at 0.[draw 5 9] "$trees switch-treetype [lindex $groups 0]"
}

foreach group $groups {
    set source [draw 0 $count]
    set udp [new Agent/UDP]
    $ns attach-agent $n($source) $udp
    $udp set dst_addr_ $group
    $udp set dst_port_ 0
    $udp set fid_ [expr {$group & 7}]
    set cbr [new Application/Traffic/CBR]
    $cbr attach-agent $udp
    $cbr set interval_ 0.02[draw 0 9]
    $cbr set packetSize_ [expr {[draw 1 8] * 100}]
    $ns at [expr {0.1 + [draw 0 10] * 0.05}] "$cbr start"
    for {set k 0} {$k < 4} {incr k} {
        set member [draw 0 $count]
        set sink [new Agent/LossMonitor]
        lappend sinks $sink
        $ns attach-agent $n($member) $sink
        set joins [expr {0.2 + [draw 0 40] * 0.025}]
        $ns at $joins "$n($member) join-group $sink $group"
        if {[draw 0 2]} {
            $ns at [expr {$joins + 0.1 + [draw 0 20] * 0.05}] "$n($member) leave-group $sink $group"
        }
    }
}
if {$fails ne ""} {
    $ns rtmodel-at 0.8 down $n(0) $n(1)
    $ns rtmodel-at 1.2 up $n(0) $n(1)
}
set tcp [$ns create-connection TCP $n(0) TCPSink $n(6) 40]
$ns at 0.7 "[$tcp attach-app FTP] start"
if {$protocol ne "BST"} {
    $ns at 1.4 {foreach i {0 1 3} {$n($i) dump-routes stdout}}
}
$ns at 1.5 finish

proc finish {} {
    global ns sinks
    $ns flush-trace
    foreach sink $sinks {
        puts "[$sink set npkts_] [$sink set bytes_] [$sink set nlost_]"
    }
    exit 0
}
$ns run
