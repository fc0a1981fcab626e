# A NewReno sender that is reset in recovery: an ACK from before makes its window negative, and it goes on.
set ns [new Simulator]
set tf [open out.tr w]
set n0 [$ns node]
set n1 [$ns node]
set n2 [$ns node]
set n3 [$ns node]
set n4 [$ns node]
$ns duplex-link $n0 $n1 0.5Mb 250000u RED/RIO
$ns duplex-link $n1 $n2 10Mb 0.0001 DropTail
$ns duplex-link $n1 $n4 0.384M 2m RED
$ns duplex-link $n4 $n0 1Mb 30000u DRR
set tcp0 [new Agent/TCP]
set sink0 [new Agent/TCPSink/Sack1/DelAck]
set tcp1 [new Agent/TCP/Vegas/RBP]
set sink1 [new Agent/TCPSink/DelAck]
$ns attach-agent $n1 $tcp1
$ns attach-agent $n4 $sink1
$ns connect $tcp1 $sink1
set ftp1 [$tcp1 attach-source FTP]
set tcp2 [new Agent/TCP]
set sink2 [new Agent/TCPSink/DelAck]
set tcp3 [new Agent/TCP/Newreno]
set sink3 [new Agent/TCPSink/Sack1]
$ns attach-agent $n1 $tcp3
$ns attach-agent $n4 $sink3
$ns connect $tcp3 $sink3
$tcp3 set partial_window_deflation_ 0
$tcp3 set exit_recovery_fix_ 1
set ftp2 [$tcp3 attach-app FTP]
$ns at 0.12 [list $ftp2 start]
$ns at 3 "$tcp3 reset"
$ns at 1.218 "$tcp1 set window_ 3"
proc finish {} {
	global ns tf sink0 sink1 sink2 sink3 tcp0 tcp2
	exit 0
}
$ns at 5 "finish"
$ns run
