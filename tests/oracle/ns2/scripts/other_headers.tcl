# What receivers make of packets that have no header of their kind.
#     other_headers.tcl SENDER RECEIVER
foreach {sender receiver} $argv break
Agent/TCP set syn_ false
Agent/TCP set windowInit_ 4
set ns [new Simulator]
set tf [open out.tr w]
$ns trace-all $tf
set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b 1Mb 10ms DropTail
set x [new Agent/$sender]
set y [new Agent/$receiver]
$ns attach-agent $a $x
$ns attach-agent $b $y
$ns connect $x $y
if {[string match TCP* $sender]} {
    $ns at 0.1 "$x advance 20"
} else {
    $ns at 0.1 "$x start"
}
proc finish {} {
    global ns y receiver
    if {$receiver == "LossMonitor"} {
        puts "[$y set nlost_] [$y set npkts_] [$y set bytes_] [$y set expected_] [$y set lastPktTime_]"
    }
    exit 0
}
$ns at 3 finish
$ns run
