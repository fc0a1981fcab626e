# Two TCP flows of one kind share a 1 Mb/s link; the second has the longer way.
#
#     ns sack_vegas.tcl <SACK|VEGAS> <1|2|3> [nam]
#     ackclock ns2 sack_vegas.tcl <SACK|VEGAS> <1|2|3> [nam]
#
# Prints the mean throughput of each source. Writes into the current directory
#     out_<FLAVOUR><CASE>-S1.tr   every packet on src1 -> R1, in ns-2's format
#     out_<FLAVOUR><CASE>-S2.tr   every packet on src2 -> R1
#     throughput.dat              time_s src1_mbps src2_mbps         each 0.5 s
#     window.dat                  time_s src1_packets src2_packets   each 0.1 s
#     queue.dat                   time_s packets dropped             each 0.1 s, waiting in R1 for R2
#
# With `nam` it ends after 5 s and writes out.nam for the animator: nam out.nam.
#
# What the paper leaves open, and how it was settled, is in README.md.

if {$argc < 2 || $argc > 3 || ($argc == 3 && [lindex $argv 2] ne "nam")} {
    puts stderr "usage: sack_vegas.tcl <SACK|VEGAS> <1|2|3> \[nam\]"
    exit 1
}
set flavour [lindex $argv 0]
set case [lindex $argv 1]

switch $flavour {
    SACK    { set sender Agent/TCP/Sack1 }
    VEGAS   { set sender Agent/TCP/Vegas }
    default { puts stderr "flavour is SACK or VEGAS, not $flavour"; exit 1 }
}
switch $case {
    1       { set delay 12.5ms }
    2       { set delay 20ms }
    3       { set delay 27.5ms }
    default { puts stderr "case is 1, 2 or 3, not $case"; exit 1 }
}
set animated [expr {$argc == 3}]
set duration [expr {$animated ? 5.0 : 400.0}]

set ns [new Simulator]
if {$animated} {
    set nam [open out.nam w]
    $ns namtrace-all $nam
}

# The order of creation gives the node numbers in the trace: src1 is 0, R1 is 2, rcv1 is 4.
foreach name {src1 src2 R1 R2 rcv1 rcv2} {
    set $name [$ns node]
}
$ns duplex-link $src1 $R1 10Mb 5ms DropTail
$ns duplex-link $src2 $R1 10Mb $delay DropTail
$ns duplex-link $R1 $R2 1Mb 5ms DropTail
$ns duplex-link $R2 $rcv1 10Mb 5ms DropTail
$ns duplex-link $R2 $rcv2 10Mb $delay DropTail

set trace [open out_$flavour$case-S1.tr w]
$ns trace-queue $src1 $R1 $trace
set trace2 [open out_$flavour$case-S2.tr w]
$ns trace-queue $src2 $R1 $trace2
set bottleneck [$ns monitor-queue $R1 $R2 ""]

foreach i {1 2} {
    set tcp($i) [new $sender]
    $tcp($i) set class_ $i
    set sink($i) [new Agent/TCPSink]
    $ns attach-agent [set src$i] $tcp($i)
    $ns attach-agent [set rcv$i] $sink($i)
    $ns connect $tcp($i) $sink($i)
    set ftp($i) [new Application/FTP]
    $ftp($i) attach-agent $tcp($i)
    set sum($i) 0
}
set samples 0
set throughput [open throughput.dat w]
set window [open window.dat w]
set queue [open queue.dat w]

proc record_throughput {} {
    global ns sink sum samples throughput
    set period 0.5
    foreach i {1 2} {
        # From the left in doubles: the published digits are those of this order.
        set rate($i) [expr [$sink($i) set bytes_] / $period * 8 / 1000000]
        set sum($i) [expr $sum($i) + $rate($i)]
        $sink($i) set bytes_ 0
    }
    incr samples
    puts $throughput "[$ns now] $rate(1) $rate(2)"
    $ns at [expr [$ns now] + $period] "record_throughput"
}

proc record_state {} {
    global ns tcp bottleneck window queue
    puts $window "[$ns now] [$tcp(1) set cwnd_] [$tcp(2) set cwnd_]"
    puts $queue "[$ns now] [$bottleneck set pkts_] [$bottleneck set pdrops_]"
    $ns at [expr [$ns now] + 0.1] "record_state"
}

proc finish {} {
    global ns trace trace2 throughput window queue sum samples animated nam
    $ns flush-trace
    foreach file [list $trace $trace2 $throughput $window $queue] {
        close $file
    }
    if {$animated} {
        close $nam
    }
    foreach i {1 2} {
        puts "Avg throughput for Src$i=[expr $sum($i) / $samples] MBits/sec\n"
    }
    exit 0
}

# `finish` is entered before the recorder can reach the same instant, so it comes first
# there: the last sample is the one at 399.5 s.
$ns at $duration "finish"
$ns at 0.0 "record_throughput"
$ns at 0.0 "record_state"
$ns at 0.0 "$ftp(1) start"
$ns at 0.0 "$ftp(2) start"
$ns run
