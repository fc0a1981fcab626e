# A two-way connection through a slow link with a short queue: bytes in both directions, several messages, the end.
#     full.tcl VARIANT [VARIABLE VALUE]...
# VARIANT is what follows Agent/TCP/FullTcp. The variables are set on both ends.
set variant [lindex $argv 0]
Trace set show_tcphdr_ 1
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
set n0 [$ns node]
set n1 [$ns node]
set n2 [$ns node]
$ns duplex-link $n0 $n1 4Mb 3ms DropTail
if {[lsearch $argv ecn_] >= 0} {
    Queue/RED set setbit_ true
    $ns duplex-link $n1 $n2 800kb 20ms RED
} else {
    $ns duplex-link $n1 $n2 800kb 20ms DropTail
}
$ns queue-limit $n1 $n2 7

set here [new Agent/TCP/FullTcp$variant]
set there [new Agent/TCP/FullTcp$variant]
foreach {name value} [lrange $argv 1 end] {
    $here set $name $value
    $there set $name $value
}
$ns attach-agent $n0 $here
$ns attach-agent $n2 $there
$ns connect $here $there
$here set fid_ 5
$there listen
$here set window_ 30
$here proc done {} {puts "here done [[Simulator instance] now]"}
$there proc done {} {puts "there done [[Simulator instance] now]"}
$here proc done_data {} {puts "here empty"}

proc poll {} {
    global ns here there
    foreach name {cwnd_ ssthresh_ t_seqno_ ack_ rtt_ srtt_ rttvar_ backoff_ dupacks_ ndatapack_ nackpack_ nrexmitpack_
                  maxseq_ packetSize_ segsize_ close_on_empty_ reno_fastrecov_ pipectrl_} {
        lappend row [$here set $name]
    }
    puts "[$ns now] $row [$there set t_seqno_] [$there set ack_]"
    $ns at [expr [$ns now] + 0.5] poll
}
proc finish {} {
    global ns trace
    $ns flush-trace
    close $trace
    exit 0
}
$ns at 0.1 poll
$ns at 0.1 "$here sendmsg 120000 DAT_EOF"
$ns at 0.9 "$there sendmsg 30001 x"
$ns at 2.5 "$here advance 40"
$ns at 4.0 "$there advance-bytes 700"
$ns at 4.5 "$here send 5000"
$ns at 6.0 "$here sendmsg 80000 MSG_EOF"
$ns at 12.0 "$there close"
$ns at 14.0 "$here listen"
$ns at 14.5 "$there sendmsg -1 x"
$ns at 18.0 "$there close"
$ns at 20.0 finish
$ns run
