# The 22 nodes of Fig. 1, for the three parts of the paper.
#
#   n0-n4   TCP sources   \                    / n5-n9   TCP sinks
#                          n20 --- 5 Mb --- n21
#   n10-n14 CBR sources   /                    \ n15-n19 CBR sinks
#
# ns topology.tcl SETUP TCP QUEUE SEED [N]
#
# SETUP is low or high (Table 2: CBR of 0.5 or 3 Mb), fair (Table 3, Figs. 7-10) or threshold (Fig. 11, with its N).
# TCP is Tahoe or a class below Agent/TCP; Vegas+Sack1 gives the flows the one and the other by turns. QUEUE is DropTail, RED or Management; in Fig. 11 also REDthresh and
# REDmax, where N is RED's lower or upper threshold instead of its limit. SEED 1 is ns-2's own.
#
# Writes out.tr, and window.dat with a line "time cwnd" every 0.1 s for each TCP flow.

lassign $argv setup kinds queue seed n
set kinds [split $kinds +]

# a, b: delays of the edges and of the bottleneck, ms. flows, window, start, gap: of the TCP flows; each starts a gap
# later than the one before. cbrs, rate, size, random, lag: of the CBR flows. The paper gives the rates, the limit
# and Fig. 1; what it does not give is chosen so that its own tables come nearest (README.md).
array set low       {a 2 b 26 flows 1 window 40  start 0   gap 0   cbrs 2 rate 0.5Mb size 210 random 1 lag 0.0003 limit 10 end 40}
array set high      {a 1 b 10 flows 1 window 100 start 0.1 gap 0   cbrs 2 rate 3Mb   size 210 random 1 lag 0.1    limit 10 end 100}
array set fair      {a 1 b 76 flows 5 window 20  start 0   gap 0.1 cbrs 1 rate 0.5Mb size 500 random 0 lag 0      limit 30 end 20}
array set threshold {a 2 b 26 flows 5 window 100 start 0   gap 0.1 cbrs 2 rate 0.5Mb size 210 random 1 lag 0.0003 limit 0  end 40}
if {![array exists $setup]} { puts stderr "no such set-up: $setup"; exit 1 }
foreach {name value} [array get $setup] { set $name $value }

set ns [new Simulator]
$defaultRNG seed $seed
set trace [open out.tr w]
$ns trace-all $trace
set windows [open window.dat w]

set discipline [string map {REDthresh RED REDmax RED} $queue]
switch $setup,$queue {
    fair,RED             { set thresh 40; set maxthresh 80 }
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
    $ns duplex-link $node($i) $node($router) 100Mb ${a}ms DropTail
}
$ns duplex-link $node(20) $node(21) 5Mb ${b}ms $discipline
$ns queue-limit $node(20) $node(21) $limit
$ns queue-limit $node(21) $node(20) $limit

proc tcp {i} {
    global ns node kinds window start gap tcp
    set kind [lindex $kinds [expr $i % [llength $kinds]]]
    set tcp($i) [new Agent/[expr {$kind eq "Tahoe" ? "TCP" : "TCP/$kind"}]]
    $tcp($i) set packetSize_ 1000
    $tcp($i) set window_ $window
    $tcp($i) set fid_ [expr $i + 1]
    set sink [new Agent/[expr {$kind in {Sack1 Fack} ? "TCPSink/Sack1" : "TCPSink"}]]
    $ns attach-agent $node($i) $tcp($i)
    $ns attach-agent $node([expr $i + 5]) $sink
    $ns connect $tcp($i) $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp($i)
    $ns at [expr $start + $i*$gap] "$ftp start"
}

proc cbr {i} {
    global ns node rate size random lag
    set udp [new Agent/UDP]
    $udp set fid_ [expr 11 + $i]
    set null [new Agent/Null]
    $ns attach-agent $node([expr 10 + $i]) $udp
    $ns attach-agent $node([expr 15 + $i]) $null
    $ns connect $udp $null
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
proc finish {} {
    global ns trace windows
    $ns flush-trace
    close $trace
    close $windows
    exit 0
}
$ns at 0.0 record
$ns at $end finish
$ns run
