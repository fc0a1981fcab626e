# Words in packets, token buckets, and the constant-rate agents of the old style.
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b 1Mb 5ms DropTail

set cbr [$ns create-connection CBR $a LossMonitor $b 1]
puts "[$cbr set packetSize_] [$cbr set interval_] [$cbr set random_] [$cbr set maxpkts_]"
$cbr set packetSize_ 500
$cbr set interval_ 5ms
$cbr set random_ 1
puts "[$cbr set packetSize_] [$cbr set interval_] [$cbr set random_] [$cbr set maxpkts_]"
$ns at 0.1 "$cbr start"
$ns at 0.5 "$cbr stop"

set any [$ns create-connection CBR/UDP $a Null $b 2]
set source [new Application/Traffic/Exponential]
$source set packetSize_ 210
$source set burst_time_ 500ms
$source set idle_time_ 100ms
$source set rate_ 100k
$any attach-traffic $source
$ns at 0.2 "$any start"

set bucket [new TBF]
$bucket set bucket_ 8000
$bucket set rate_ 60k
$bucket set qlen_ 20
set shaped [new Agent/UDP]
$shaped set fid_ 3
$ns attach-tbf-agent $a $shaped $bucket
set null [new Agent/Null]
$ns attach-agent $b $null
$ns connect $shaped $null
set fast [new Application/Traffic/CBR]
$fast set rate_ 300k
$fast set packetSize_ 300
$fast attach-agent $shaped
$ns at 0.05 "$fast start"
$ns at 0.8 "$fast stop"

Agent/Message instproc handle words { global ns; puts "[$ns now] [$self set node_] $words" }
set here [$ns create-connection Message $a Message $b 4]
$ns at 0.4 "$here send {hello there, world}"
$ns at 0.46 { catch { $here send [string repeat x 70] } error; puts $error }

Agent/UDP instproc process_data {from words} {
    global ns
    puts "[$ns now] $self from $from: $words"
    if {[string length $words] < 20} { $self send 40 "$words again" }
}
set speaker [$ns create-connection UDP $a UDP $b 5]
$ns at 0.42 "$speaker send 100 {some text}"
$ns at 0.43 "$speaker send 700"
$ns at 0.44 "$speaker sendmsg 300 abc NEW_BURST"

$ns at 1 "$ns flush-trace; close $trace; exit 0"
$ns run
