# Deficit round robin, set by its commands. Argument: mask (1: flows are nodes).
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
foreach i {0 1 2 3} { set n($i) [$ns node] }
$ns duplex-link $n(0) $n(2) 10Mb 1ms DropTail
$ns duplex-link $n(1) $n(2) 10Mb 1ms DropTail
$ns duplex-link $n(2) $n(3) 1Mb 5ms DRR
set queue [[$ns link $n(2) $n(3)] queue]
$queue mask [lindex $argv 0]
$queue blimit 12000
$queue quantum 500
$queue buckets 7
puts "[$queue set mask_] [$queue set blimit_] [$queue set quantum_] [$queue set buckets_]"
foreach {from rate start} {0 700k 0.1 0 400k 0.12 1 300k 0.2 1 500k 0.3} {
    set udp [$ns create-connection UDP $n($from) Null $n(3) 1]
    set cbr [new Application/Traffic/CBR]
    $cbr set rate_ $rate
    $cbr attach-agent $udp
    $ns at $start "$cbr start"
}
$ns at 1.5 "$ns flush-trace; close $trace; exit 0"
$ns run
