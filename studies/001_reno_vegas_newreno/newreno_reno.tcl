# Figs. 2 and 3: NewReno and Reno over one bottleneck or two, together or in runs of their own, beside a little UDP.
#
#   S1, S2, ... ---\
#                   R1 === bottleneck === R2 (=== the same again === R3)   sinks are at the last router
#   UDP, 7 ms -----/
#
# ns newreno_reno.tcl SETUP KINDS PACKET WINDOW REPLICATION
#
# SETUP is droptail (0.7 Mb, 20 ms, 20 packets), red (2 Mb, 1 ms, 50 packets, 25 flows at each source) or multi (twice
# 0.3 Mb, 20 ms, 10 packets); droptail:2Mb:1ms has that rate and delay instead. KINDS names a source's variant each:
# Newreno+Reno+Reno. PACKET is packetSize_, bytes, WINDOW is window_, packets.
#
# Each FTP starts at a time uniform on (0, 7) s. Each flow has a random-number stream of its own, and replication N takes
# the N-th substream of each and of the default stream, from which RED draws: flows and replications are independent.
#
# Prints a line "kind bytes arrived dropped reductions" for each flow: bytes that the sink received in order, packets that
# arrived at the bottlenecks, packets that these dropped, and how often the sender reduced its window. Writes window.dat, every 0.1 s the windows of each source's first flow, and
# course.dat, every second and for each kind the bytes taken, and packets sent and dropped so far.

lassign $argv setup kinds packet window replication
lassign [split $setup :] setup other_rate other_delay
set kinds [split $kinds +]
set end 50

array set droptail {rate 0.7Mb delay 20ms limit 20 hops 1 flows 1  edge 10Mb}
array set red      {rate 2Mb   delay 1ms  limit 50 hops 1 flows 25 edge 100Mb}
array set multi    {rate 0.3Mb delay 20ms limit 10 hops 2 flows 1  edge 10Mb}
foreach {name value} [array get $setup] { set $name $value }
if {$other_rate ne ""} { set rate $other_rate; set delay $other_delay }

set ns [new Simulator]
set windows [open window.dat w]
set course [open course.dat w]
if {$setup eq "red"} {
    Queue/RED set thresh_ 5
    Queue/RED set maxthresh_ 15
    Queue/RED set q_weight_ 0.002
}

set router(0) [$ns node]
for {set hop 1} {$hop <= $hops} {incr hop} {
    set router($hop) [$ns node]
    set before $router([expr $hop - 1])
    $ns duplex-link $before $router($hop) $rate $delay [expr {$setup eq "red" ? "RED" : "DropTail"}]
    $ns queue-limit $before $router($hop) $limit
    $ns queue-limit $router($hop) $before $limit
    set monitor($hop) [$ns makeflowmon Fid]
    $ns attach-fmon [$ns link $before $router($hop)] $monitor($hop)
}
set last $router($hops)

proc advance {rng} {
    global replication
    for {set i 1} {$i < $replication} {incr i} { $rng next-substream }
}
advance $defaultRNG
set flow 0
for {set i 0} {$i < [llength $kinds]} {incr i} {
    set source [$ns node]
    $ns duplex-link $source $router(0) $edge 1ms DropTail
    $ns queue-limit $source $router(0) 1000
    for {set j 0} {$j < $flows} {incr j} {
        incr flow
        set kind($flow) [lindex $kinds $i]
        set tcp($flow) [new Agent/TCP/$kind($flow)]
        $tcp($flow) set packetSize_ $packet
        $tcp($flow) set window_ $window
        $tcp($flow) set fid_ $flow
        set sink($flow) [new Agent/TCPSink]
        $ns attach-agent $source $tcp($flow)
        $ns attach-agent $last $sink($flow)
        $ns connect $tcp($flow) $sink($flow)
        set ftp [new Application/FTP]
        $ftp attach-agent $tcp($flow)
        set starts [new RNG]
        advance $starts
        $ns at [$starts uniform 0 7] "$ftp start"
    }
}

set source [$ns node]
$ns duplex-link $source $router(0) $edge 7ms DropTail
set udp [new Agent/UDP]
set null [new Agent/Null]
$udp set fid_ 0
$ns attach-agent $source $udp
$ns attach-agent $last $null
$ns connect $udp $null
set cbr [new Application/Traffic/CBR]
$cbr set packetSize_ 1000
$cbr set rate_ 0.01mb
$cbr attach-agent $udp
$ns at 0.1 "$cbr start"

# Packets of a flow that arrived at the first bottleneck, and those that any dropped.
proc counted {i} {
    global ns monitor hops tcp
    set came 0
    set dropped 0
    for {set hop 1} {$hop <= $hops} {incr hop} {
        set found [[$monitor($hop) classifier] lookup auto 0 0 $i]
        if {$found eq ""} { continue }
        if {$hop == 1} { set came [$found set parrivals_] }
        incr dropped [$found set pdrops_]
    }
    return [list $came $dropped]
}
proc totals {name} {
    global flow kind sink
    set sums {0 0 0}
    for {set i 1} {$i <= $flow} {incr i} {
        if {$kind($i) ne $name} { continue }
        lassign [counted $i] came dropped
        lassign $sums bytes sent lost
        set sums [list [expr $bytes + [$sink($i) set bytes_]] [expr $sent + $came] [expr $lost + $dropped]]
    }
    return $sums
}
proc sample {} {
    global ns course
    puts $course "[$ns now] [totals Newreno] [totals Reno]"
    $ns at [expr [$ns now] + 1] sample
}
proc record {} {
    global ns tcp windows flow flows
    set line [$ns now]
    for {set i 1} {$i <= $flow} {incr i $flows} { append line " [$tcp($i) set cwnd_]" }
    puts $windows $line
    $ns at [expr [$ns now] + 0.1] record
}
proc finish {} {
    global flow kind sink windows course tcp
    sample
    for {set i 1} {$i <= $flow} {incr i} {
        puts "$kind($i) [$sink($i) set bytes_] [counted $i] [$tcp($i) set ncwndcuts_]"
    }
    close $windows
    close $course
    exit 0
}
$ns at 0.0 record
$ns at 1.0 sample
$ns at $end finish
$ns run
