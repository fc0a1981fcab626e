# Routes set by hand (`rtproto Manual`), with a default route at the edges; and, with an argument, routes that sources choose.

set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
set chosen [llength $argv]
if {$chosen} {
    $ns src_rting 1
} else {
    $ns rtproto Manual
}
for {set i 0} {$i < 5} {incr i} {
    set n($i) [$ns node]
    puts "$i $n($i) [$n($i) list-modules] [[$n($i) entry] info class]"
}
foreach {from to} {0 1  1 2  2 3  1 3  3 4} {
    $ns duplex-link $n($from) $n($to) 1.5Mb 10ms DropTail
}
if {!$chosen} {
    foreach {at near} {0 1  4 3} {
        [$n($at) get-module Manual] add-route-to-adj-node -default $n($near)
    }
    foreach {at near} {1 0  1 2  2 1  2 3  3 4  3 1} {
        [$n($at) get-module Manual] add-route-to-adj-node $n($near)
    }
    [$n(1) get-module Manual] add-route 4 [[$ns link $n(1) $n(2)] head]
    [$n(2) get-module Manual] add-route 4 [[$ns link $n(2) $n(3)] head]
    [$n(2) get-module Manual] add-route-to-adj-node -default $n(1)
    [$n(3) get-module Manual] add-route default [[$ns link $n(3) $n(1)] head]
}
foreach {from to fid} {0 4 1  0 4 2  2 0 3} {
    set tcp [$ns create-connection TCP/Reno $n($from) TCPSink $n($to) $fid]
    puts "[$tcp set agent_port_] [$tcp set dst_port_]"
    set ftp($fid) [$tcp attach-app FTP]
    if {$chosen && $fid != 3} {
        set router [$n($from) set src_agent_]
        $tcp target $router
        eval $router install_connection $fid $from $to [lindex {{} {0 1 2 3 4} {0 1 3 4}} $fid]
    }
    $ns at [expr 0.1 * $fid] "$ftp($fid) start"
}
$ns at 3.0 "close $trace; exit 0"
$ns run
