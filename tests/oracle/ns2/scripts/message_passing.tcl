# Agents that pass words to any node: to the peer, to a node's port, to their own port there, too long ones, and a flood.

set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
for {set i 0} {$i < 6} {incr i} {
    set n($i) [$ns node]
    set a($i) [new Agent/MessagePassing]
    $n($i) attach $a($i) 42
}
foreach {from to} {0 1  1 2  2 3  3 0  3 4  4 5} {
    $ns duplex-link $n($from) $n($to) 1Mb 10ms DropTail
}
puts "[$a(0) set packetSize_] [$a(0) set agent_port_]"
Agent/MessagePassing instproc recv {source port size words} {
    global ns
    $self instvar node_ seen
    puts "[format %.6f [$ns now]] [$node_ id] from $source.$port: $size {$words}"
    if {[string match flood* $words] && ![info exists seen]} {
        set seen 1
        foreach near [$node_ neighbors] {
            if {[$near id] != $source} {
                $self sendto $size $words [$near node-addr] $port
            }
        }
    }
}
set lone [new Agent/MessagePassing]
$ns attach-agent $n(5) $lone
$ns connect $a(0) $a(2)
$a(4) set fid_ 7
$ns at 0.1 "$a(0) send 500 {to the peer}"
$ns at 0.2 "$a(4) sendto 100 {words {in braces} and more} 1 42"
$ns at 0.3 "$a(4) sendto 1500 {as long as may be} 1 0"
$ns at 0.35 "$a(4) sendto 10 {} 3 42"
$ns at 0.4 "$a(1) sendto 60 {to another port} 5 [$lone set agent_port_]"
$ns at 0.45 "$a(1) set packetSize_ 50; $a(1) sendto 60 {too long} 5 42; $a(1) sendto 50 {just so} 5 42"
$ns at 0.5 "$a(5) sendto 200 {flood: everywhere} 4 42"
$ns at 2.0 "close $trace; exit 0"
$ns run
