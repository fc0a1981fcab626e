# DropTail that counts bytes: packets of several sizes share it. Another limit comes at 1 s.
#     queue_in_bytes.tcl [LIMIT [LATER]]
Queue/DropTail set queue_in_bytes_ true
Queue/DropTail set mean_pktsize_ 300
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b 500kb 5ms DropTail
foreach {limit later} [concat $argv 9 ""] break
$ns queue-limit $a $b $limit
if {[llength $argv] == 2} {$ns at 1.0 "$ns queue-limit $a $b $later"}

set fid 0
foreach size {1000 700 210} {
    incr fid
    set udp [new Agent/UDP]
    $udp set fid_ $fid
    $ns attach-agent $a $udp
    set null [new Agent/Null]
    $ns attach-agent $b $null
    $ns connect $udp $null
    set cbr [new Application/Traffic/CBR]
    $cbr set packetSize_ $size
    $cbr set rate_ 250kb
    $cbr attach-agent $udp
    $ns at 0.0[expr $fid] "$cbr start"
    $ns at 2.0 "$cbr stop"
}
$ns at 2.5 "$ns flush-trace; close $trace; exit 0"
$ns run
