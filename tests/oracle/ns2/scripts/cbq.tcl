# Two agencies share a link: CBR and TCP in classes of both.
#     cbq.tcl KIND ALGORITHM [BORROWS EXTRADELAY]
foreach {kind algorithm borrows extradelay} [concat $argv 1 0] break
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
foreach name {s1 s2 s3 s4 r1 r2} { set $name [$ns node] }
foreach i {1 2 3 4} { $ns duplex-link [set s$i] $r1 10Mb ${i}ms DropTail }
$ns simplex-link $r2 $r1 1.5Mb 5ms DropTail
$ns simplex-link $r1 $r2 1.5Mb 5ms $kind
set link [$ns link $r1 $r2]
[$link queue] algorithm $algorithm

foreach {name parent share idle priority level} {
    top none 0.97 0.001 8 3
    a top 0.69 auto 8 2
    b top 0.29 auto 8 2
    a1 a 0.3 auto 1 1
    a2 a 0.4 auto 2 1
    b1 b 0.1 auto 1 1
    b2 b 0.2 0.02 1 1
} {
    set $name [new CBQClass]
    if {$parent != "none"} { set parent [set $parent] }
    set may [expr {$name == "b1" ? $borrows : 1}]
    [set $name] setparams $parent $may $share $idle $priority $level [expr {$name == "b1" ? $extradelay : 0}]
    if {$level == 1} {
        set queue [new Queue/DropTail]
        $queue set limit_ 15
        [set $name] install-queue $queue
    }
}
foreach {name fid} {top 0 a 0 b 0 a1 1 a2 2 b1 3 b2 4} {
    $link insert [set $name]
    if {$fid} { $link bind [set $name] $fid }
}
puts "[$a1 allot] [$a1 set maxidle_] [$b set maxidle_] [$a1 set okborrow_] [$a1 qdisc]"

foreach {fid rate size} {1 1.2Mb 500 3 500kb 190 4 900kb 1000} {
    set udp [$ns create-connection UDP [set s$fid] Null $r2 $fid]
    set cbr [new Application/Traffic/CBR]
    $cbr attach-agent $udp
    $cbr set rate_ $rate
    $cbr set packetSize_ $size
    $ns at 0.$fid "$cbr start"
    $ns at [expr 2 * $fid] "$cbr stop"
    $ns at [expr 1.5 + 2 * $fid] "$cbr start"
}
set tcp [$ns create-connection TCP/Sack1 $s2 TCPSink/Sack1 $r2 2]
set ftp [$tcp attach-app FTP]
$ns at 1.0 "$ftp start"
$ns at 9.0 "$ftp stop"
$ns at 7.0 "$b2 newallot 0.1; $b1 newallot 0.2"
$ns at 12.0 "$ns flush-trace; close $trace; exit 0"
$ns run
