# Addresses in three levels: routes by cluster and domain, which are not always the shortest; traces, nam, variables and
# what AddrParams answers. With an argument the levels have other bits.

set ns [new Simulator]
puts "[AddrParams hlevel] [AddrParams NodeMask 1] [AddrParams NodeShift 1] [AddrParams addr2id 5] [AddrParams id2addr 7]"
if {[llength $argv]} {
    eval $ns set-address-format hierarchical 3 $argv
} else {
    $ns node-config -addressType hierarchical
}
AddrParams set domain_num_ 3
AddrParams set cluster_num_ {3 2 1}
AddrParams set nodes_num_ {3 2 2 2 1 2}
foreach level {1 2 3} {
    puts "$level: [AddrParams NodeMask $level] [AddrParams NodeShift $level]"
}
puts "[AddrParams hlevel] [AddrParams nodebits] [AddrParams addr2id 1.0.1] [AddrParams id2addr [AddrParams addr2id 2.0.1]]"
puts "[AddrParams elements-in-level? 0.0 0] [AddrParams elements-in-level? 0.1 1] [AddrParams elements-in-level? 0.1 2]"
puts "[Simulator hier-addr?] [AddrParams split-addrstr 1.0.1]"

set trace [open out.tr w]
set nam [open out.nam w]
$ns trace-all $trace
$ns namtrace-all $nam

set places {1.1.0 0.0.0 0.2.1 2.0.0 0.0.1 0.1.0 1.0.1 0.0.2 0.1.1 2.0.1 0.2.0 1.0.0}
set count 0
foreach place $places {
    set n($place) [$ns node $place]
    puts "$place [$n($place) id] [$n($place) node-addr] $n($place) [[$n($place) entry] info class]"
}
foreach {from to cost} {
    0.0.0 0.0.1 1  0.0.1 0.0.2 3  0.1.0 0.1.1 1  0.2.0 0.2.1 2  1.0.0 1.0.1 1  2.0.0 2.0.1 1
    0.0.2 0.1.0 1  0.1.1 0.2.0 1  0.2.1 0.0.0 1  0.0.0 0.1.1 2
    0.0.1 1.0.0 1  1.0.1 1.1.0 1  1.1.0 2.0.1 1  2.0.0 0.2.0 2  0.1.0 2.0.1 1
} {
    $ns duplex-link $n($from) $n($to) 1.5Mb 10ms DropTail
    $ns cost $n($from) $n($to) $cost
    $ns cost $n($to) $n($from) $cost
}

set fid 0
foreach {from to} {0.0.0 2.0.1  1.1.0 0.2.1  0.0.2 0.0.0  2.0.0 1.0.0  0.1.1 1.1.0} {
    set tcp [$ns create-connection TCP/Newreno $n($from) TCPSink $n($to) [incr fid]]
    puts "$from [$tcp set agent_addr_] [$tcp set dst_addr_] [$tcp set dst_port_]"
    $tcp set window_ 12
    set ftp [$tcp attach-app FTP]
    $ns at [expr 0.1 * $fid] "$ftp start"
    set last $tcp
}
set watched [open out.var w]
$last attach $watched
$last trace cwnd_

set udp [new Agent/UDP]
$ns attach-agent $n(1.0.1) $udp
set null [new Agent/Null]
$ns attach-agent $n(0.0.2) $null
$udp set dst_addr_ [AddrParams addr2id 0.0.2]
$udp set dst_port_ [$null set agent_port_]
set cbr [new Application/Traffic/CBR]
$cbr attach-agent $udp
$ns at 0.3 "$cbr start"

proc finish {} {
    global ns n places trace nam watched
    $ns dump-routelogic-nh
    foreach place $places {
        puts "$place [$n($place) set rtsize_]"
    }
    $ns flush-trace
    close $trace
    close $nam
    close $watched
    exit 0
}
$ns at 2.0 finish
$ns run
