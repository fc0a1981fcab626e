# NewReno with newreno_changes_: every other duplicate ACK sends a new packet, even past the window.
Agent/TCP set windowInit_ 10
Agent/TCP set numdupacksFrac_ -1
Queue/RED set cautious_ 1
set ns [new Simulator]
set n(0) [$ns node]
set n(1) [$ns node]
set n(2) [$ns node]
set n(3) [$ns node]
set n(4) [$ns node]
$ns duplex-link $n(0) $n(1) 9.71668Mb 0ms DropTail
$ns duplex-link $n(0) $n(2) 8.92099Mb 0.01s DropTail
$ns duplex-link $n(0) $n(3) 2.29937Mb 50m DropTail
$ns duplex-link $n(0) $n(4) 1Mb 5ms RED
set n(5) [$ns node]
set n(6) [$ns node]
set lan0 [$ns newLan "$n(3) $n(5) $n(6)" 2Mb 0.1ms -llType LL -ifqType Queue/DropTail -macType Mac/802_3 -chanType Channel]
$ns queue-limit $n(0) $n(1) 1
set q0 [[$ns link $n(1) $n(0)] queue]
$q0 set mean_pktsize_ 1000
$q0 set limit_ 010
$q0 set summarystats_ 1
$q0 set drop_front_ 1
$ns queue-limit $n(0) $n(2) 10
$ns queue-limit $n(0) $n(3) 10
$ns queue-limit $n(0) $n(4) 15
set q1 [[$ns link $n(0) $n(4)] queue]
$q1 set ave_ 0
$q1 set mean_pktsize_ 1000
set q2 [[$ns link $n(4) $n(0)] queue]
$q2 set maxthresh_queue_ 15
$q2 set setbit_ t
$q2 set curq_ 0
$q2 set alpha_ 0.01
set em0 [new ErrorModel/List]
$em0 droplist {1 53 70 79 100 112 126 147}
[$ns link $n(0) $n(3)] insert-linkloss $em0
set rv0 [new RandomVariable/Exponential]
set rv1 [new RandomVariable/Exponential]
set em1 [new ErrorModel/TwoState $rv0 $rv1 time]
$em1 drop-target [new Agent/Null]
$ns lossmodel $em1 $n(0) $n(1)
set tcp0 [new Agent/TCP/RFC793edu]
$tcp0 set tcpTick_ 0.5
$tcp0 set cwnd_ 10
$tcp0 set l_parameter_ 0
$tcp0 set rto_ 1
$tcp0 set add793exponinc_ false
$tcp0 set add793slowstart_ false
set sink0 [new Agent/TCPSink/DelAck]
$ns attach-agent $n(1) $tcp0
$ns attach-agent $n(4) $sink0
$ns connect $tcp0 $sink0
set ftp0 [new Application/FTP]
$ftp0 attach-agent $tcp0
$ns at 0.0 "$ftp0 start"
set tcp1 [new Agent/TCP/Newreno]
$tcp1 set rfc2988_ 0
$tcp1 set newreno_changes_ 1
$tcp1 set partial_window_deflation_ 1
set sink1 [new Agent/TCPSink/Sack1/DelAck]
$ns attach-agent $n(4) $tcp1
$ns attach-agent $n(2) $sink1
$ns connect $tcp1 $sink1
$sink1 set ts_echo_bugfix_ 0
set jit [new RandomVariable/Uniform]
set ftp1 [$tcp1 attach-source FTP]
$ns at [$jit value] "$ftp1 start"
set fm [$ns makeflowmon SrcDestFid 31]
set flink [$ns link $n(2) $n(0)]
$ns attach-fmon $flink $fm 0
set fmf [open fm.tr w]
$fm attach $fmf
$ns at 3 "$fm dump"
$ns at 3.5 "$fm dump"
set file0 [open rec.tr w]
proc record {} {
	global ns sink0 file0
	set time 0.1
	set now [$ns now]
	$sink0 instvar bytes_
	puts $file0 "$now $bytes_"
	if {$now < 4} { $ns at [expr $now+$time] "record" }
}
$ns at 0.5 "record"
$ns at 4.053 "Application/Traffic/CBR set rate_ 1kb"
proc tick0 {k {step 0.3}} { global ns; puts "tick $k [format %.2f [$ns now]]"; if {$k > 0} { $ns at [expr [$ns now]+$step] "tick0 [expr $k-1] $step" } }
$ns at 0.884178 "tick0 1"
puts [$n(2) node-addr]
$ns at 4.955 "$n(5) label-at up"
puts [$n(5) id]
proc finish {} {
	global ns fmf file0 fm sink0 sink1 tcp0
	$ns flush-trace
	puts "sink0 [$sink0 set bytes_]"
	puts "tcp0 rttvar_ [$tcp0 set rttvar_]"
	puts "tcp0 t_seqno_ [$tcp0 set t_seqno_]"
	puts "tcp0 ssthresh_ [$tcp0 set ssthresh_]"
	puts "sink1 [$sink1 set bytes_]"
	foreach fl [$fm flows] { puts "flow [$fl set flowid_] [$fl set src_] [$fl set dst_] [$fl set parrivals_] [$fl set pdrops_] [$fl set bdepartures_] [$fl set epdrops_]" }
	puts "fm bdepartures_ [$fm set bdepartures_]"
	puts "fm pdrops_ [$fm set pdrops_]"
	puts "fm parrivals_ [$fm set parrivals_]"
	close $fmf
	close $file0
	exit 0
}
$ns at 5 "finish"
$ns run
