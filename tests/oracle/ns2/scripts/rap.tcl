# A RAP flow through a slow link that also loses some packets, then a second one that sends a number of packets.
#     rap.tcl [VARIABLE VALUE]...
# The variables are set on the senders.
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
foreach name {s r d} { set $name [$ns node] }
$ns duplex-link $s $r 8Mb 1ms DropTail
$ns duplex-link $r $d 800kb 50ms DropTail
$ns queue-limit $r $d 10
set losses [new ErrorModel/List]
$losses droplist {14 24 26 27 28 70}
$ns lossmodel $losses $r $d

foreach i {1 2} {
    set rap($i) [$ns create-connection RAP $s RAP $d $i]
    foreach {name value} $argv { $rap($i) set $name $value }
}
proc poll {} {
    global ns rap
    foreach name {seqno_ sessionLossCount_ ipg_ srtt_ timeout_ variance_} { lappend row [$rap(1) set $name] }
    puts "[$ns now] $row"
    $ns at [expr [$ns now] + 0.5] poll
}
Agent/RAP instproc done {} { puts "[[Simulator instance] now] done" }
$ns at 0.2 "$rap(1) start"
$ns at 0.5 poll
$ns at 6.0 "$rap(2) advanceby 40"
$ns at 11.0 "$rap(1) stop"
$ns at 14.0 "$ns flush-trace; close $trace; exit 0"
$ns run
