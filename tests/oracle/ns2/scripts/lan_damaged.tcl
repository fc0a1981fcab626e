# Packets that an error model has marked, and nobody dropped, come to a LAN: its receivers drop them.
#     lan_damaged.tcl MAC CHANGE
foreach {mac change} $argv break
set ns [new Simulator]
set tf [open out.tr w]
$ns trace-all $tf
foreach name {a b c d} {set $name [$ns node]}
$ns newLan "$b $c $d" 10Mb 1.5ms -llType LL -ifqType Queue/DropTail -macType $mac
$ns duplex-link $a $b 0.2Mb 50ms DropTail
set sender [$ns create-connection TCP $a TCPSink $c 0]
set other [$ns create-connection TCP/Newreno $d TCPSink $a 1]
$ns at 0.1 "[$sender attach-app FTP] start"
$ns at 0.2 "[$other attach-app FTP] start"
set em [new ErrorModel/List]
$em droplist {3 5 9}
switch $change {
    marks {$em set markecn_ true}
    delays {$em set delay_pkt_ true; $em set delay_ 0.05}
}
set head [[$ns link $a $b] head]
$em target [$head target]
$head target $em
if {$change == "lost"} {$em drop-target [new Agent/Null]}
$ns at 3 {puts "[$sender set ack_] [$other set ack_]"}
$ns at 3 "close $tf; exit 0"
$ns run
