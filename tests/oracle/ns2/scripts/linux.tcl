# Two Linux senders, the second one late, through a link with a long queue; then with a short one.
#     linux.tcl LAW [NAME VALUE]...
# ns-2 prints an address when its table of sending times grows, so laws that keep one want a window_ below 90.
# NAME is a variable of the sender, or
#     sink      the class of the sink, less Agent/TCPSink
#     queue     the discipline of the slow link
#     limit     its length
#     loss      packets per million that an error model takes out at random
#     level     the debugging level, which also clears the two tunables beside it in ns-2's memory
#     own       LAW/TUNABLE=VALUE, for the first sender
#     all       LAW/TUNABLE=VALUE, for both
#     then      the law to go on with at 6 s
set law [lindex $argv 0]
array set option {sink /Sack1 queue DropTail limit 60 loss 0}
array set option [lrange $argv 1 end]

set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
foreach name {s1 s2 r1 r2 d1 d2} { set $name [$ns node] }
$ns duplex-link $s1 $r1 50Mb 2ms DropTail
$ns duplex-link $s2 $r1 50Mb 7ms DropTail
$ns duplex-link $r1 $r2 4Mb 25ms $option(queue)
$ns duplex-link $r2 $d1 50Mb 3ms DropTail
$ns duplex-link $r2 $d2 50Mb 4ms DropTail
$ns queue-limit $r1 $r2 $option(limit)
if {$option(loss)} {
    set errors [new ErrorModel]
    $errors set rate_ [expr $option(loss) * 1e-6]
    $errors unit pkt
    $errors ranvar [new RandomVariable/Uniform]
    $errors drop-target [new Agent/Null]
    $ns lossmodel $errors $r1 $r2
}
set watched [open watched.tr w]
foreach i {1 2} {
    set tcp($i) [new Agent/TCP/Linux]
    $tcp($i) set window_ 2000
    $tcp($i) set fid_ $i
    foreach {name value} [array get option *_] { $tcp($i) set $name $value }
    set sink($i) [new Agent/TCPSink$option(sink)]
    $ns attach-agent [set s$i] $tcp($i)
    $ns attach-agent [set d$i] $sink($i)
    $ns connect $tcp($i) $sink($i)
    set ftp($i) [$tcp($i) attach-app FTP]
    $tcp($i) attach $watched
    foreach name {cwnd_ ssthresh_ next_pkts_in_flight_ srtt_ rttvar_} { $tcp($i) tracevar $name }
    if {$law ne "none"} { $ns at 0.0 "$tcp($i) select_ca $law" }
    if {[info exists option(then)]} { $ns at 6.0 "$tcp($i) select_ca $option(then)" }
    $ns at [expr $i * 3 - 2.9] "$ftp($i) start"
}
if {[info exists option(level)]} { $ns at 0.0 "$tcp(1) set_ca_default_param linux debug_level $option(level)" }
foreach {name method} {own set_ca_param all set_ca_default_param} {
    if {[info exists option($name)]} {
        regexp {(.*)/(.*)=(.*)} $option($name) _ of tunable value
        $ns at 0.0 "$tcp(1) $method $of $tunable $value"
        $ns at 0.0 "$tcp(1) get_ca_param $of $tunable"
        $ns at 0.0 "$tcp(2) get_ca_param $of $tunable"
        $ns at 12.0 "$tcp(2) get_ca_param $of"
    }
}
$ns at 9.0 "$ns queue-limit $r1 $r2 12"
$ns at 11.0 "$ftp(2) stop"
$ns at 11.5 "$ftp(2) start"

proc finish {} {
    global ns trace watched
    $ns flush-trace
    close $trace
    close $watched
    exit 0
}
$ns at 15.0 finish
$ns run
