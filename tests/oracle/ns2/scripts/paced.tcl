# A flow that is idle between its bursts, and paces what it sends first after that.
#     paced.tcl SENDER SINK [VARIABLE VALUE]...
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
foreach name {s r d} { set $name [$ns node] }
$ns duplex-link $s $r 8Mb 1ms DropTail
$ns duplex-link $r $d 800kb 80ms DropTail
$ns queue-limit $r $d 12
set tcp [$ns create-connection [lindex $argv 0] $s [lindex $argv 1] $d 0]
foreach {name value} [lrange $argv 2 end] { $tcp set $name $value }
set ftp [new Application/FTP]
$ftp attach-agent $tcp
foreach {time packets} {0.1 60 6.0 40 20.0 100 22.0 10 40.0 5} { $ns at $time "$ftp producemore $packets" }
proc poll {} {
    global ns tcp
    foreach name {cwnd_ ssthresh_ t_seqno_ ack_ rbp_segs_actually_paced_ rbp_inter_pace_delay_} {
        lappend row [$tcp set $name]
    }
    puts "[$ns now] $row"
    $ns at [expr [$ns now] + 0.25] poll
}
$ns at 0.1 poll
$ns at 45.0 "$ns flush-trace; close $trace; exit 0"
$ns run
