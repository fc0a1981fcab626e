# multicast_words.tcl
#
# What a script asks nodes, tables and replicators of groups, and the words of old scripts.
set ns [new Simulator -multicast off]
puts "[$ns multicast?] [Node set module_list_]"
set tr [open out.tr w]
$ns trace-all $tr
for {set i 0} {$i < 4} {incr i} {
    set n($i) [$ns node]
}
foreach {a b} {0 1 1 2 1 3} {
    $ns duplex-link $n($a) $n($b) 1Mb 10ms DropTail
}
puts "[[$n(0) get-module Mcast] info class] [[$n(0) entry] info class] [[$n(0) getArbiter] info class]"
puts "[$n(1) get-all-oifs] [lsort [$n(1) get-all-iifs]]"
set link [$ns link $n(0) $n(1)]
puts "[$link if-label?] [$n(1) link2iif $link] [$n(0) link2oif $link] [$n(1) iif2link [$link if-label?]]"
puts "[$n(1) iif2oif [$link if-label?]] [[$n(0) oif2link [$link head]] info class]"
puts [[$link set iif_] info class]
catch {$ns mrtproto dvmrp} message
puts $message
puts "<[$ns mrtproto DM]> [[$n(0) getArbiter] getType DM] <[[$n(0) getArbiter] getType BST]>"
DM set PruneTimeout 0.2
puts "[DM set CacheMissMode] [DM set PruneTimeout] [Timer/Iface/Prune set timeout]"
set protocol [[$n(0) getArbiter] getType DM]
puts "[$protocol getType] [$protocol getStatus] [[$protocol set mctrl_] info class]"

set group [Node allocaddr]
puts "$group [Node allocaddr]"
set udp [new Agent/UDP]
$ns attach-agent $n(0) $udp
$udp set dst_ $group
puts "[$udp set dst_addr_] [$udp set dst_port_]"
set cbr [new Application/Traffic/CBR]
$cbr attach-agent $udp
$cbr set interval_ 20ms
set sink [new Agent/LossMonitor]
$ns attach-agent $n(3) $sink
$ns at 0.1 "$cbr start"
$ns at 0.2 "$n(3) join-group $sink [format 0x%x $group]"
$ns at 0.25 look
$ns at 0.3 "$n(3) leave-group $sink $group"
$ns at 0.31 "$n(2) leave-group $sink $group"
$ns at 0.45 look
$ns at 0.6 "$n(1) del-mfc 0 $group \[$n(1) get-all-oifs\]"
$ns at 0.65 look
$ns at 0.7 {
    puts [$n(0) set switch_]
    puts [$protocol getStatus]
    $ns flush-trace
    exit 0
}

proc look {} {
    global ns n group
    foreach i {0 1 3} {
        set replicator [$n($i) getReps 0 $group]
        puts "[$n($i) getReps * *] [$n($i) getReps-raw * $group] <[$n($i) getReps 1 *]>"
        puts "[$n($i) rpf-nbr 0] [$n($i) rpf-nbr $n(2)] [$n($i) from-node-iface 0] [$n($i) check-local $group]"
        puts "[$n($i) lookup-iface 0 $group] <[$n($i) lookup-iface 2 $group]> [$replicator is-active]"
        puts "[$replicator dump-oifs] [$replicator set nactive_] [$replicator set ignore_] [$replicator set srcID_]"
        puts "[$replicator exists $n(0)] [[$n($i) set multiclassifier_] set nrep_]"
        $n($i) dump-routes stdout
    }
}
$ns run
