# Token buckets tag two flows before a queue that treats what is in and out differently; a third flow is not told of before.
#     tagger.tcl [KIND]
set kind [lindex "$argv Fid" 0]
set ns [new Simulator]
$ns trace-all [open out.tr w]
Queue/RED/RIO set in_thresh_ 10
Queue/RED/RIO set in_maxthresh_ 20
Queue/RED/RIO set out_thresh_ 3
Queue/RED/RIO set out_maxthresh_ 9
foreach i {0 1 2 3} {set n($i) [$ns node]}
$ns duplex-link $n(0) $n(2) 10Mb 2ms DropTail
$ns duplex-link $n(1) $n(2) 10Mb 3ms DropTail
$ns duplex-link $n(2) $n(3) 1.5Mb 20ms RED/RIO
set link [$ns link $n(0) $n(2)]
set tagger [$ns maketbtagger $kind]
$ns attach-tagger $link $tagger
set flows [$tagger classifier]
if {$kind == "Fid"} {
    $flows set-flowrate 1 400000 8000 8000
    $flows set-flowrate 2 200kb 10000 1
}
foreach {fid from} {1 0 2 0 3 0 4 1} {
    set tcp($fid) [$ns create-connection TCP/Sack1 $n($from) TCPSink/Sack1 $n(3) $fid]
    $tcp($fid) set window_ 40
    set ftp [$tcp($fid) attach-app FTP]
    $ns at [expr 0.1 * $fid] "$ftp start"
}
proc tell {} {
    global ns tagger flows link
    foreach flow [$tagger flows] {
        set row {}
        foreach name {flowid_ src_ dst_ parrivals_ barrivals_ target_rate_ bucket_depth_ tbucket_} {lappend row [$flow set $name]}
        puts "[$ns now] $row"
    }
    puts "[$tagger set parrivals_] [[$link set qMonitor_] info class]"
}
$ns at 2.0 tell
$ns at 6.0 {tell; exit 0}
$ns run
