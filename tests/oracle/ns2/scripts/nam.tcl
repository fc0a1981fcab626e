# Everything that dresses up a nam trace.
set ns [new Simulator]
set nam [open out.nam w]
$ns namtrace-all $nam
$ns color 1 Blue
$ns color 2 Red
$ns color 40 #00ff00
foreach i {0 1 2 3} { set n($i) [$ns node] }
$n(0) label "source one"
$n(1) label source2
$n(0) color red
$n(1) shape box
$n(3) shape hexagon
$ns duplex-link $n(0) $n(2) 2Mb 10ms DropTail
$ns duplex-link $n(1) $n(2) 2Mb 10ms DropTail
$ns duplex-link $n(2) $n(3) 1.7Mb 20ms DropTail
$ns queue-limit $n(2) $n(3) 6
$ns duplex-link-op $n(0) $n(2) orient right-down
$ns duplex-link-op $n(1) $n(2) orient right-up
$ns duplex-link-op $n(2) $n(3) orient right
$ns duplex-link-op $n(2) $n(3) queuePos 0.5
$ns duplex-link-op $n(2) $n(3) color green
$ns duplex-link-op $n(2) $n(3) label "bottle neck"
$ns simplex-link-op $n(0) $n(2) queuePos 1.5

set tcp [new Agent/TCP]
$tcp set class_ 2
$ns attach-agent $n(0) $tcp
set sink [new Agent/TCPSink]
$ns attach-agent $n(3) $sink
$ns connect $tcp $sink
$tcp set fid_ 1
set ftp [new Application/FTP]
$ftp attach-agent $tcp
set udp [new Agent/UDP]
$ns attach-agent $n(1) $udp
set null [new Agent/Null]
$ns attach-agent $n(3) $null
$ns connect $udp $null
$udp set fid_ 2
set cbr [new Application/Traffic/CBR]
$cbr attach-agent $udp
$cbr set packetSize_ 1000
$cbr set rate_ 1mb

$ns at 0.1 "$cbr start"
$ns at 0.5 "$ns trace-annotate {the file begins}"
$ns at 0.5 "$ftp start"
$ns at 1.0 "$n(2) color blue"
$ns at 1.2 "$n(0) label renamed"
$ns at 1.5 "$ns detach-agent $n(0) $tcp ; $ns detach-agent $n(3) $sink"
$ns at 2.0 "$cbr stop"
$ns at 2.5 "$ns flush-trace; close $nam; exit 0"
$ns run
