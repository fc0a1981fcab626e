# What a flow monitor's lines say of the kinds of packets.
set ns [new Simulator]
if {[lindex $argv 0] ne ""} {$ns rtproto [lindex $argv 0]}
set n0 [$ns node]; set n1 [$ns node]
$ns duplex-link $n0 $n1 1Mb 10ms DropTail
set fm [$ns makeflowmon Fid]
$ns attach-fmon [$ns link $n0 $n1] $fm
set fm2 [$ns makeflowmon Fid]
$ns attach-fmon [$ns link $n1 $n0] $fm2
set f [open fm.tr w]; $fm attach $f; $fm2 attach $f
set i 10
foreach {a b} {RAP RAP TFRC TFRCSink Ping Ping Message Message UDP Null TCP/FullTcp TCP/FullTcp MessagePassing MessagePassing} {
 set x [new Agent/$a]; set y [new Agent/$b]; $x set fid_ [incr i]; $y set fid_ $i
 $ns attach-agent $n0 $x; $ns attach-agent $n1 $y; $ns connect $x $y
 if {$a eq "TCP/FullTcp"} {$y listen}
 switch $a { RAP - TFRC {$ns at 0.1 "$x start"} Ping {$ns at 0.1 "$x send"} Message {$ns at 0.1 "$x send hello"} UDP {$ns at 0.1 "$x send 100"} MessagePassing {$ns at 0.1 "$x sendto 100 hi [$n1 node-addr] [$y set agent_port_]"} default {$ns at 0.1 "$x send 3000"} }
}
Agent/Ping instproc recv {a b} {}
Agent/MessagePassing instproc recv args {}
Agent/Message instproc handle args {}
foreach t {Exponential Pareto CBR} { set x [new Agent/UDP]; set y [new Agent/Null];  $x set fid_ [incr i];$ns attach-agent $n0 $x; $ns attach-agent $n1 $y; $ns connect $x $y
 set a [new Application/Traffic/$t]; $a attach-agent $x; $ns at 0.1 "$a start" }
set x [new Agent/TCP]; set y [new Agent/TCPSink];$x set fid_ [incr i];$ns attach-agent $n0 $x; $ns attach-agent $n1 $y; $ns connect $x $y
set a [new Application/Telnet]; $a attach-agent $x; $ns at 0.1 "$a start"
$ns at 3 "$fm dump; $fm2 dump; close $f; exit 0"
$ns run
