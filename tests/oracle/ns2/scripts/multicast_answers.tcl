# multicast_answers.tcl PROTOCOL ?SIZE?
#
# Several packets for groups at one instant: two sources that one command starts, datagrams cut into several packets
# (of SIZE bytes), and members that answer the group from where they stand in the sender's own command.
lassign $argv protocol size
set ns [new Simulator -multicast on]
set tr [open out.tr w]
$ns trace-all $tr
for {set i 0} {$i < 5} {incr i} {
    set n($i) [$ns node]
}
foreach {a b} {0 1 1 2 2 3 2 4} {
    $ns duplex-link $n($a) $n($b) 1Mb 10ms DropTail
}
set first [Node allocaddr]
set second [Node allocaddr]
set third [Node allocaddr]
$ns mrtproto $protocol

foreach {source group} [list 0 $first 1 $second 3 $first] {
    set udp($source) [new Agent/UDP]
    $ns attach-agent $n($source) $udp($source)
    $udp($source) set dst_addr_ $group
    $udp($source) set dst_port_ 0
    $udp($source) set fid_ $source
    $udp($source) set packetSize_ 500
    set cbr($source) [new Application/Traffic/CBR]
    $cbr($source) attach-agent $udp($source)
    $cbr($source) set packetSize_ $size
    $cbr($source) set interval_ 0.02
}
$ns at 0.3 "$cbr(0) start; $cbr(1) start; $cbr(3) start"
foreach k {2 4} {
    set sink [new Agent/LossMonitor]
    lappend sinks $sink
    $ns attach-agent $n($k) $sink
    $ns at 0.$k "$n($k) join-group $sink $first; $n($k) join-group $sink $second"
    $ns at 0.9$k "$n($k) leave-group $sink $first"
}

Agent/Message instproc recv words {
    global ns
    $self instvar node_ answers_
    incr answers_
    puts "[$ns now] [$node_ id] got $words"
    if {$answers_ < 4} {
        $self send "re$answers_ $words"
    }
}
foreach k {0 2 3 4} {
    set message($k) [new Agent/Message]
    $message($k) set answers_ 0
    $ns attach-agent $n($k) $message($k)
    $message($k) set dst_addr_ $third
    $message($k) set dst_port_ 0
    $ns at 0.1$k "$n($k) join-group $message($k) $third"
}
$ns at 0.5 "$message(0) send hello; $message(3) send hi"
$ns at 0.55 "$message(2) send a; $message(2) send b; $udp(1) send 100; $message(4) send c"
$ns at 1.0 {
    $ns flush-trace
    foreach sink $sinks {
        puts "[$sink set npkts_] [$sink set bytes_] [$sink set nlost_]"
    }
    exit 0
}
$ns run
