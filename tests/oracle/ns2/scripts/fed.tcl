# A packet reaches a datagram agent to which an application is attached: ns-2 ends there, with status 1.
set ns [new Simulator]
set f [open out.tr w]
$ns trace-all $f
set n0 [$ns node]
set n1 [$ns node]
$ns duplex-link $n0 $n1 1Mb 10ms DropTail
set a [new Agent/UDP]
$ns attach-agent $n0 $a
set b [new Agent/UDP]
$ns attach-agent $n1 $b
$ns connect $a $b
set source [new Application/Traffic/CBR]
$source attach-agent $a
set attached [new [lindex $argv 0]]
$ns at [lindex $argv 1] "$attached attach-agent $b"
$ns at 0.8 "$source start"
$ns at 0.805 "puts {at 0.805}"
$ns at 2.0 "puts {at 2}; $ns flush-trace; close $f; exit 0"
$ns run
