# Agents with methods of their own, classes whose values change and a Simulator whose methods do, while flows are made; its
# variables become Tcl's half-way.
set ns [new Simulator]
proc count {} { global ns; $ns instvar link_ ; puts [array size link_] }
set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b 10Mb 5ms DropTail
for {set i 0} {$i < 30} {incr i} {
    set n [$ns node]
    $ns duplex-link $a $n 1Mb 5ms DropTail
    if {$i % 5 == 4} { Agent/TCP set window_ $i }
    set t($i) [new Agent/TCP/Reno]
    $t($i) proc done {} "puts \"done $i\""
    set s [new Agent/TCPSink]
    $ns attach-agent $n $t($i)
    $ns attach-agent $b $s
    $ns connect $t($i) $s
    set f [new Application/FTP]
    $f attach-agent $t($i)
    $ns at 0.$i "$f start"
    $ns at 0.[expr $i + 20] "$f stop"
    if {$i == 12} { $ns proc simplex-link args { puts "link [lrange $args 2 3]"; eval $self next $args } }
    if {$i == 15} { $ns proc simplex-link {} {} ; $ns proc simplex-link args { eval $self next $args }}
    if {$i == 20} { count }
}
$ns at 3.0 {foreach i [lsort -integer [array names t]] { puts "$i [$t($i) set ack_] [$t($i) set window_]" }; exit 0}
$ns run
