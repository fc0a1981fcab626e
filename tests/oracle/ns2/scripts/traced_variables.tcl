# Traced variables of a sender: into a file, through a Tcl procedure's own polling, and both.
set ns [new Simulator]
set file [open variables.tr w]
foreach i {0 1 2} { set n($i) [$ns node] }
$ns duplex-link $n(0) $n(1) 2Mb 4ms DropTail
$ns duplex-link $n(1) $n(2) 600kb 9ms DropTail
$ns queue-limit $n(1) $n(2) 6
set tcp [new Agent/TCP/Newreno]
$ns attach-agent $n(0) $tcp
set sink [new Agent/TCPSink]
$ns attach-agent $n(2) $sink
$ns connect $tcp $sink
$tcp attach-trace $file
foreach name {cwnd_ ssthresh_ t_seqno_ ack_ maxseq_ rtt_ srtt_ rttvar_ backoff_ dupacks_ ndatapack_ nrexmitpack_} {
    $tcp trace $name
}
set other [new Agent/TCP]
$ns attach-agent $n(0) $other
set far [new Agent/TCPSink/DelAck]
$ns attach-agent $n(2) $far
$ns connect $other $far
$other attach $file
$other tracevar cwnd_
set ftp [$tcp attach-app FTP]
set ftp2 [$other attach-app FTP]
$ns at 0.1 "$ftp start"
$ns at 0.7 "$ftp2 start"
$ns at 5.0 "$ns flush-trace; close $file; exit 0"
$ns run
