# A script's own procedure, with the name of a command that the library may use: it is the script's alone.
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
set n0 [$ns node]
set n1 [$ns node]
set name [lindex $argv 0]
proc $name {args} { puts "mine $args"; return 7 }
$ns duplex-link $n0 $n1 1Mb 10ms DropTail
set tcp [new Agent/TCP]
$ns attach-agent $n0 $tcp
set sink [new Agent/TCPSink]
$ns attach-agent $n1 $sink
$ns connect $tcp $sink
set ftp [$tcp attach-app FTP]
$tcp attach $trace
$tcp trace cwnd_
Class Mine -superclass Agent/UDP
Mine instproc init {} { $self next; $self instvar fid_ other; set fid_ 3; set other 4 }
set udp [new Mine]
puts [$udp set fid_]
set monitor [$ns monitor-queue $n0 $n1 0]
$ns at 0.1 "$ftp start"
$ns at 0.2 "$name 3"
$ns at 0.5 {$ns flush-trace; puts [$tcp set cwnd_]; puts [$monitor set pdepartures_]; puts [file size out.tr]; exit 0}
$ns run
