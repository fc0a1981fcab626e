# A receiver that reports duplicates, with room for so many SACK blocks (args: blocks, class of receiver): ns-2 says when
# there is no room for another.
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
foreach i {0 1 2} { set n$i [$ns node] }
$ns duplex-link $n0 $n1 10Mb 2ms DropTail
$ns duplex-link $n1 $n2 0.8Mb 20ms DropTail
$ns queue-limit $n1 $n2 5
set tcp [new Agent/TCP]
set sink [new [lindex $argv 1]]
$sink set maxSackBlocks_ [lindex $argv 0]
$sink set generateDSacks_ true
$ns attach-agent $n0 $tcp
$ns attach-agent $n2 $sink
$ns connect $tcp $sink
set ftp [$tcp attach-app FTP]
$ns at 0.1 "$ftp start"
$ns at 3 {puts "[$tcp set ack_] [$ns now]"; exit 0}
$ns run
