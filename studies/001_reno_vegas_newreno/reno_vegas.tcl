# Fig. 1: Reno and Vegas on a bottleneck of 0.3 Mb/s and 200 ms, together or each alone.
#
#   S1, S2 --- 2 Mb/s, 10 ms --- R1 --- 0.3 Mb/s, 200 ms --- R2 --- 2 Mb/s, 10 ms --- D1, D2
#
# ns reno_vegas.tcl KINDS QUEUE BUFFER WINDOW SEED
#
# KINDS is Reno+Vegas, Reno or Vegas. QUEUE is DropTail, or RED with its thresholds: RED:5:0.6 (in ns-2's default
# bytes) or RED:5:0.6:packets. BUFFER and WINDOW (window_) are in packets. SEED 0 starts all at 0.1 s; with another,
# each starts at a time uniform on (0, 5) s.
#
# Prints the bytes that each sink has taken in order. Writes out.tr, the bottleneck's trace, window.dat with a line "time cwnd ..." every 0.1 s,
# and course.dat with a line "time bytes ..." every second.

lassign $argv kinds queue buffer window seed
set kinds [split $kinds +]
set end 100

set ns [new Simulator]
set trace [open out.tr w]
set windows [open window.dat w]
set course [open course.dat w]

lassign [split $queue :] discipline thresh maxthresh unit
if {$discipline eq "RED"} {
    Queue/RED set thresh_ $thresh
    Queue/RED set maxthresh_ $maxthresh
    if {$unit eq "packets"} {
        Queue/RED set queue_in_bytes_ false
        Queue/RED set bytes_ false
        Queue/RED set q_weight_ 0.002
    }
}

set r1 [$ns node]
set r2 [$ns node]
$ns duplex-link $r1 $r2 0.3Mb 200ms $discipline
$ns queue-limit $r1 $r2 $buffer
$ns queue-limit $r2 $r1 $buffer
$ns trace-queue $r1 $r2 $trace

set starts [new RNG]
$starts seed [expr {$seed > 0 ? $seed : 1}]

set flow 0
foreach kind $kinds {
    incr flow
    set source [$ns node]
    set destination [$ns node]
    $ns duplex-link $source $r1 2Mb 10ms DropTail
    $ns duplex-link $r2 $destination 2Mb 10ms DropTail
    set tcp($flow) [new Agent/TCP/$kind]
    $tcp($flow) set packetSize_ 552
    $tcp($flow) set window_ $window
    $tcp($flow) set fid_ $flow
    set sink($flow) [new Agent/TCPSink]
    $ns attach-agent $source $tcp($flow)
    $ns attach-agent $destination $sink($flow)
    $ns connect $tcp($flow) $sink($flow)
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp($flow)
    $ns at [expr {$seed > 0 ? [$starts uniform 0 5] : 0.1}] "$ftp start"
}

proc record {} {
    global ns tcp windows flow
    set line [$ns now]
    for {set i 1} {$i <= $flow} {incr i} { append line " [$tcp($i) set cwnd_]" }
    puts $windows $line
    $ns at [expr [$ns now] + 0.1] record
}
proc sample {} {
    global ns sink course flow
    set line [$ns now]
    for {set i 1} {$i <= $flow} {incr i} { append line " [$sink($i) set bytes_]" }
    puts $course $line
    $ns at [expr [$ns now] + 1] sample
}
proc finish {} {
    global ns trace windows course sink flow kinds
    for {set i 1} {$i <= $flow} {incr i} { puts "[lindex $kinds [expr $i - 1]] [$sink($i) set bytes_]" }
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
