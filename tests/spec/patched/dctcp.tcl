# What scripts for the DCTCP patch of ns-2 set, with their constants: two senders, a RED queue that marks from 20 packets on.
# Arguments: segments to an ACK, sender.
lassign $argv ratio sender

Agent/TCP set ecn_ 1
Agent/TCP set old_ecn_ 1
Agent/TCP set packetSize_ 1460
Agent/TCP/FullTcp set segsize_ 1460
Agent/TCP set window_ 1256
Agent/TCP set slow_start_restart_ false
Agent/TCP set tcpTick_ 0.01
Agent/TCP set minrto_ 0.2
Agent/TCP set windowOption_ 0
Agent/TCP set dctcp_ true
Agent/TCP set dctcp_g_ 0.0625
Agent/TCP/FullTcp set segsperack_ $ratio
Agent/TCP/FullTcp set spa_thresh_ 3000
Agent/TCP/FullTcp set interval_ 0.04
Queue set limit_ 1000
Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ true
Queue/RED set mean_pktsize_ 1460
Queue/RED set setbit_ true
Queue/RED set gentle_ false
Queue/RED set q_weight_ 1.0
Queue/RED set mark_p_ 1.0
Queue/RED set thresh_ 20
Queue/RED set maxthresh_ 20
DelayLink set avoidReordering_ true
Trace set show_tcphdr_ 1

set ns [new Simulator]
$ns trace-all [open out.tr w]
set router [$ns node]
set receiver [$ns node]
$ns simplex-link $router $receiver 100Mb 0.5ms RED
$ns simplex-link $receiver $router 100Mb 0.5ms DropTail
set watched [open out.var w]
for {set i 0} {$i < 2} {incr i} {
    set host [$ns node]
    $ns duplex-link $host $router 1000Mb 0.25ms DropTail
    set tcp($i) [new $sender]
    set sink [new $sender]
    $ns attach-agent $host $tcp($i)
    $ns attach-agent $receiver $sink
    $tcp($i) set fid_ $i
    $sink set fid_ $i
    $ns connect $tcp($i) $sink
    $sink listen
    $tcp($i) attach $watched
    $tcp($i) trace cwnd_
    set ftp [$tcp($i) attach-app FTP]
    $ns at [expr 0.0005 * $i] "$ftp start"
}
proc finish {} {
    global ns tcp
    $ns flush-trace
    foreach i {0 1} {
        puts "$i [$tcp($i) set dctcp_alpha_] [$tcp($i) set necnresponses_]"
    }
    exit 0
}
$ns at 0.5 finish
$ns run
