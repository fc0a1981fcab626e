# XCP: four senders over two routers, one the other way, beside TCP and constant bit rate; what the first router and the first
# sender compute.
#     xcp.tcl one-way|two-way [WHERE:VARIABLE VALUE]...
# WHERE is tcp (senders), from (the first sender alone), queue (the first router), class (Queue/XCP itself), xcp, red or other
# (its three parts), call (a method of the first router's queue) or loss (packets lost on the link between the routers).
set ns [new Simulator]
$ns trace-all [open out.tr w]
set kind [lindex $argv 0]
set settings [lrange $argv 1 end]
foreach {name value} $settings {
    if {[string match class:* $name]} {Queue/XCP set [string range $name 6 end] $value}
}
foreach name {a b r s c d} {set node($name) [$ns node]}
foreach {from to rate delay} {a r 8Mb 3ms b r 8Mb 12ms r s 2Mb 10ms s c 8Mb 1ms s d 4Mb 5ms} {
    $ns duplex-link $node($from) $node($to) $rate $delay XCP
    foreach {here there} [list $node($from) $node($to) $node($to) $node($from)] {
        $ns queue-limit $here $there 30
        set link [$ns link $here $there]
        [$link queue] set-link-capacity [[$link link] set bandwidth_]
    }
}
set queue [[$ns link $node(r) $node(s)] queue]
$queue attach [open queue.tr w]
array set part {xcp vq_(0) red vq_(1) other vq_(2)}
foreach {name value} $settings {
    foreach {where variable} [split $name :] break
    switch $where {
        queue {$queue set $variable $value}
        call {$queue $variable $value}
        xcp - red - other {[$queue set $part($where)] set $variable $value}
        loss {
            set errors [new ErrorModel]
            $errors set rate_ $value
            $errors ranvar [new RandomVariable/Uniform]
            $errors drop-target [new Agent/Null]
            $ns lossmodel $errors $node(r) $node(s)
        }
    }
}
proc flow {number from to start} {
    global ns kind node settings
    if {$kind == "two-way"} {
        set tcp [new Agent/TCP/FullTcp/Newreno/XCP]
        set sink [new Agent/TCP/FullTcp/Newreno/XCP]
    } else {
        set tcp [new Agent/TCP/Reno/XCP]
        set sink [new Agent/TCPSink/XCPSink]
    }
    $ns attach-agent $node($from) $tcp
    $ns attach-agent $node($to) $sink
    $ns connect $tcp $sink
    $tcp set fid_ $number
    $sink set fid_ $number
    $tcp set window_ 200
    $tcp set packetSize_ 1000
    if {$kind == "two-way"} {
        $tcp set segsize_ 960
        $sink listen
        $ns at [expr $start + 1] "$sink send 20000"
    }
    foreach {name value} $settings {
        if {[string match tcp:* $name]} {$tcp set [string range $name 4 end] $value}
        if {[string match from:* $name] && $number == 1} {$tcp set [string range $name 5 end] $value}
    }
    if {$number == 1} {
        $tcp attach [open sender.tr w]
        $tcp trace cwnd_
    }
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at $start "$ftp start"
    return $ftp
}
set first [flow 1 a c 0.1]
flow 2 b c 0.5
flow 3 a d 1.5
flow 4 d b 0.3
$ns at 4 "$first stop"
set tcp [new Agent/TCP/Newreno]
set sink [new Agent/TCPSink]
$ns attach-agent $node(b) $tcp
$ns attach-agent $node(d) $sink
$ns connect $tcp $sink
$tcp set fid_ 5
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 2.5 "$ftp start"
set udp [new Agent/UDP]
set null [new Agent/Null]
$ns attach-agent $node(a) $udp
$ns attach-agent $node(c) $null
$ns connect $udp $null
$udp set fid_ 6
set cbr [new Application/Traffic/CBR]
$cbr set rate_ 200kb
$cbr set packetSize_ 300
$cbr attach-agent $udp
$ns at 3.0 "$cbr start"
proc finish {} {
    global queue
    puts "[$queue queue-read-drops] packets dropped"
    exit 0
}
$ns at 6.0 finish
$ns run
