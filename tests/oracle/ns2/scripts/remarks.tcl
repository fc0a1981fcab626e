# Remarks of the script's own and of multicast's, where packets are traced for ns-2, for nam, for both or nowhere.
#     remarks.tcl [tr] [nam]
set ns [new Simulator -multicast on]
if {[lsearch $argv tr] >= 0} {$ns trace-all [open out.tr w]}
if {[lsearch $argv nam] >= 0} {$ns namtrace-all [open out.nam w]}
set group [Node allocaddr]
set n0 [$ns node]
set n1 [$ns node]
$ns duplex-link $n0 $n1 1Mb 10ms DropTail
$ns mrtproto DM
set rcvr [new Agent/Null]
$ns attach-agent $n1 $rcvr
$ns at 0.3 "$n1 join-group $rcvr $group"
$ns at 0.4 "$ns trace-annotate {a remark}"
set trace [$ns create-trace Generic [open own.nam w] $n0 $n1 nam]
$ns at 0.5 "$trace annotate {not written}"
$ns at 0.6 "$trace attach [open own.tr w]"
$ns at 0.7 "$trace annotate written"
$ns at 0.8 "$n1 leave-group $rcvr $group"
$ns at 1.0 {$ns flush-trace; exit 0}
$ns run
