# Link-state routing: a mesh whose links fail and recover, once with equally short paths shared.
# Argument: multiPath_.
set ns [new Simulator]
$ns rtproto LS
set trace [open out.tr w]
$ns trace-all $trace
set nam [open out.nam w]
$ns namtrace-all $nam
Node set multiPath_ [lindex $argv 0]
for {set i 0} {$i < 7} {incr i} { set n($i) [$ns node] }
foreach {a b} {0 1 1 2 2 3 3 4 4 5 5 0 1 4 6 0 6 3} {
    $ns duplex-link $n($a) $n($b) 1Mb 10ms DropTail
}
$ns cost $n(1) $n(4) 2
$ns cost $n(4) $n(1) 2
set tcp [$ns create-connection TCP $n(0) TCPSink $n(3) 1]
set ftp [$tcp attach-app FTP]
set udp [$ns create-connection UDP $n(2) Null $n(5) 2]
set cbr [new Application/Traffic/CBR]
$cbr attach-agent $udp
$ns at 0.2 "$ftp start"
$ns at 0.7 "$cbr start"
$ns rtmodel-at 1.0 down $n(0) $n(1)
$ns rtmodel-at 1.2 down $n(2) $n(3)
$ns rtmodel-at 1.5 up $n(0) $n(1)
$ns rtmodel-at 1.8 up $n(2) $n(3)
$ns rtmodel Exponential {0 1 0.2} $n(3) $n(4)
$ns rtmodel Exponential {0 0.7 0.3} $n(6)
proc finish {} {
    global ns n trace nam
    $ns flush-trace
    close $trace
    close $nam
    foreach i {0 1 6} { [$n($i) rtObject?] dump-routes stdout }
    exit 0
}
$ns at 3 finish
$ns run
