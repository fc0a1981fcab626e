# Two flows of one variant share a link, and one has the longer way (the paper's Table 5 and section IV).
#
#     ackclock ns2 --defaults ns2_29 fairness.tcl VARIANT <DropTail|RED> X
#     ns as_ns2_29.tcl fairness.tcl VARIANT <DropTail|RED> X
#
# VARIANT is Taho, Newreno, Sack, Reno or Vegas; X is the delay of the link from R2 to S3, such as 30ms. Flow 1 goes from
# S1 to S3, the far one; flow 2 from S2 to S4. Writes out.tr: every packet on every link.
#
#     S1 (0) --- 10 Mb/s, 1 ms ---\                                             /--- 10 Mb/s, X ------ S3 (4)
#                                   R1 (2) --- 1.5 Mb/s, 1 ms, 15 packets --- R2 (3)
#     S2 (1) --- 10 Mb/s, 1 ms ---/                                             \--- 10 Mb/s, 1 ms --- S4 (5)

if {$argc != 3} {
    puts stderr "usage: fairness.tcl VARIANT <DropTail|RED> X"
    exit 1
}
source [file join [file dirname [info script]] variants.tcl]
lassign $argv variant queue delay

set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace

foreach name {S1 S2 R1 R2 S3 S4} {
    set $name [$ns node]
}
$ns duplex-link $S1 $R1 10Mb 1ms DropTail
$ns duplex-link $S2 $R1 10Mb 1ms DropTail
$ns simplex-link $R1 $R2 1.5Mb 1ms $queue
$ns simplex-link $R2 $R1 1.5Mb 1ms DropTail
$ns duplex-link $R2 $S3 10Mb $delay DropTail
$ns duplex-link $R2 $S4 10Mb 1ms DropTail
$ns queue-limit $R1 $R2 15

set ftp(1) [connection $ns $variant $S1 $S3 1]
set ftp(2) [connection $ns $variant $S2 $S4 2]

proc finish {} {
    global ns trace
    $ns flush-trace
    close $trace
    exit 0
}
$ns at 0.0 "$ftp(1) start"
$ns at 0.0 "$ftp(2) start"
$ns at 20.0 "finish"
$ns run
