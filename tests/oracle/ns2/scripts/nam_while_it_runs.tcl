# What nam is told of nodes and links while the simulation runs, at times of which 15 and 17 digits differ.

set ns [new Simulator]
$ns namtrace-all [set nam [open out.nam w]]
set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b 1Mb 10ms DropTail
$ns duplex-link-op $a $b queuePos 0.5
set tcp [new Agent/TCP]
set sink [new Agent/TCPSink]
$ns attach-agent $a $tcp
$ns attach-agent $b $sink
$ns connect $tcp $sink

foreach time {0.2 0.3 0.7} color {red green blue} {
    foreach command {color label-color} { $ns at $time "$a $command $color" }
    $ns at $time "$a label at$time"
    $ns at $time "$a label-at up"
    $ns at $time "$a add-mark mark$time $color circle"
    foreach {operation value} [list color $color label at$time label-color $color label-at down] {
        $ns at $time "$ns duplex-link-op $a $b $operation $value"
    }
    $ns at $time "$ns trace-annotate {it is $time}"
}
$ns at 0.75 "$a delete-mark mark0.2"
$ns rtmodel-at 0.3 down $a $b
$ns rtmodel-at 0.7 up $a $b
$ns at 1.1 "$ns flush-trace; close $nam; exit 0"
$ns run
