# A source over TCP, which traces as its own kind: the source, the sender, the sink.
lassign $argv kind sender receiver
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
set nam [open out.nam w]
$ns namtrace-all $nam
set n0 [$ns node]
set n1 [$ns node]
$ns duplex-link $n0 $n1 1Mb 10ms DropTail
set tcp [new Agent/$sender]
set sink [new Agent/$receiver]
$ns attach-agent $n0 $tcp
$ns attach-agent $n1 $sink
$ns connect $tcp $sink
if {$receiver eq $sender} { $sink listen }
set source [new Application/$kind]
$source attach-agent $tcp
$ns at 0.1 "$source start"
$ns at 3 "exit 0"
$ns run
