# Two TCP flows share a link (the paper's Tables 3 and 4).
#
#     ackclock ns2 --defaults ns2_29 two_flows.tcl FIRST/SECOND [N]
#     ns as_ns2_29.tcl two_flows.tcl FIRST/SECOND [N]
#
# FIRST (flow 1, S1 to S3) and SECOND (flow 2, S2 to S4) are Taho, Newreno, Sack, Reno or Vegas. Both
# start at 0.1 s. In replication N, each starts at random from 0.1 to 0.2 s instead, by the N-th substream of ns-2's random
# numbers. Writes out.tr: every packet on every link.
#
#     S1 (0) --- 10 Mb/s, 1 ms ---\                                             /--- 10 Mb/s, 1 ms --- S3 (4)
#                                   R1 (2) --- 1.5 Mb/s, 1 ms, 10 packets --- R2 (3)
#     S2 (1) --- 10 Mb/s, 1 ms ---/                                             \--- 10 Mb/s, 1 ms --- S4 (5)

set pair [split [lindex $argv 0] /]
if {$argc < 1 || $argc > 2 || [llength $pair] != 2} {
    puts stderr "usage: two_flows.tcl FIRST/SECOND \[N\]"
    exit 1
}
lassign $pair first second
source [file join [file dirname [info script]] variants.tcl]
set replication [expr {$argc > 1 ? [lindex $argv 1] : 0}]
use_substream $replication

set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace

foreach name {S1 S2 R1 R2 S3 S4} {
    set $name [$ns node]
}
$ns duplex-link $S1 $R1 10Mb 1ms DropTail
$ns duplex-link $S2 $R1 10Mb 1ms DropTail
$ns duplex-link $R1 $R2 1.5Mb 1ms DropTail
$ns duplex-link $R2 $S3 10Mb 1ms DropTail
$ns duplex-link $R2 $S4 10Mb 1ms DropTail
$ns queue-limit $R1 $R2 10

set ftp(1) [connection $ns $first $S1 $S3 1]
set ftp(2) [connection $ns $second $S2 $S4 2]

proc finish {} {
    global ns trace
    $ns flush-trace
    close $trace
    exit 0
}
foreach flow {1 2} {
    set start 0.1
    if {$replication > 0} {
        set start [$defaultRNG uniform 0.1 0.2]
    }
    $ns at $start "$ftp($flow) start"
}
$ns at 4.5 "finish"
$ns run
