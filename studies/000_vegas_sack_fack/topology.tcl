# The 22 nodes of Fig. 1, for the three parts of the paper.
#
#   n0-n4   TCP sources   \                    / n5-n9   TCP sinks
#                          n20 --- 5 Mb --- n21
#   n10-n14 CBR sources   /                    \ n15-n19  CBR sinks
#
# ns topology.tcl SETUP TCP QUEUE REPLICATION [N]
#
# SETUP   part of the paper                         N
# low     Table 2, CBR of 0.5 Mb                    CBR rate instead, Mb
# high    Table 2, CBR of 3 Mb                      -
# fair    Table 3, Figs. 7 to 10                    RED's thresholds: 40:80, 5:15, or auto for ns-2's own
# threshold  Fig. 11                                limit or threshold, packets
# delays  five flows of different delays            20 ms more one way for each next flow, if 20
# far     Vegas on a long path                      delay of the bottleneck, ms
#
# TCP is Tahoe or a class below Agent/TCP; Vegas+Sack1 gives the flows the one and the other by turns. QUEUE is DropTail,
# RED or Management; in Fig. 11 also REDthresh and REDmax, where N is RED's lower or upper threshold instead of its limit.
#
# REPLICATION n takes the n-th substream of ns-2's default random-number stream, from which the CBR sources and RED draw.
# 0 takes the first, and CBR sources of the set-up fair then send without any random gap.
#
# Prints a line "tcp received retransmitted dropped acks" for each TCP flow: data packets that its sink received in order,
# that its source retransmitted and that the bottleneck dropped, and its ACKs that the bottleneck dropped. Then a line "cbr
# received" for each CBR flow.
#
# Writes window.dat, a line "time cwnd ..." every 0.1 s; course.dat, a line "time bytes ..." every second, the bytes that the
# sinks of TCP in order and of CBR received so far; and out.tr: for low, high and fair the trace of the TCP flows' edge
# links, for threshold that of the bottleneck.

lassign $argv setup kinds queue replication n
set kinds [split $kinds +]

# a, b: delays of the edges and of the bottleneck, ms. flows, window, start, gap: of the TCP flows; each starts a gap
# later than the one before. cbrs, rate, size, random, lag: of the CBR flows. The paper gives the rates, the limit
# and Fig. 1. Of low, high and fair the rest was chosen so that the paper's own tables come nearest (README.md).
array set low       {a 2 b 26 flows 1 window 40  start 0   gap 0   cbrs 2 rate 0.5Mb size 210 random 1 lag 0.0003 limit 10 end 40}
array set high      {a 1 b 10 flows 1 window 100 start 0.1 gap 0   cbrs 2 rate 3Mb   size 210 random 1 lag 0.1    limit 10 end 100}
array set fair      {a 1 b 76 flows 5 window 20  start 0   gap 0.1 cbrs 1 rate 0.5Mb size 500 random 1 lag 0      limit 30 end 20}
array set threshold {a 2 b 26 flows 5 window 100 start 0   gap 0.1 cbrs 2 rate 0.5Mb size 210 random 1 lag 0.0003 limit 0  end 40}
array set delays    {a 2 b 6  flows 5 window 100 start 0   gap 0.1 cbrs 2 rate 0.5Mb size 210 random 1 lag 0.0003 limit 30 end 60}
array set far       {a 2 b 26 flows 5 window 400 start 0   gap 0.1 cbrs 2 rate 0.5Mb size 210 random 1 lag 0.0003 limit 30 end 120}
if {![array exists $setup]} { puts stderr "no such set-up: $setup"; exit 1 }
foreach {name value} [array get $setup] { set $name $value }
if {$setup eq "low" && $n ne ""} { set rate ${n}Mb }
if {$setup eq "far"} { set b $n }
if {$setup eq "fair" && $replication == 0} { set random 0 }

set ns [new Simulator]
for {set i 1} {$i < $replication} {incr i} { $defaultRNG next-substream }
set trace [open out.tr w]
set windows [open window.dat w]
set course [open course.dat w]

set discipline [string map {REDthresh RED REDmax RED} $queue]
switch $setup,$queue {
    fair,RED             { if {$n ne "auto"} { lassign [split $n :] thresh maxthresh } }
    threshold,REDthresh  { set thresh $n; set maxthresh [expr 3*$n]; set limit [expr 4*$n + 10] }
    threshold,REDmax     { set thresh [expr $n/3.0]; set maxthresh $n; set limit [expr 4*$n + 10] }
    default              { if {$setup eq "threshold"} { set limit $n } }
}
if {[info exists thresh]} {
    Queue/RED set thresh_ $thresh
    Queue/RED set maxthresh_ $maxthresh
}

