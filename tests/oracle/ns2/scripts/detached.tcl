# Agents that are taken off their node, or by another node, and what is traced of them; nam hears of an agent before it has a node.
set ns [new Simulator]
set tf [open out.tr w]; $ns trace-all $tf
set nf [open out.nam w]; $ns namtrace-all $nf
set n0 [$ns node]; set n1 [$ns node]; set n2 [$ns node]
$ns duplex-link $n0 $n1 1Mb 10ms DropTail
$ns duplex-link $n1 $n2 1Mb 10ms DropTail
set t [new Agent/TCP]; set s [new Agent/TCPSink]
$ns monitor-agent-trace $t
$ns add-agent-trace $t tcp
$ns attach-agent $n0 $t; $ns attach-agent $n2 $s; $ns connect $t $s
$t tracevar cwnd_
set f [$t attach-app FTP]
$ns at 0.1 "$f start"
set u [new Agent/UDP]; $ns attach-agent $n1 $u; set nl [new Agent/LossMonitor]; $ns attach-agent $n0 $nl; $ns connect $u $nl
$ns at 0.3 "$ns detach-agent $n1 $t"
$ns at 0.5 {puts "[$t set agent_addr_] [$t set agent_port_] <[$t set node_]> [$n0 agent 0] [$n1 agent 0]"}
$ns at 0.6 "$u send 100"
$ns at 0.7 "$ns detach-agent $n2 $u"
$ns at 0.71 "$u send 100"
$ns at 1.0 "$ns detach-agent $n2 $s"
$ns at 2 "exit 0"
$ns run
