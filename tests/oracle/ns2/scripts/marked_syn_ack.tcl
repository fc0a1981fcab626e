# A SYN/ACK that is marked on its way: what the end that sent it does then, with bytes to send in both directions.
#     marked_syn_ack.tcl ECN_SYN_WAIT MINRTO
lassign $argv wait minrto
Trace set show_tcphdr_ 1
Agent/TCP set ecn_ 1
Agent/TCP set minrto_ $minrto
Agent/TCP/FullTcp set ecn_syn_ true
Agent/TCP/FullTcp set ecn_syn_wait_ $wait
Queue/RED set setbit_ true
set ns [new Simulator]
$ns trace-all [open out.tr w]
set n0 [$ns node]
set n1 [$ns node]
set n2 [$ns node]
$ns duplex-link $n0 $n1 10Mb 2ms DropTail
$ns duplex-link $n1 $n2 1.5Mb 20ms RED
set module [new ErrorModule Fid]
set errors [new ErrorModel/List]
$errors unit pkt
$errors droplist {0}
$errors set markecn_ true
[$ns link $n2 $n1] errormodule $module
$module insert $errors
$module bind $errors 3
$module default pass
set here [new Agent/TCP/FullTcp/Sack]
set there [new Agent/TCP/FullTcp/Sack]
$ns attach-agent $n0 $here
$ns attach-agent $n2 $there
$here set fid_ 3
$there set fid_ 3
$ns connect $here $there
$there listen
$ns at 0.00 "$here advance-bytes 2500"
$ns at 0.03 "$there advance-bytes 12000"
$ns at 4.0 "exit 0"
$ns run
