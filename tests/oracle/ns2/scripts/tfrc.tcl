# A TFRC flow beside a TCP flow in a short RED queue that also loses every 70th packet.
#     tfrc.tcl SOURCE [VARIABLE VALUE]...
# SOURCE is start (the sender's own), or an application that feeds it. The variables are set on the sender; a name that
# begins with sink: is set on the receiver.
set source [lindex $argv 0]
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
foreach name {s1 s2 r1 r2 d1 d2} { set $name [$ns node] }
foreach {a b delay} {s1 r1 2ms s2 r1 3ms r2 d1 4ms r2 d2 5ms} { $ns duplex-link [set $a] [set $b] 10Mb $delay DropTail }
$ns duplex-link $r1 $r2 1Mb 20ms RED
$ns queue-limit $r1 $r2 20
[[$ns link $r1 $r2] queue] set setbit_ true

if {$source != "start"} { Agent/TFRC set SndrType_ 1 }
set tfrc [new Agent/TFRC]
set sink [new Agent/TFRCSink]
foreach {name value} [lrange $argv 1 end] {
    if {[string match sink:* $name]} {
        $sink set [string range $name 5 end] $value
    } else {
        $tfrc set $name $value
    }
}
$ns attach-agent $s1 $tfrc
$ns attach-agent $d1 $sink
$ns connect $tfrc $sink
$tfrc set fid_ 1
set losses [new ErrorModel/Periodic]
$losses unit pkt
$losses set period_ 70
$losses drop-target [new Agent/Null]
$ns link-lossmodel $losses $r1 $r2

set tcp [$ns create-connection TCP/Sack1 $s2 TCPSink/Sack1 $d2 2]
$tcp set window_ 30
set ftp [$tcp attach-app FTP]
$ns at 3.0 "$ftp start"
$ns at 8.0 "$ftp stop"

if {$source == "start"} {
    $ns at 0.5 "$tfrc start"
    $ns at 15.0 "$tfrc stop"
} else {
    set feeder [new Application/$source]
    $feeder attach-agent $tfrc
    $ns at 0.5 "$feeder start"
    $ns at 6.0 "$feeder stop"
    $ns at 9.0 "$feeder start"
}
proc poll {} {
    global ns tfrc sink
    foreach name {rate_ ndatapack_ ndatabytes_ true_loss_rate_ fsize_} { lappend row [$tfrc set $name] }
    puts "[$ns now] $row [$sink set bytes_] [$sink set NumSamples_]"
    $ns at [expr [$ns now] + 0.5] poll
}
$ns at 0.5 poll
$ns at 16.0 "$ns flush-trace; close $trace; exit 0"
$ns run
