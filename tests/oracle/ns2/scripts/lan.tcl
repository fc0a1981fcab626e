# lan.tcl HOW ARGS...
#
# A LAN made by newLan or make-lan (HOW and its last arguments, after nodes, bandwidth and delay), with a node beyond
# each end: TCP across it, a constant rate within it, and a second LAN behind. Everything is traced.
set ns [new Simulator]
set tr [open out.tr w]
$ns trace-all $tr
set nam [open out.nam w]
$ns namtrace-all $nam

for {set i 0} {$i < 8} {incr i} {
    set n($i) [$ns node]
}
set near [list $n(0) $n(1) $n(2) $n(3)]
set options [lrange $argv 1 end]
if {[lindex $options 0] eq "-trace"} {
    set lan [$ns make-lan -trace on $near 2Mb 1ms {*}[lrange $options 2 end]]
} else {
    set lan [$ns [lindex $argv 0] $near 2Mb 1ms {*}$options]
}
$ns duplex-link $n(4) $n(0) 10Mb 2ms DropTail
$ns duplex-link $n(3) $n(5) 1Mb 5ms DropTail
set far [$ns newLan [list $n(2) $n(6) $n(7)] 10Mb 0.5ms]
$lan cost 3

foreach {source target kind sink} {4 5 TCP/Reno TCPSink 1 2 TCP TCPSink 7 0 TCP/Sack1 TCPSink/Sack1} {
    set tcp [new Agent/$kind]
    $ns attach-agent $n($source) $tcp
    set end [new Agent/$sink]
    $ns attach-agent $n($target) $end
    $ns connect $tcp $end
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at 0.$source "$ftp start"
}
set udp [new Agent/UDP]
$ns attach-agent $n(6) $udp
set null [new Agent/Null]
$ns attach-agent $n(5) $null
$ns connect $udp $null
set cbr [new Application/Traffic/CBR]
$cbr attach-agent $udp
$cbr set interval_ 0.005
$ns at 0.2 "$cbr start"

puts "$lan $far $tcp [$lan id] [$far id] [$lan cost?]"
$ns at 3.0 {
    puts "[[$ns get-routelogic] lookup 4 5] [[$ns get-routelogic] lookup 7 0] [new Object]"
    $ns flush-trace
    exit 0
}
$ns run
