# RED with preferential dropping: two TCP flows and constant bit rate, policed and left alone at times; what monitors and flows say.
#     red_pd.tcl TYPES KIND [WHERE:VARIABLE VALUE]...
# TYPES is what the queue is made with (nothing, or the traces of drops by the police and of early drops, a comma between), KIND is what flows are
# told apart by, and WHERE is queue, or flow (each flow, when it is policed first).
set ns [new Simulator]
$ns trace-all [open out.tr w]
set settings [lrange $argv 2 end]
foreach name {a b r s} {set node($name) [$ns node]}
$ns duplex-link $node(a) $node(r) 10Mb 2ms DropTail
$ns duplex-link $node(b) $node(r) 10Mb 3ms DropTail
eval $ns simplex-link $node(r) $node(s) 0.8Mb 20ms RED/PD [split [lindex $argv 0] ,]
$ns simplex-link $node(s) $node(r) 0.8Mb 20ms DropTail
$ns queue-limit $node(r) $node(s) 40
set link [$ns link $node(r) $node(s)]
set queue [$link queue]
set monitor [$queue makeflowmon $link [lindex $argv 1]]
foreach {name value} $settings {
    if {[string match queue:* $name]} {$queue set [string range $name 6 end] $value}
}
proc flow {fid} {
    global monitor
    foreach flow [$monitor flows] {
        if {[$flow set flowid_] == $fid} {return $flow}
    }
}
proc police {fid args} {
    global queue settings
    set flow [flow $fid]
    eval $queue monitor-flow $flow $args
    foreach {name value} $settings {
        if {[string match flow:* $name]} {$flow set [string range $name 5 end] $value}
    }
}
proc say {} {
    global monitor queue
    puts "[$queue set noMonitored_] [$monitor set pdrops_] [$monitor set mon_epdrops_] [$monitor set mon_ebdrops_] [$monitor set epdrops_]"
    foreach fid {1 2 3} {
        set flow [flow $fid]
        set line $fid
        foreach name {pdrops_ bdrops_ mon_epdrops_ mon_ebdrops_ epdrops_ targetBW_ currentBW_ monitored_ unresponsive_
            monitorStartTime_ unresponsiveStartTime_ lastDropTime_ auto_ estRate_ estimate_rate_ k_} {
            append line " [$flow set $name]"
        }
        puts $line
    }
    $monitor dump
}
$monitor attach [open flows.tr w]
foreach {fid from start} {1 a 0.0 2 b 0.5} {
    set tcp [$ns create-connection TCP/Sack1 $node($from) TCPSink/Sack1 $node(s) $fid]
    $tcp set window_ 40
    set ftp [$tcp attach-app FTP]
    $ns at $start "$ftp start"
}
set udp [$ns create-connection UDP $node(a) Null $node(s) 3]
set cbr [$udp attach-app Traffic/CBR]
$cbr set rate_ 0.3Mb
$cbr set packetSize_ 300
$ns at 1.0 "$cbr start"
$ns at 2.0 "police 1 0.1"
$ns at 2.2 "police 3 200kb 0.3Mb"
foreach wrong {{unmonitor-flow [flow 2]} {unresponsive-flow [flow 2]} {responsive-flow [flow 1]}} {
    $ns at 3.0 "puts \[catch {$queue $wrong}\]"
}
$ns at 3.9 say
$ns at 4.0 {$queue unresponsive-flow [flow 3]}
$ns at 5.0 {$queue unmonitor-flow [flow 1]}
$ns at 5.5 {$queue showme [flow 1]}
$ns at 6.0 {$queue responsive-flow [flow 3]; $monitor reset; [flow 1] reset}
$ns at 6.5 {police 2 0.7 1}
$ns at 8.0 say
$ns at 8.0 "exit 0"
$ns run
