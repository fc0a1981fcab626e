# Four flows over one narrow link: three TCP flavours and a constant rate. 162 s are over a million lines.
set ns [new Simulator]
set file [open [lindex $argv 0] w]
$ns trace-all $file

foreach i {0 1 2 3 4 5} { set n($i) [$ns node] }
foreach {from to rate delay} {0 2 10Mb 2ms  1 2 10Mb 3ms  2 3 3Mb 20ms  3 4 10Mb 4ms  3 5 10Mb 5ms} {
    $ns duplex-link $n($from) $n($to) $rate $delay DropTail
}
$ns queue-limit $n(2) $n(3) 20

set flow 0
foreach {from to sender receiver} {
    0 4 TCP/Reno TCPSink  1 5 TCP/Sack1 TCPSink/Sack1  0 5 TCP/Newreno TCPSink
} {
    set tcp [new Agent/$sender]
    $tcp set window_ 40
    $tcp set fid_ [incr flow]
    set sink [new Agent/$receiver]
    $ns attach-agent $n($from) $tcp
    $ns attach-agent $n($to) $sink
    $ns connect $tcp $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at [expr $flow * 0.1] "$ftp start"
}

set udp [new Agent/UDP]
$udp set fid_ 9
set null [new Agent/Null]
$ns attach-agent $n(1) $udp
$ns attach-agent $n(4) $null
$ns connect $udp $null
set cbr [new Application/Traffic/CBR]
$cbr set rate_ 200kb
$cbr set packetSize_ 500
$cbr attach-agent $udp
$ns at 1.0 "$cbr start"

proc finish {} {
    global ns file
    $ns flush-trace
    close $file
    exit 0
}
$ns at [lindex $argv 1] finish
$ns run
