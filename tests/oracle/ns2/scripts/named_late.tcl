# What is made behind a script's back: links and their parts that are named late or never, the order in which they are
# told, class variables that count them, methods that the script writes once they are there.
Queue/DropTail set limit_ 7
set ns [new Simulator]
for {set i 0} {$i < 6} {incr i} { set n($i) [$ns node] }
for {set i 0} {$i < 5} {incr i} {
    $ns duplex-link $n($i) $n([expr {$i + 1}]) 1Mb [expr {$i + 1}]ms DropTail
    if {$i == 2} { Queue/DropTail set limit_ 9 }
}
puts "links [Link set nl_] nodes [Node set nn_]"
Link set nl_ 40
$ns simplex-link $n(0) $n(3) 2Mb 3ms DropTail
puts "id [[$ns link $n(0) $n(3)] id] then [Link set nl_]"
# In the order of handles, whatever was named first.
set last [$ns link $n(4) $n(5)]
set first [$ns link $n(0) $n(1)]
foreach link [list $last $first [$ns link $n(1) $n(0)]] {
    puts "$link [$link queue] [$link head] [$link link] [$link set ttl_] [$link set drophead_] [$link id]"
    puts "[[$link queue] set limit_] [[$link link] set delay_] [[$link link] set bandwidth_] [[$link head] set link_]"
    puts "[[$link src] id] [[$link dst] id] [[$link queue] info class] [$link info class] [[$link set ttl_] info class]"
}
puts [lsort [SimpleLink info instances]]
puts [lsort [DelayLink info instances]]
puts [lsort [TTLChecker info instances]]
puts "[$n(2) entry] [[$n(2) entry] info class] [$n(2) neighbors]"
puts [lsort [$ns all-links-list]]
puts [$ns all-links-list]
# A method that the script writes once links are there, and one that it writes for a class before more are made.
SimpleLink instproc cost? {} { return [expr {[[$self src] id] == 1 ? 5 : 1}] }
Node instproc add-neighbor {node args} { $self instvar seen_; lappend seen_ $node; eval $self next $node $args }
$ns duplex-link $n(5) $n(0) 1Mb 1ms DropTail
puts "seen [$n(5) set seen_] [$n(0) set seen_]"
DelayLink instproc init args { eval $self next $args; $self set own_ 1 }
$ns duplex-link $n(2) $n(4) 3Mb 1ms DropTail
puts "own [[[$ns link $n(2) $n(4)] link] set own_] [[[$ns link $n(2) $n(4)] link] set bandwidth_]"
proc look {} {
    global ns
    $ns instvar link_ Node_
    puts "[array size link_] [array names Node_] [array names link_]"
    set link_(3:0) $link_(3:2)
    unset link_(3:0)
    puts "[$ns info vars link_] [info exists link_(3:0)]"
}
look
# Names that are none: of no object, with a zero too many, with more digits than any number has, with half a character.
set number [string range [[$ns link $n(3) $n(4)] queue] 2 end]
foreach name [list _o0$number _o[string repeat 9 5000] _o _o0 _o-1 _o1x _o\ud800$number] {
    puts "$name: [catch {$name set limit_} answer] $answer"
}
set half \ud800
Class $half -superclass Agent/TCP
$half half$half
puts "[half$half info class] [half$half set window_] [$half info instances]"
half$half proc shout {} { puts "$self shouts" }
half$half shout
puts [list [catch {$ns attach-agent $half $half}] [catch {$ns connect $half $half}]]
half$half destroy
set tcp [new Agent/TCP]
set sink [new Agent/TCPSink]
$ns attach-agent $n(0) $tcp
$ns attach-agent $n(4) $sink
$ns connect $tcp $sink
puts "[$tcp set dst_addr_] [$tcp set dst_port_] [$sink set dst_addr_] [$sink set dst_port_]"
puts "[[$n(0) demux] info class] [$n(0) set agents_]"
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 0.1 "$ftp start"
$ns at 0.2 {puts "[$n(3) get-attribute COLOR] [[$ns link $n(3) $n(4)] get-attribute COLOR] [$n(3) set attr_(SHAPE)]"}
$ns at 0.25 {puts "[[$ns link $n(3) $n(2)] set attr_(QUEUE_POS)]."}
$ns at 1.0 {puts "[$tcp set ack_] [[$ns get-routelogic] lookup 1 3] [[$ns get-routelogic] lookup 0 4]"; exit 0}
$ns run
