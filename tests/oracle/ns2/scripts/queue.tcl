# Two TCP flows and a constant bit rate in a queue of the kind named.
#     queue.tcl KIND [VARIABLE VALUE]...
# The variables are set on the bottleneck's queue; one that begins with tcp: on the senders.
set kind [lindex $argv 0]
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
foreach name {s1 s2 s3 r1 r2 d} { set $name [$ns node] }
foreach {a b delay} {s1 r1 2ms s2 r1 3ms s3 r1 2ms r2 d 4ms} {
    $ns duplex-link [set $a] [set $b] 10Mb $delay DropTail
}
$ns duplex-link $r1 $r2 1.5Mb 20ms $kind
$ns queue-limit $r1 $r2 25
set queue [[$ns link $r1 $r2] queue]
foreach {name value} [lrange $argv 1 end] {
    if {![string match tcp:* $name]} { $queue set $name $value }
}
foreach i {1 2} {
    set tcp [$ns create-connection TCP/Sack1 [set s$i] TCPSink/Sack1 $d $i]
    $tcp set window_ 50
    foreach {name value} [lrange $argv 1 end] {
        if {[string match tcp:* $name]} { $tcp set [string range $name 4 end] $value }
    }
    set ftp [$tcp attach-app FTP]
    $ns at 0.$i "$ftp start"
}
set udp [$ns create-connection UDP $s3 Null $d 3]
set cbr [new Application/Traffic/CBR]
$cbr set rate_ 300kb
$cbr attach-agent $udp
$ns at 2.0 "$cbr start"
$ns at 6.0 "$cbr stop"
$ns at 10.0 "$ns flush-trace; close $trace; exit 0"
$ns run
