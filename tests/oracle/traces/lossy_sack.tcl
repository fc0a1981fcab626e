# A SACK sender over a link that loses: its packets as ns-2 traces them and as Wireshark reads them.
#     ackclock ns2 lossy_sack.tcl OUT.tr OUT.pcapng
set ns [new Simulator]
set file [open [lindex $argv 0] w]
$ns trace-all $file
Trace set show_tcphdr_ 1

set a [$ns node]
set r [$ns node]
set b [$ns node]
$ns duplex-link $a $r 10Mb 2ms DropTail
$ns duplex-link $r $b 1.5Mb 20ms DropTail
$ns queue-limit $r $b 15

set loss [new ErrorModel]
$loss unit pkt
$loss set rate_ 0.02
$loss ranvar [new RandomVariable/Uniform]
$loss drop-target [new Agent/Null]
$ns link-lossmodel $loss $r $b

set tcp [new Agent/TCP/Sack1]
$tcp set window_ 60
set sink [new Agent/TCPSink/Sack1]
$ns attach-agent $a $tcp
$ns attach-agent $b $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 0.1 "$ftp start"

set capture [open [lindex $argv 1] w]
$ns pcapng-node $a $capture

proc finish {} {
    global ns file capture tcp
    $ns flush-trace
    close $file
    close $capture
    puts "retransmitted [$tcp set nrexmitpack_] sent [$tcp set ndatapack_]"
    exit 0
}
$ns at 60 finish
$ns run
