# Packets without a header for flags: a sender that loses packets sets what it has not in their sizes.
#     without_flags.tcl SENDER
remove-all-packet-headers
add-packet-header IP TCP
set ns [new Simulator]
$ns trace-all [open out.tr w]
foreach i {0 1 2} {set n($i) [$ns node]}
$ns duplex-link $n(0) $n(1) 100Mb 1ms DropTail
$ns duplex-link $n(1) $n(2) 100Mb 50ms DropTail
set errors [new ErrorModel/List]
$errors unit pkt
$errors droplist {0 107 300}
$ns lossmodel $errors $n(1) $n(2)
set tcp [$ns create-connection [lindex $argv 0] $n(0) TCPSink/Sack1 $n(2) 1]
$ns at 0.5 "$tcp advance 1000"
$ns at 12 "exit 0"
$ns run
