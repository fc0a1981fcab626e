# One flow through a slow link with a short queue, so that it loses packets in slow start and after.
#     flow.tcl SENDER SINK [VARIABLE VALUE]...
# The variables are set on the sender; a name that begins with sink: is set on the sink.
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace

set n0 [$ns node]
set n1 [$ns node]
set n2 [$ns node]
$ns duplex-link $n0 $n1 4Mb 3ms DropTail
$ns duplex-link $n1 $n2 800kb 20ms DropTail
$ns queue-limit $n1 $n2 7

set tcp [new [lindex $argv 0]]
set sink [new [lindex $argv 1]]
foreach {name value} [lrange $argv 2 end] {
    if {[string match sink:* $name]} {
        $sink set [string range $name 5 end] $value
    } else {
        $tcp set $name $value
    }
}
$ns attach-agent $n0 $tcp
$ns attach-agent $n2 $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp

proc poll {} {
    global ns tcp
    foreach name {cwnd_ ssthresh_ t_seqno_ ack_ rtt_ srtt_ rttvar_ backoff_ dupacks_ ndatapack_ nrexmit_ nrexmitpack_} {
        lappend row [$tcp set $name]
    }
    puts "[$ns now] $row"
    $ns at [expr [$ns now] + 0.25] poll
}
proc finish {} {
    global ns trace
    $ns flush-trace
    close $trace
    exit 0
}
$ns at 0.1 "$ftp start"
$ns at 0.1 poll
$ns at 12.0 finish
$ns run
