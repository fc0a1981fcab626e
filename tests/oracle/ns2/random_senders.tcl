# Two flows of one kind through a slow link, with any options, losses and doings of the applications.
#     random_senders.tcl SENDER SINK DISCIPLINE LIMIT LOST DOINGS [VARIABLE VALUE]...
# LOST are the packets that the slow link loses, by number. The variables are set on the sender's class.
foreach name {sender sink discipline limit lost doings} value [lrange $argv 0 5] { set $name $value }
foreach {name value} [lrange $argv 6 end] { $sender set $name $value }
Trace set show_tcphdr_ 1
Queue/RED set setbit_ true
Queue/RED set thresh_ 3
Queue/RED set maxthresh_ 9
Queue/RED set q_weight_ 0.05

set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
foreach name {s0 s1 r0 r1 k0 k1} { set $name [$ns node] }
$ns duplex-link $s0 $r0 8Mb 5ms DropTail
$ns duplex-link $s1 $r0 8Mb 3ms DropTail
$ns duplex-link $r0 $r1 800Kb 40ms $discipline
$ns queue-limit $r0 $r1 $limit
$ns queue-limit $r1 $r0 $limit
$ns duplex-link $r1 $k0 8Mb 5ms DropTail
$ns duplex-link $r1 $k1 8Mb 3ms DropTail
if {[llength $lost]} {
    set errors [new ErrorModel/List]
    $errors droplist $lost
    $errors drop-target [new Agent/Null]
    $ns lossmodel $errors $r0 $r1
}

proc flow {i from to} {
    global ns tcp ftp sender sink
    set tcp($i) [new $sender]
    set end [new $sink]
    $tcp($i) set fid_ $i
    $ns attach-agent $from $tcp($i)
    $ns attach-agent $to $end
    $ns connect $tcp($i) $end
    set ftp($i) [$tcp($i) attach-app FTP]
}
flow 0 $s0 $k0
flow 1 $s1 $k1
$tcp(0) attach $trace
foreach name {cwnd_ ssthresh_ t_seqno_ dupacks_ rtt_ srtt_ rttvar_ backoff_ maxseq_ ack_ seqno_ ndatapack_ ndatabytes_
    nackpack_ nrexmit_ nrexmitpack_ nrexmitbytes_ necnresponses_ ncwndcuts_ ncwndcuts1_} {
    $tcp(0) tracevar $name
}

proc poll {} {
    global ns tcp
    foreach name {cwnd_ awnd_ ssthresh_ rtt_ srtt_ rttvar_ backoff_ decrease_num_ windowInit_ windowInitOption_} {
        lappend row [$tcp(0) set $name]
    }
    puts $row
    $ns at [expr [$ns now] + 0.5] poll
}
proc finish {} {
    global ns trace
    $ns flush-trace
    close $trace
    exit 0
}

$ns at 0.1 "$ftp(0) start"
switch $doings {
    bursts {
        $ns at 1.3 "$ftp(1) produce 20"
        $ns at 1.9 "$ftp(0) stop"
        $ns at 3.7 "$ftp(1) producemore 13"
        $ns at 6.3 "$ftp(0) producemore 30"
        $ns at 9.1 "$tcp(0) advanceby 17"
    }
    writes {
        $ns at 1.3 "$ftp(1) start"
        $ns at 2.0 "$tcp(0) set cwnd_ 3"
        $ns at 2.7 "$tcp(0) set window_ 9"
        $ns at 4.0 "$tcp(0) set window_ 30"
        $ns at 4.5 "$tcp(1) set packetSize_ 500"
        $ns at 5.5 "$tcp(0) set ssthresh_ 5"
        $ns at 6.5 "$tcp(0) set backoff_ 4"
        $ns at 7.5 "$tcp(1) persist $tcp(0)"
        $ns at 8.0 {flow 2 $s0 $k1; puts [$tcp(2) set cwnd_]; $ftp(2) start}
    }
    amounts {
        $ns at 1.3 "$ftp(0) send 12345"
        $ns at 1.5 "$ftp(1) send 30000"
        $ns at 5.5 "$tcp(0) advance 100"
        $ns at 6.5 "$tcp(0) advance 20"
        $ns at 9.5 "$tcp(1) advance 90"
    }
    reset {
        $ns at 1.3 "$ftp(1) start"
        $ns at 4.01 "$tcp(1) reset"
        $ns at 4.7 "$ftp(1) start"
    }
}
$ns at 0 poll
$ns at 12.0 finish
$ns run
