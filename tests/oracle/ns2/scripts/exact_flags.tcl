# Flags that ns-2 compares with 1: another number is read again, and counts as false (args: class of sender, variable, how).
lassign $argv kind flag how
if {$how eq "class"} { $kind set $flag 2 }
set ns [new Simulator]
foreach i {0 1 2} { set n$i [$ns node] }
$ns duplex-link $n0 $n1 10Mb 2ms DropTail
$ns duplex-link $n1 $n2 0.8Mb 20ms DropTail
$ns queue-limit $n1 $n2 8
set tcp [new $kind]
set sink [new [expr {$kind eq "Agent/TFRC" ? "Agent/TFRCSink" : "Agent/TCPSink/Sack1"}]]
$ns attach-agent $n0 $tcp
$ns attach-agent $n2 $sink
$ns connect $tcp $sink
if {$how eq "object"} { $tcp set $flag 3 }
puts [$tcp set $flag]
set trace [open out.tr w]
$ns trace-queue $n1 $n2 $trace
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 0.1 "$ftp start"
if {$how eq "late"} { $ns at 0.7 "$tcp set $flag -2" }
$ns at 1.5 "$tcp set $flag 1"
$ns at 2 "puts \[$tcp set $flag]; exit 0"
$ns run