for {set i 0} {$i < 22} {incr i} { set node($i) [$ns node] }
for {set i 0} {$i < 20} {incr i} {
    set router [expr {$i < 5 || ($i >= 10 && $i < 15) ? 20 : 21}]
    set delay [expr {$setup eq "delays" && $i < 5 ? $a + $i*$n : $a}]
    $ns duplex-link $node($i) $node($router) 100Mb ${delay}ms DropTail
}
$ns duplex-link $node(20) $node(21) 5Mb ${b}ms $discipline
$ns queue-limit $node(20) $node(21) $limit
$ns queue-limit $node(21) $node(20) $limit
if {$setup eq "threshold"} { $ns trace-queue $node(20) $node(21) $trace }
foreach {from to} {20 21 21 20} {
    set monitor($from) [$ns makeflowmon Fid]
    $ns attach-fmon [$ns link $node($from) $node($to)] $monitor($from)
}
proc trace_edge {i router} {
    global ns node trace
    $ns trace-queue $node($i) $node($router) $trace
    $ns trace-queue $node($router) $node($i) $trace
}

proc tcp {i} {
    global ns node kinds window start gap tcp sink size_of setup n
    set kind [lindex $kinds [expr $i % [llength $kinds]]]
    set tcp($i) [new Agent/[expr {$kind eq "Tahoe" ? "TCP" : "TCP/$kind"}]]
    $tcp($i) set packetSize_ 1000
    $tcp($i) set window_ $window
    $tcp($i) set fid_ [expr $i + 1]
    # Vegas's packets have no headers on top.
    set size_of($i) [expr {$kind eq "Vegas" ? 1000 : 1040}]
    set sink($i) [new Agent/[expr {$kind in {Sack1 Fack} ? "TCPSink/Sack1" : "TCPSink"}]]
    $ns attach-agent $node($i) $tcp($i)
    $ns attach-agent $node([expr $i + 5]) $sink($i)
    $ns connect $tcp($i) $sink($i)
    if {$setup in {low high fair} && !($setup eq "low" && $n ne "")} {
        trace_edge $i 20
        trace_edge [expr $i + 5] 21
    }
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp($i)
    $ns at [expr $start + $i*$gap] "$ftp start"
}

proc cbr {i} {
    global ns node rate size random lag null
    set udp [new Agent/UDP]
    $udp set fid_ [expr 11 + $i]
    set null($i) [new Agent/LossMonitor]
    $ns attach-agent $node([expr 10 + $i]) $udp
    $ns attach-agent $node([expr 15 + $i]) $null($i)
    $ns connect $udp $null($i)
    set cbr [new Application/Traffic/CBR]
    $cbr set packetSize_ $size
    $cbr set rate_ $rate
    $cbr set random_ $random
    $cbr attach-agent $udp
    $ns at [expr $i*$lag] "$cbr start"
}

for {set i 0} {$i < $flows} {incr i} { tcp $i }
for {set i 0} {$i < $cbrs} {incr i} { cbr $i }

proc record {} {
    global ns tcp flows windows
    set line [$ns now]
    for {set i 0} {$i < $flows} {incr i} { append line " [$tcp($i) set cwnd_]" }
    puts $windows $line
    $ns at [expr [$ns now] + 0.1] record
}
proc sample {} {
    global ns course sink null flows cbrs
    set line [$ns now]
    for {set i 0} {$i < $flows} {incr i} { append line " [$sink($i) set bytes_]" }
    for {set i 0} {$i < $cbrs} {incr i} { append line " [$null($i) set bytes_]" }
    puts $course $line
    $ns at [expr [$ns now] + 1] sample
}
# Packets of a TCP flow that the bottleneck dropped in one direction.
proc dropped {router i} {
    global monitor
    set found [[$monitor($router) classifier] lookup auto 0 0 [expr $i + 1]]
    return [expr {$found eq "" ? 0 : [$found set pdrops_]}]
}
proc finish {} {
    global ns trace windows course tcp sink null size_of flows cbrs
    sample
    for {set i 0} {$i < $flows} {incr i} {
        set received [expr [$sink($i) set bytes_] / $size_of($i)]
        puts "tcp $received [$tcp($i) set nrexmitpack_] [dropped 20 $i] [dropped 21 $i]"
    }
    for {set i 0} {$i < $cbrs} {incr i} { puts "cbr [$null($i) set npkts_]" }
    $ns flush-trace
    close $trace
    close $windows
    close $course
    exit 0
}
$ns at 0.0 record
$ns at 1.0 sample
$ns at $end finish
$ns run
