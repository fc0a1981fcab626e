# Two sources that share a recording, made here: microseconds and bytes.
set file [open traffic.bin w]
fconfigure $file -translation binary
foreach {wait size} {1000 100 2500 1500 700 40 12000 800 3000 2300 900 64} {
    puts -nonewline $file [binary format II $wait $size]
}
close $file
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b 1Mb 5ms DropTail
$ns queue-limit $a $b 3
set recording [new Tracefile]
$recording filename traffic.bin
foreach {kind fid start stop} {Application/Traffic/Trace 1 0.1 0.3 Traffic/Trace 2 0.15 0.5} {
    set udp [$ns create-connection UDP $a Null $b $fid]
    set source [new $kind]
    $source attach-tracefile $recording
    $source attach-agent $udp
    $ns at $start "$source start"
    $ns at $stop "$source stop"
}
$ns at 0.6 "$ns flush-trace; close $trace; exit 0"
$ns run
