# event_trace.tcl
#
# Two senders report in words: one to a trace of the script's own, one to that of all. The queue is short, so that there
# are fast retransmissions and timeouts.
set ns [new Simulator]
$ns eventtrace-all [open all.tr w]
set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b 1Mb 20ms DropTail
$ns queue-limit $a $b 8
foreach kind {Reno Newreno} {
    set tcp($kind) [$ns create-connection TCP/$kind $a TCPSink $b 1]
    $tcp($kind) set window_ 60
    set ftp [$tcp($kind) attach-app FTP]
    $ns at 0.1 "$ftp start"
}
set own [new BaseTrace/Event]
$own attach [open own.tr w]
$tcp(Reno) eventtrace $own
$ns at 20 {
    $ns flush-trace
    exit 0
}
$ns run
