# Bound variables that have no sign in ns-2, as they begin, and below zero.
set ns [new Simulator]
foreach name {associationMaxRetrans_ changePrimaryThresh_ initialRwnd_ reliability_ errorCount_} {
    set agent [new Agent/SCTP]
    puts "$name [$agent set $name]"
    foreach value {-1 17 -3.5 4294967295} { $agent set $name $value; puts [$agent set $name] }
    $agent instvar $name
    set $name -2
    puts [set $name]
}
set scheduler [new Scheduler/Calendar]
$scheduler set adjust_new_width_interval_ -3
puts [$scheduler set adjust_new_width_interval_]
# Times of a monitor are no whole numbers; words that are none count as 0, flows' queues of FQ included.
set monitor [new QueueMonitor]
foreach name {first_pkt_ last_pkt_ pkts_} {
    foreach word {.5 2.7 -1 1e10 foo} { $monitor set $name $word; puts "$name [$monitor set $name]" }
}
$ns trace-all [open out.tr w]
set n0 [$ns node]
set n1 [$ns node]
$ns duplex-link $n0 $n1 1Mb 10ms FQ
Queue/DropTail set util_records_ .5
set tcp [$ns create-connection TCP $n0 TCPSink $n1 0]
set ftp [$tcp attach-app FTP]
$ns at 0.1 "$ftp start"
$ns at 1 {puts "[$tcp set ack_]"; exit 0}
$ns run
