# Boxes at the doors of nodes: rules with one, two and three random variables, both ways, agents at a box's own node, UDP
# that passes at once, FINs that end flows and SYNs that open them anew, what is told and written.
#     delay_box.tcl [asymmetric]
set ns [new Simulator]
Trace set show_tcphdr_ 1
$ns trace-all [open out.tr w]
set n(0) [$ns node]
set n(1) [$ns node]
set n(2) [$ns DelayBox]
set n(3) [$ns DelayBox]
set n(4) [$ns node]
puts "[$n(2) info class] [[$n(2) entry] info class] [[[$n(2) entry] slot 0] info class] [$n(2) id]"
foreach {from to rate} {0 2 10Mb 1 2 10Mb 2 3 1Mb 3 4 10Mb} {
    $ns duplex-link $n($from) $n($to) $rate 3ms DropTail
}
proc draw_from {class args} {
    set made [new RandomVariable/$class]
    foreach {name value} $args {$made set $name $value}
    $made use-rng [new RNG]
    return $made
}
set delay [draw_from Uniform min_ 5 max_ 60]
set loss [draw_from Uniform min_ 0 max_ 0.04]
set rate [draw_from Uniform min_ 0.2 max_ 2]
$n(2) add-rule 0 4 $delay $loss $rate
$n(2) add-rule 1 3 [draw_from Exponential avg_ 20]
$n(3) add-rule 1 3 $delay $loss
$n(3) add-rule 4 0 [draw_from Constant val_ 1] [draw_from Constant val_ 0] $rate
if {[lindex $argv 0] == "asymmetric"} {
    $n(2) set-asymmetric
    $n(3) set-asymmetric
}
$n(2) set-delay-file delays2
$n(3) set-delay-file delays3
set fid 0
foreach {from to} {0 4 1 3 0 4} {
    incr fid
    set tcp($fid) [new Agent/TCP/FullTcp/Sack]
    set sink($fid) [new Agent/TCP/FullTcp/Sack]
    $ns attach-agent $n($from) $tcp($fid)
    $ns attach-agent $n($to) $sink($fid)
    $ns connect $tcp($fid) $sink($fid)
    $sink($fid) listen
    foreach end {tcp sink} {[set ${end}($fid)] set fid_ $fid}
    $ns at [expr 0.1 * $fid] "$tcp($fid) sendmsg [expr 30000 * $fid] MSG_EOF"
}
set oneway [$ns create-connection TCP/Newreno $n(1) TCPSink/DelAck $n(3) 9]
set ftp [$oneway attach-app FTP]
$ns at 0.05 "$ftp start"
set udp [new Agent/UDP]
$ns attach-agent $n(0) $udp
set null [new Agent/Null]
$ns attach-agent $n(3) $null
$ns connect $udp $null
set cbr [new Application/Traffic/CBR]
$cbr attach-agent $udp
$ns at 0.2 "$cbr start"
$ns at 1.0 "$cbr stop"
$ns at 0.9 {
    $n(2) output-delay 0 4 1
    $n(3) output-delay 4 0 77
}
$ns at 1.1 {$n(2) list-rules; $n(2) list-flows; $n(3) list-flows}
$ns at 9.0 {
    $n(2) list-flows
    $n(2) close-delay-file
    $n(3) close-delay-file
    exit 0
}
$ns run
