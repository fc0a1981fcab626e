# A sender is given a window or threshold below zero, or a number that makes one, before it starts or while it sends
# (args: class of sender, variable, value, when). ns-2 computes with it.
set kind [lindex $argv 0]
set ns [new Simulator]
foreach i {0 1 2} { set n$i [$ns node] }
$ns duplex-link $n0 $n1 10Mb 2ms DropTail
$ns duplex-link $n1 $n2 0.8Mb 20ms DropTail
$ns queue-limit $n1 $n2 8
set full [string match *FullTcp* $kind]
set tcp [new $kind]
set sink [new [expr {$full ? $kind : "Agent/TCPSink"}]]
$ns attach-agent $n0 $tcp
$ns attach-agent $n2 $sink
$ns connect $tcp $sink
if $full { $sink listen }
set trace [open out.tr w]
$ns trace-queue $n1 $n2 $trace
set changes [open changes.tr w]
$tcp attach $changes
$tcp trace cwnd_
$tcp trace ssthresh_
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 0.1 "$ftp start"
$ns at [lindex $argv 3] "$tcp set [lindex $argv 1] [lindex $argv 2]"
$ns at 1.2 "$tcp reset"
$ns at 2 {
    puts "[$tcp set cwnd_] [$tcp set ssthresh_] [$tcp set window_] [$tcp set t_seqno_] [$tcp set ack_]"
    exit 0
}
$ns run
