# An SCTP association through a slow link that loses some packets in both directions; a file transfer, with all variables
# polled. The receiver's variables are traced.
#     sctp.tcl CLASS [VARIABLE VALUE]...
# CLASS is what comes after Agent/SCTP, or base. The variables are set on the class.
set class Agent/SCTP
if {[lindex $argv 0] ne "base"} { append class /[lindex $argv 0] }
foreach {name value} [lrange $argv 1 end] { $class set $name $value }
if {[string match *imestamp $class]} { $class set dataChunkSize_ 1456 }
Trace set show_sctphdr_ 1
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
set nam [open out.nam w]
$ns namtrace-all $nam
foreach name {s r d} { set $name [$ns node] }
$ns duplex-link $s $r 8Mb 10ms DropTail
$ns duplex-link $r $d 800kb 90ms DropTail
$ns queue-limit $r $d 12
set losses [new ErrorModel/List]
$losses droplist {14 20 21 31 46 47 60 75 76 77 78 120 150}
$ns lossmodel $losses $r $d
set losses [new ErrorModel/List]
$losses droplist {9 25 26 60}
$ns lossmodel $losses $d $r

set sender [new $class]
set receiver [new $class]
$ns attach-agent $s $sender
$ns attach-agent $d $receiver
$sender set fid_ 1
$receiver set fid_ 2
$ns connect $sender $receiver
set variables [open variables.out w]
$receiver trace cwnd_
$receiver attach $variables
$receiver trace rwnd_
$receiver trace rto_
$receiver trace errorCount_
set ftp [new Application/FTP]
$ftp attach-agent $sender
proc poll {} {
    global ns sender receiver
    foreach name {cwnd_ rwnd_ rto_ errorCount_ frCount_ timeoutCount_ rcdCount_ dst_addr_} {
        lappend row [$sender set $name] [$receiver set $name]
    }
    puts "[$ns now] $row"
    $ns at [expr [$ns now] + 0.5] poll
}
$ns at 0.2 "$ftp start"
$ns at 0.5 poll
$ns at 7.0 "$receiver print rto_"
$ns at 20.0 "$ns flush-trace; close $trace; close $nam; close $variables; exit 0"
$ns run
