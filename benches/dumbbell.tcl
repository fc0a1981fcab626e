# dumbbell.tcl FLOWS MBPS LIMIT SECONDS SPREAD SENDER QUEUE LOSS [TRACE [NAM]]
#
# FLOWS file transfers without end from as many hosts, over one link of MBPS and 20 ms whose queue holds LIMIT packets;
# they start evenly over SPREAD seconds. LOSS is the part of packets that the link loses. Prints what each flow delivered.

foreach {flows mbps limit seconds spread sender queue loss} $argv break
set ns [new Simulator]
if {[llength $argv] > 8} { $ns trace-all [set trace [open [lindex $argv 8] w]] }
if {[llength $argv] > 9} { $ns namtrace-all [set nam [open [lindex $argv 9] w]] }

set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right ${mbps}Mb 20ms $queue
$ns queue-limit $left $right $limit
$ns queue-limit $right $left $limit
if {$loss > 0} {
    set errors [new ErrorModel]
    $errors set rate_ $loss
    $errors unit pkt
    $errors drop-target [new Agent/Null]
    $ns lossmodel $errors $left $right
}

for {set i 0} {$i < $flows} {incr i} {
    set source [$ns node]
    set destination [$ns node]
    $ns duplex-link $source $left 1000Mb 2ms DropTail
    $ns duplex-link $right $destination 1000Mb 2ms DropTail
    foreach link [list [$ns link $source $left] [$ns link $right $destination]] { [$link queue] set limit_ 100000 }
    set tcp($i) [new Agent/TCP/$sender]
    $tcp($i) set window_ 100000
    $tcp($i) set fid_ $i
    set sink [new Agent/[expr {$sender eq "Sack1" ? "TCPSink/Sack1" : "TCPSink"}]]
    $ns attach-agent $source $tcp($i)
    $ns attach-agent $destination $sink
    $ns connect $tcp($i) $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp($i)
    $ns at [expr {$spread * $i / $flows}] "$ftp start"
}

proc finish {} {
    global ns tcp flows trace nam
    $ns flush-trace
    foreach file {trace nam} { if {[info exists $file]} { close [set $file] } }
    for {set i 0} {$i < $flows} {incr i} { puts [expr {[$tcp($i) set ack_] + 1}] }
    exit 0
}
$ns at $seconds finish
$ns run
