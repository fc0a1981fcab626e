# Sources of random traffic, each over its own agent.
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b 2Mb 10ms DropTail
proc over_udp {fid kind settings} {
    global ns a b
    set udp [$ns create-connection UDP $a Null $b $fid]
    set source [new Application/Traffic/$kind]
    foreach {name value} $settings { $source set $name $value }
    $source attach-agent $udp
    return $source
}
set e [over_udp 1 Exponential {packetSize_ 210 burst_time_ 300ms idle_time_ 200ms rate_ 200k}]
set p [over_udp 2 Pareto {packetSize_ 300 burst_time_ 100ms idle_time_ 300ms rate_ 300k shape_ 1.5}]
set tcp [$ns create-connection TCP/Reno $a TCPSink $b 3]
set telnet [$tcp attach-app Telnet]
$telnet set interval_ 0.05
set tcp [$ns create-connection TCP $a TCPSink $b 4]
set tcplib [$tcp attach-app Telnet]
$tcplib set interval_ 0
$ns at 0.0 "$e start"
$ns at 0.3 "$p start"
$ns at 0.5 "$telnet start"
$ns at 0.6 "$tcplib start"
$ns at 8.0 "$e stop; $p stop; $telnet stop"
$ns at 10.0 "$ns flush-trace; close $trace; exit 0"
$ns run
