# One TCP flow over a link that loses packets by an error model (the paper's Tables 1 and 2).
#
#     ackclock ns2 --defaults ns2_29 error_model.tcl <Taho|Newreno|Sack|Reno|Vegas> [N]
#     ns as_ns2_29.tcl error_model.tcl <Taho|Newreno|Sack|Reno|Vegas> [N]
#
# Replication N uses the N-th substream of ns-2's random numbers. Without N, or with 0, they begin as ns-2's do. Writes out.tr: every packet on every link.
#
#     S (0) --- 10 Mb/s, 1 ms --- R (1) --- 1.5 Mb/s, 1 ms, 15 packets, 2 % lost --- D (2)

if {$argc < 1 || $argc > 2} {
    puts stderr "usage: error_model.tcl <Taho|Newreno|Sack|Reno|Vegas> \[N\]"
    exit 1
}
source [file join [file dirname [info script]] variants.tcl]
set variant [lindex $argv 0]
use_substream [expr {$argc > 1 ? [lindex $argv 1] : 0}]

set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace

foreach name {S R D} {
    set $name [$ns node]
}
$ns duplex-link $S $R 10Mb 1ms DropTail
$ns duplex-link $R $D 1.5Mb 1ms DropTail
$ns queue-limit $R $D 15

set errors [new ErrorModel]
$errors unit pkt
$errors set rate_ 0.02
$ns link-lossmodel $errors $R $D

set ftp [connection $ns $variant $S $D 0]

proc finish {} {
    global ns trace
    $ns flush-trace
    close $trace
    exit 0
}
# What is on its way when the source stops is still delivered, and counted.
$ns at 1.0 "$ftp start"
$ns at 20.0 "$ftp stop"
$ns at 25.0 "finish"
$ns run
