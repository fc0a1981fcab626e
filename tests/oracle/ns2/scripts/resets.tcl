# A script's own reset of queues is called for each queue that ns-2 resets, those in others too, and each of them can be
# reset by itself.
Queue/DropTail instproc reset {} { puts "reset [$self info class]"; $self next }
Queue/RED instproc reset {} { puts "reset RED"; $self next }
Queue/RED instproc link link { puts "link [$link info class]"; $self next $link }
set ns [new Simulator]
foreach i {0 1 2 3} { set n$i [$ns node] }
$ns duplex-link $n0 $n1 2Mb 10ms XCP
$ns duplex-link $n1 $n2 2Mb 10ms RED
$ns simplex-link $n0 $n3 2Mb 10ms CBQ
$ns simplex-link $n3 $n0 2Mb 10ms DropTail
$ns queue-limit $n0 $n1 10
set queue [[$ns link $n0 $n1] queue]
$queue set-link-capacity 2e6
[[$ns link $n1 $n0] queue] set-link-capacity 2e6
set top [new CBQClass]
$top setparams none 0 0.98 auto 8 2 0
set all [new CBQClass]
$all setparams $top true 0.5 auto 1 1 0
set within [new Queue/DropTail]
$within set limit_ 20
$all install-queue $within
[$ns link $n0 $n3] insert $top
[$ns link $n0 $n3] insert $all
[$ns link $n0 $n3] bind $all 0 3
set trace [open out.tr w]
$ns trace-queue $n0 $n1 $trace
$ns trace-queue $n0 $n3 $trace
foreach to {2 3} {
    set tcp [$ns create-connection TCP/Newreno $n0 TCPSink [set n$to] 1]
    set ftp [$tcp attach-app FTP]
    $ns at 0 "$ftp start"
}
foreach part {0 1 2} {
    $ns at [expr 1 + $part] "puts $part; [$queue set vq_($part)] reset; puts \[[$queue set vq_($part)] set limit_]"
}
$ns at 1.203 "puts class; $within reset"
$ns at 4 "$queue reset"
$ns at 5 "exit 0"
$ns run
