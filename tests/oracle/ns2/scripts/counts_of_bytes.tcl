# Words for how much to send, and datagrams without end or without bytes.
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
set n0 [$ns node]
set n1 [$ns node]
$ns duplex-link $n0 $n1 1Mb 10ms DropTail
set tcp [new Agent/TCP]
$ns attach-agent $n0 $tcp
set sink [new Agent/TCPSink]
$ns attach-agent $n1 $sink
$ns connect $tcp $sink
set ftp [$tcp attach-app FTP]
set udp [new Agent/UDP]
$ns attach-agent $n0 $udp
set monitor [new Agent/LossMonitor]
$ns attach-agent $n1 $monitor
$ns connect $udp $monitor
proc try {args} {
    puts "[lrange $args 1 end] [catch {uplevel 1 $args} e] <$e>"
}
$ns at 0.1 {
    foreach word {foo 3.7 0x10 {} 5k -1 -5} {
        foreach {object command} [list $tcp advance $tcp advanceby $ftp send $ftp produce $ftp producemore $udp send] {
            try $object $command $word
            puts [$tcp set seqno_]
        }
    }
    try $udp sendmsg 3000 abc
    try $udp send 100 hello
}
set over [new Application/FTP]
$over attach-agent $udp
$ns at 0.2 "$over start"
$ns at 1 "exit 0"
$ns run
