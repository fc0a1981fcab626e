# The lines of a link's traces, told to a command of the script as well: with and without a trace of all links, with losses.
# SCTP's traces have a line for each chunk.
#     told_lines.tcl traced|untraced|tagged tcp|sctp
if {[lindex $argv 1] eq "sctp"} {
    Trace set show_sctphdr_ 1
    Agent/SCTP set dataChunkSize_ 500
}
set ns [new Simulator]
if {[lindex $argv 0] == "tagged"} {$ns use-taggedtrace}
if {[lindex $argv 0] != "untraced"} {$ns trace-all [open out.tr w]}
foreach i {0 1 2} {set n($i) [$ns node]}
$ns duplex-link $n(0) $n(1) 2Mb 5ms DropTail
$ns duplex-link $n(1) $n(2) 0.5Mb 5ms DropTail
$ns queue-limit $n(1) $n(2) 4
set seen 0
proc see {tag line} {
    global ns seen
    incr seen
    puts "[$ns now] $tag <$line>"
}
set link [$ns link $n(1) $n(2)]
puts [llength [$link trace-callback $ns "see there"]]
[$ns link $n(2) $n(1)] trace-callback $ns "see back"
puts "[[$link set enqT_] set callback_] [[$link set drpT_] info procs]"
if {[lindex $argv 1] eq "sctp"} {
    set sender [$ns create-connection SCTP $n(0) SCTP $n(2) 1]
} else {
    set sender [$ns create-connection TCP/Reno $n(0) TCPSink $n(2) 1]
}
set ftp [new Application/FTP]
$ftp attach-agent $sender
$ns at 0.1 "$ftp start"
$ns at 0.7 "[$link set deqT_] set callback_ 0"
$ns at 1.0 {puts $seen; exit 0}
$ns run
