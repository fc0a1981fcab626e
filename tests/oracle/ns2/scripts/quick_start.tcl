# Flows that ask routers for a rate to begin with, over two slow links, one of which has a short queue, beside a TCP flow.
#     quick_start.tcl SENDER SINK [VARIABLE VALUE]...
# The variables are class variables of the senders; with router: before the name, of the routers' agents, with queue: of the
# queues.
Agent/TCP set qs_enabled_ true
Agent/TCPSink set qs_enabled_ true
foreach {name value} [lrange $argv 2 end] {
    switch -glob $name {
        router:* { Agent/QSAgent set [string range $name 7 end] $value }
        queue:* { Queue set [string range $name 6 end] $value }
        default { Agent/TCP set $name $value }
    }
}
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
$ns node-config -QS ON
foreach name {s1 s2 r1 r2 r3 d1 d2} { set $name [$ns node] }
foreach {a b delay} {s1 r1 2ms s2 r1 3ms r3 d1 4ms r3 d2 5ms} { $ns duplex-link [set $a] [set $b] 100Mb $delay DropTail }
$ns duplex-link $r1 $r2 20Mb 40ms RED
$ns duplex-link $r2 $r3 4Mb 60ms DropTail
$ns queue-limit $r2 $r3 6

set tcp [$ns create-connection TCP/Newreno $s1 TCPSink $d1 0]
$tcp set window_ 30
set ftp [$tcp attach-app FTP]
$ns at 0.0 "$ftp start"
foreach {fid start packets} {1 1.0 200 2 2.5 300 3 2.6 100 4 4.0 3} {
    set flow($fid) [$ns create-connection [lindex $argv 0] $s2 [lindex $argv 1] $d2 $fid]
    $flow($fid) set window_ 1000
    $flow($fid) set rate_request_ 700
    set source [new Application/FTP]
    $source attach-agent $flow($fid)
    $ns at $start "$source produce $packets"
}
proc poll {} {
    global ns flow monitor
    foreach fid {1 2 3 4} { lappend row [$flow($fid) set cwnd_] [$flow($fid) set ack_] }
    foreach name {qs_pkts_ qs_bytes_ qs_drops_} { lappend row [$monitor set $name] }
    puts "[$ns now] $row"
    $ns at [expr [$ns now] + 0.25] poll
}
set monitor [$ns monitor-queue $r2 $r3 ""]
$ns at 1.0 poll
$ns at 8.0 "$ns flush-trace; close $trace; exit 0"
$ns run
