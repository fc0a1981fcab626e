# Messages over links whose traces a command gets: the line of an arrival comes before its message.
set ns [new Simulator]
proc line args { puts $args }
foreach i {0 1} { set n$i [$ns node] }
$ns duplex-link $n0 $n1 1Mb 10ms DropTail
[$ns link $n0 $n1] trace-callback $ns line
[$ns link $n1 $n0] trace-callback $ns line
Agent/MessagePassing instproc recv {source port size words} {
    global ns
    puts "[$ns now] $source $port $size $words"
    if {$words eq "question"} { $self sendto 50 answer $source $port }
}
Agent/UDP instproc process_data {from words} { global ns; puts "[$ns now] $from $words" }
Agent/Ping instproc recv {from ms} { global ns; puts "[$ns now] $from $ms" }
foreach {kind words} {Agent/MessagePassing {send 80 question} Agent/UDP {send 200 text} Agent/Ping send} {
    set from [new $kind]
    set to [new $kind]
    $ns attach-agent $n0 $from
    $ns attach-agent $n1 $to
    $ns connect $from $to
    foreach time {0.1 0.1 0.3} { $ns at $time "$from $words" }
}
$ns at 1 "exit 0"
$ns run
