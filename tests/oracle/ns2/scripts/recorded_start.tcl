# Where recorded traffic begins: a number drawn at each start, rounded.
ns-random [lindex $argv 0]
set ns [new Simulator]
set tf [open out.tr w]
$ns trace-all $tf
set n0 [$ns node]; set n1 [$ns node]
$ns duplex-link $n0 $n1 1Mb 10ms DropTail
set u [new Agent/UDP]; $ns attach-agent $n0 $u
set s [new Agent/Null]; $ns attach-agent $n1 $s; $ns connect $u $s
set fd [open t.bin w]; fconfigure $fd -translation binary
foreach {dt sz} {100000 100 200000 200 300000 300 400000 400} { puts -nonewline $fd [binary format II $dt $sz] }
close $fd
proc seeds {w} { global defaultRNG; puts "$w [$defaultRNG seed]" }
set tfile [new Tracefile]; seeds new; $tfile filename t.bin; seeds file
set a [new Application/Traffic/Trace]; seeds a; $a attach-tracefile $tfile; seeds attach; $a attach-agent $u; seeds agent
set b [new Application/Traffic/Trace]; $b attach-tracefile $tfile; seeds attachb; $b attach-agent $u
$ns at 1 "$a start; seeds start"
$ns at 1.7 "$a stop; seeds stop"
$ns at 2 "$a start; seeds start2"
$ns at 3 "$a attach-tracefile $tfile; seeds att2"
$ns at 4 "seeds 4; exit 0"
$ns run
