# nam's lines without the header of SRM: which headers are taken away or added.
if {[lindex $argv 0] eq "a"} { remove-all-packet-headers; add-packet-header IP TCP Flags RTP }
if {[lindex $argv 0] eq "b"} { remove-packet-header SRM }
if {[lindex $argv 0] eq "c"} { remove-all-packet-headers; add-packet-header IP TCP RTP }
if {[lindex $argv 0] eq "d"} { remove-all-packet-headers; add-packet-header IP TCP RTP SRM Flags}
if {[lindex $argv 0] eq "e"} { remove-packet-header SRM AODV; add-packet-header SRM }
if {[lindex $argv 0] eq "f"} { remove-packet-header SRM; add-all-packet-headers }
if {[lindex $argv 0] eq "g"} { remove-packet-header SRMEXT TORA}
set ns [new Simulator]
set nf [open out.nam w]
$ns namtrace-all $nf
set n0 [$ns node]; set n1 [$ns node]
$ns duplex-link $n0 $n1 1Mb 10ms DropTail
foreach k {CBR Exponential Pareto} {
set u [new Agent/UDP]; $ns attach-agent $n0 $u; $u set fid_ 5
set s [new Agent/Null]; $ns attach-agent $n1 $s; $ns connect $u $s
set a [new Application/Traffic/$k]; $a attach-agent $u
$ns at 0.1 "$a start"
}
set u [new Agent/UDP]; $ns attach-agent $n0 $u;$ns connect $u $s; $ns at 0.15 "$u send 100"
set t [new Agent/TCP]; $ns attach-agent $n0 $t; set k [new Agent/TCPSink]; $ns attach-agent $n1 $k; $ns connect $t $k; set f [$t attach-app FTP]; $ns at 0.1 "$f start"
if {[lindex $argv 0] in {b g ""}} { set p [new Agent/Ping]; $ns attach-agent $n0 $p; set p2 [new Agent/Ping]; $ns attach-agent $n1 $p2; $ns connect $p $p2; Agent/Ping instproc recv {a b} {}; $ns at 0.2 "$p send"}
$ns at 1.5 "exit 0"
$ns run
