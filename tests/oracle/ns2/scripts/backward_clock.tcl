# A sender whose clock runs backwards, and one that never sends.
#     backward_clock.tcl SENDER TICK
foreach {sender tick} $argv break
set ns [new Simulator]
$ns trace-all [open out.tr w]
foreach i {0 1} {set n($i) [$ns node]}
$ns duplex-link $n(0) $n(1) 0.3Mb 30ms DropTail
$ns queue-limit $n(0) $n(1) 6
set sink [expr {$sender eq "TCP/FullTcp" ? $sender : "TCPSink"}]
foreach name {sends silent} {
    foreach {one peer} [$ns create-connection-list $sender $n(0) $sink $n(1) 1] break
    $peer listen
    set tcp($name) $one
    $tcp($name) set tcpTick_ $tick
}
$ns at 0.1 "[$tcp(sends) attach-app FTP] start"
$ns at 6 {
    foreach name {sends silent} {
        foreach variable {rtt_ srtt_ rttvar_ cwnd_ t_seqno_ backoff_ nrexmit_} {
            puts "$name $variable [$tcp($name) set $variable]"
        }
    }
    $ns flush-trace
    exit 0
}
$ns run
