# Calls that few scripts make: error models put on and taken off by other words, agents remembered, connections of old names,
# queues told by words, and what links, nodes and parts answer to a reset.
set ns [new Simulator]
$ns trace-all [open out.tr w]
foreach i {0 1 2} {set n($i) [$ns node]}
$ns duplex-link $n(0) $n(1) 1Mb 5ms DropTail
$ns duplex-link $n(1) $n(2) 0.4Mb 5ms SFQ
set queue [[$ns link $n(1) $n(2)] queue]
$queue limit 9
$queue buckets 3
puts "[$queue set maxqueue_] [$queue set buckets_] [$ns src_rting?]"
set tcp [$ns create-highspeed-connection TCP/Reno $n(0) TCPSink $n(2) 4]
set ftp [$tcp attach-app FTP]
set udp [$ns create-connection UDP $n(0) Null $n(2) 5]
set cbr [$udp attach-app Traffic/CBR]
$cbr set rate_ 200kb
puts [llength [$ns put-in-list $tcp]]
puts [llength [$ns put-in-list $udp]]
set errors [new ErrorModel]
$errors set rate_ 0.1
$errors ranvar [new RandomVariable/Uniform]
$errors drop-target [new Agent/Null]
$ns lossmodel $errors $n(0) $n(1)
$ns at 1.0 "$ns detach-lossmodel $errors $n(0) $n(1)"
set late [new ErrorModel/Periodic]
$late set period_ 9
$late set offset_ 2
$late drop-target [$ns set nullAgent_]
$ns at 1.5 "\[$ns link $n(1) $n(2)\] install-error $late"
$ns at 0.1 "$ftp start"
$ns at 0.3 "$cbr start"
set link [$ns link $n(0) $n(1)]
foreach part {head_ ttl_ enqT_ drpT_ drophead_} {puts "[catch {[$link set $part] reset} result] {$result}"}
$ns at 3.0 {exit 0}
$ns run
