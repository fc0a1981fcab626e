# Two flows of equal links in one queue: ties in time decide who is dropped.
#     two_flows.tcl SENDER1 SENDER2
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
foreach name {s1 s2 r1 r2 d1 d2} { set $name [$ns node] }
foreach {a b} {s1 r1 s2 r1 r2 d1 r2 d2} {
    $ns duplex-link [set $a] [set $b] 10Mb 2ms DropTail
}
$ns duplex-link $r1 $r2 1.5Mb 10ms DropTail
$ns queue-limit $r1 $r2 8

foreach i {1 2} {
    set kind [lindex $argv [expr $i - 1]]
    set tcp($i) [new $kind]
    $tcp($i) set fid_ $i
    $tcp($i) set window_ 40
    if {[string match *Sack* $kind] || [string match *Fack* $kind]} {
        set sink($i) [new Agent/TCPSink/Sack1]
    } else {
        set sink($i) [new Agent/TCPSink]
    }
    $ns attach-agent [set s$i] $tcp($i)
    $ns attach-agent [set d$i] $sink($i)
    $ns connect $tcp($i) $sink($i)
    set ftp($i) [$tcp($i) attach-app FTP]
    $ns at 0.5 "$ftp($i) start"
}
proc finish {} {
    global ns trace sink
    $ns flush-trace
    close $trace
    puts "[$sink(1) set bytes_] [$sink(2) set bytes_]"
    exit 0
}
$ns at 8.0 finish
$ns run
