# Two lossy flows into the file named by the argument, and nothing else: it can run many times in
# one directory, or on many threads of one process, whose output nobody can tell apart.
set ns [new Simulator]
set trace [open [lindex $argv 0] w]
$ns trace-all $trace
foreach i {0 1 2 3} { set n($i) [$ns node] }
$ns duplex-link $n(0) $n(2) 10Mb 2ms DropTail
$ns duplex-link $n(1) $n(2) 10Mb 2ms DropTail
$ns duplex-link $n(2) $n(3) 1.5Mb 10ms DropTail
$ns queue-limit $n(2) $n(3) 8
foreach {i kind} {0 TCP/Newreno 1 TCP/Vegas} {
    set tcp [$ns create-connection $kind $n($i) TCPSink $n(3) $i]
    $tcp set overhead_ 0.0005
    set ftp [$tcp attach-app FTP]
    $ns at 0.1 "$ftp start"
}
$ns at 20.0 "$ns flush-trace; close $trace; exit 0"
$ns run
