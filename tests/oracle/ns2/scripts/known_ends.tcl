# Nodes, agents, applications and queues as most are, named, asked, changed and taken away when they are many: by
# methods that the script replaces half-way, for one object or for all, by values in every spelling, by classes of its own.
set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right 2Mb 10ms DropTail

proc add {i kind sink} {
    global ns left right source target tcp end ftp
    set source($i) [$ns node]
    set target($i) [$ns node]
    $ns duplex-link $source($i) $left 10Mb 1ms DropTail
    $ns simplex-link $right $target($i) 10Mb 2ms DropTail
    $ns simplex-link $target($i) $right 10Mb 2ms DropTail
    set tcp($i) [new Agent/$kind]
    set end($i) [new Agent/$sink]
    $ns attach-agent $source($i) $tcp($i)
    $ns attach-agent $target($i) $end($i)
    puts "connected [expr {[$ns connect $tcp($i) $end($i)] eq $tcp($i)}]"
    set ftp($i) [new Application/FTP]
    puts "fed <[$ftp($i) attach-agent $tcp($i)]>"
    $ns at 0.$i "$ftp($i) start"
}

for {set i 1} {$i <= 4} {incr i} { add $i TCP TCPSink }

# Values in every spelling.
foreach text {12 010 0x1f -3 1e3 2.75 { 9} +8 7packets} {
    puts "window_ $text: <[$tcp(3) set window_ $text]> [$tcp(3) set window_]"
}
foreach text {12 010 -3 1e3 2.75 { 9} +8 .5 5. 1e-400} {
    puts "overhead_ $text: <[$tcp(3) set overhead_ $text]> [$tcp(3) set overhead_]"
}
$tcp(3) set window_ 20
$tcp(3) set overhead_ 0
puts "[$tcp(3) set cwnd_] [$tcp(3) set ssthresh_] [$tcp(3) set ack_] [$tcp(4) set t_seqno_] [$tcp(4) set rtt_]"
puts [catch {$tcp(4) set nobody_} message]
puts [string map [list $tcp(4) TCP] $message]
$tcp(4) set mine_ {a word}
puts "[$tcp(4) set mine_] [$tcp(4) info class] [$end(3) set agent_port_] [$end(3) set dst_addr_]"

# Queues and nodes.
set link [$ns link $source(3) $left]
set queue [$link queue]
$queue set limit_ 7
puts "[$queue set limit_] [$queue info class] [expr {[$link queue] eq $queue}] [expr {[$ns link $left $right] ne {}}]"
puts "[$source(3) id] [[$ns link $right $target(4)] dst] [$target(4) node-addr] [llength [$left neighbors]]"
puts "none: <[$ns link $source(1) $target(1)]> [expr {[$source(4) agent 0] eq $tcp(4)}] [$source(4) alloc-port [$ns nullagent]]"
puts "[expr {[$ns get-node-by-id [$target(3) id]] eq $target(3)}] [$ns get-number-of-nodes]"

# Handles in the order of things.
puts [list $left $right $source(1) $tcp(1) $end(4) $ftp(4) $link $queue [new Agent/TCP]]

# Methods for one object, and for all that are and will be.
$tcp(2) proc send {bytes} {
    puts "sends $bytes"
    $self cmd send $bytes
}
$ftp(1) proc start {} {
    puts "starts"
    $self next
}
Class Node/Own -superclass Node
Node/Own instproc attach {agent args} {
    puts "attach [$agent info class]"
    eval $self next $agent $args
}
Node/Own instproc add-neighbor {node args} {
    puts "neighbour of [$self id]: [$node id]"
    eval $self next $node $args
}
Simulator set node_factory_ Node/Own
add 5 TCP/Newreno TCPSink
Simulator set node_factory_ Node
add 6 TCP/Newreno TCPSink
Node instproc add-neighbor {node {pushback 0}} {
    $self instvar neighbor_
    puts "neighbour of [$self id]: [$node id]"
    lappend neighbor_ $node
}
Agent/TCP instproc reset {} {
    global ns
    puts "reset at [$ns now]"
    $self cmd reset
}
Agent/TCP instproc done {} {
    global ns
    puts "done at [$ns now]: [$self set ack_]"
}
Class Agent/TCP/Mine -superclass Agent/TCP/Newreno
Agent/TCP/Mine instproc send {bytes} {
    puts "mine sends $bytes"
    $self cmd send $bytes
}
for {set i 7} {$i <= 9} {incr i} { add $i [expr {$i % 2 ? "TCP/Mine" : "TCP/Newreno"}] TCPSink/DelAck }

# Values of classes in between.
Agent/TCP set window_ 5
add 10 TCP/Newreno TCPSink
add 11 TCP/Newreno TCPSink
puts "[$tcp(10) set window_] [$tcp(11) set window_] [$tcp(8) set window_]"
Node set multiPath_ 1
puts "[$target(11) set multiPath_] [[$ns node] set multiPath_]"
Node set multiPath_ 0
Link set nl_ 100
add 12 TCP/Newreno TCPSink
puts "[[$ns link $source(12) $left] id] [[$ns link $right $target(12)] id] [Link set nl_] [Node set nn_]"

# What is fed another way, and what goes.
set second [new Application/FTP]
$second attach-agent $tcp(12)
$ns at 0.05 "$second start"
puts [lsort [Application/FTP info instances]]
puts [llength [Agent/TCP/Newreno info instances]]
puts "[$ftp(12) agent] [$ftp(12) info class] [expr {[$second agent] eq [$ftp(12) agent]}]"

proc finish {} {
    global ns tcp end ftp
    foreach i [lsort -integer [array names tcp]] {
        puts "$i [$tcp($i) set ack_] [$tcp($i) set ndatapack_] [format %.4f [$tcp($i) set cwnd_]] [$tcp($i) set rtt_]"
    }
    exit 0
}
$ns at 1.5 "$ftp(3) stop"
$ns at 1.6 "$ftp(4) produce 30"
$ns at 2.0 finish
$ns run
