# Classes whose queues are RED: ns-2 never starts these, so their averages run away and they drop where they are full.
#     cbq_red.tcl KIND [VARIABLE VALUE ...]; `link` first, and the first queue is told its link.
set kind [lindex $argv 0]
set told [lrange $argv 1 end]
set ns [new Simulator]
$ns trace-all [open out.tr w]
foreach i {0 1} {set n($i) [$ns node]}
$ns simplex-link $n(0) $n(1) 1Mb 10ms $kind
$ns simplex-link $n(1) $n(0) 1Mb 10ms DropTail
set link [$ns link $n(0) $n(1)]
set top [new CBQClass]
$top setparams none 0 0.98 auto 8 2 0
$link insert $top
foreach {i share} {1 0.3 2 0.65} {
    set queue($i) [new Queue/RED]
    $queue($i) set limit_ 20
    set class($i) [new CBQClass]
    $class($i) install-queue $queue($i)
    $class($i) setparams $top true $share auto 1 1 0
}
if {[lindex $told 0] eq "link"} {
    $queue(1) link [$link set link_]
    set told [lrange $told 1 end]
}
foreach {name value} $told {$queue(1) set $name $value}
set file [open queue.tr w]
foreach name {curq_ ave_ prob1_} {$queue(2) trace $name}
$queue(2) attach $file
foreach i {1 2} {
    $link insert $class($i)
    $link bind $class($i) [expr 2 * $i - 1] [expr 2 * $i]
}
foreach i {1 2 3 4} {
    set tcp($i) [$ns create-connection TCP/Sack1 $n(0) TCPSink/Sack1 $n(1) $i]
    $tcp($i) set window_ 30
    $tcp($i) set ecn_ [expr {$i % 2}]
    $ns at 0.$i "[$tcp($i) attach-app FTP] start"
}
$ns at 1.5 {
    foreach name {limit_ thresh_ maxthresh_ q_weight_ prob1_} {puts "$name [$queue(1) set $name] [$queue(2) set $name]"}
}
$ns at 3 {$queue(1) set limit_ 8}
$ns at 5 {$ns flush-trace; close $file; exit 0}
$ns run
