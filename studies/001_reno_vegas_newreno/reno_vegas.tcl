# Fig. 1: Reno and Vegas on a bottleneck of 0.3 Mb/s and 200 ms, together or each alone.
#
#   S1, S2 --- 2 Mb/s, 10 ms --- R1 --- 0.3 Mb/s, 200 ms --- R2 --- 2 Mb/s, 10 ms --- D1, D2
#
# ns reno_vegas.tcl KINDS QUEUE BUFFER WINDOW REPLICATION [LATER]
#
# KINDS is Reno+Vegas, Reno, Vegas, Reno+Reno or Vegas+Vegas. QUEUE is DropTail, or RED with its thresholds: RED:5:0.6
# (in ns-2's default bytes) or RED:5:0.6:packets. BUFFER and WINDOW (window_) are in packets.
#
# REPLICATION 0 starts every flow at 0.1 s. With N > 0 each flow starts at a time uniform on (0, 5) s. Each flow has a
# random-number stream of its own, and replication N takes the N-th substream of each, so that flows and replications
# are independent. With LATER, every flow but the first starts that many seconds later, and the run ends at 200 s
# instead of 100.
#
# Prints for each flow: kind, bytes that the sink received in order. Writes out.tr, the bottleneck's trace; window.dat
# with a line "time cwnd ..." every 0.1 s; course.dat with a line "time {bytes srtt rto} ..." every second, where srtt and
# rto (s) are the sender's smoothed round-trip time and retransmission timeout.

lassign $argv kinds queue buffer window replication later
set kinds [split $kinds +]
set end [expr {$later eq "" ? 100 : 200}]

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

# Uniform on (0, 5) s, from a stream of its own.
proc start_time {} {
    global replication
    if {$replication == 0} { return 0.1 }
    set rng [new RNG]
    for {set i 1} {$i < $replication} {incr i} { $rng next-substream }
    return [$rng uniform 0 5]
}

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
    set start [start_time]
    if {$later ne "" && $flow > 1} { set start [expr $start + $later] }
    $ns at $start "$ftp start"
}

proc record {} {
    global ns tcp windows flow
    set line [$ns now]
    for {set i 1} {$i <= $flow} {incr i} { append line " [$tcp($i) set cwnd_]" }
    puts $windows $line
    $ns at [expr [$ns now] + 0.1] record
}
# ns-2 keeps srtt_ in eighths and rttvar_ in quarters of a tick of the clock.
proc sample {} {
    global ns sink course flow tcp
    set line [$ns now]
    for {set i 1} {$i <= $flow} {incr i} {
        set tick [$tcp($i) set tcpTick_]
        set srtt [$tcp($i) set srtt_]
        set rto [expr ((([$tcp($i) set rttvar_] << 3) + $srtt) >> 3) * $tick]
        set least [$tcp($i) set minrto_]
        if {$rto < $least} { set rto $least }
        append line " [$sink($i) set bytes_] [expr $srtt / 8.0 * $tick] $rto"
    }
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
