# flow_monitor.tcl KIND EARLY
#
# A flow monitor over a RED queue: flows told apart by Fid, Dest, SrcDest or SrcDestFid, early drops by themselves
# (EARLY 1) or not. What each flow has counted is printed, and dumped to a file.
set ns [new Simulator]
foreach i {0 1 2 3} {
    set n($i) [$ns node]
}
$ns duplex-link $n(0) $n(2) 10Mb 2ms DropTail
$ns duplex-link $n(1) $n(2) 10Mb 3ms DropTail
$ns duplex-link $n(2) $n(3) 1Mb 10ms RED
$ns queue-limit $n(2) $n(3) 15
set monitor [$ns makeflowmon [lindex $argv 0] 31]
set link [$ns link $n(2) $n(3)]
$ns attach-fmon $link $monitor [lindex $argv 1]
set dump [open flows.out w]
$monitor attach $dump

foreach {source fid kind} {0 1 TCP/Reno 1 2 TCP} {
    set tcp [new Agent/$kind]
    $tcp set fid_ $fid
    $ns attach-agent $n($source) $tcp
    set sink [new Agent/TCPSink]
    $sink set fid_ $fid
    $ns attach-agent $n(3) $sink
    $ns connect $tcp $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at 0.$fid "$ftp start"
}
foreach {fid kind} {3 CBR 4 Exponential 5 Pareto} {
    set udp [new Agent/UDP]
    $udp set fid_ $fid
    $ns attach-agent $n(0) $udp
    set null [new Agent/Null]
    $ns attach-agent $n(3) $null
    $ns connect $udp $null
    set source [new Application/Traffic/$kind]
    $source attach-agent $udp
    $ns at 0.$fid "$source start"
}

proc report {} {
    global ns monitor
    puts "[$ns now] [$monitor flows] [$monitor set parrivals_] [$monitor set pdrops_] [$monitor set epdrops_]"
    puts "[$monitor set pkts_] [$monitor set size_] [$monitor set first_pkt_] [$monitor set last_pkt_]"
    set classifier [$monitor classifier]
    foreach fid {1 2 3 9} {
        set flow [$classifier lookup auto 0 3 $fid]
        puts "$fid $flow"
        if {$flow != ""} {
            puts "[$flow set parrivals_] [$flow set barrivals_] [$flow set pdrops_] [$flow set epdrops_]"
            puts "[$flow set src_] [$flow set dst_] [$flow set flowid_] [$flow set pdepartures_] [$flow set pmarks_]"
            set samples [$flow get-delay-samples]
            puts "$samples [$samples cnt] [$samples mean] [$samples variance]"
        }
    }
    $monitor dump
}
$ns at 0.15 report
$ns at 1 report
$ns at 3 {$monitor reset; $monitor set enable_out_ false}
$ns at 5 {report; puts [new Object]}
$ns at 5.1 "exit 0"
$ns run
