# The delay of a link that can fail shrinks while packets are on it: each arrival delivers the packet that is first on the
# wire. How it ends when such a packet is sent on before its own arrival, or its memory is used for another.
#     overtaken.tcl plain|fails|late|apart|last|cut|forward|again
set kind [lindex $argv 0]
set ns [new Simulator]
# ns-2 does not write out what it has in memory where it ends by itself.
if {$kind != "again"} {$ns trace-all [open out.tr w]}
foreach name {a b c} {set $name [$ns node]}
$ns duplex-link $a $b 1Mb 100ms DropTail
$ns duplex-link $b $c 1Mb 5ms DropTail
set wire [[$ns link $a $b] link]
if {$kind != "plain"} {$ns rtmodel-at 5 up $a $b}
if {$kind == "late"} {[$ns link $a $b] dynamic}
if {$kind == "apart"} {[[$ns link $a $b] head] target [[[$ns link $a $b] head] target]}
set sender [new Agent/UDP]
set receiver [new Agent/LossMonitor]
$ns attach-agent $a $sender
$ns attach-agent [expr {$kind == "forward" ? $c : $b}] $receiver
$ns connect $sender $receiver
proc tell {} {
    global ns receiver
    puts "[$ns now] [$receiver set npkts_] [$receiver set nlost_] [$receiver set expected_] [$receiver set bytes_]"
}
foreach {at bytes} {0.1 100 0.11 200 0.13 300 0.131 400} {$ns at $at "$sender send $bytes"}
$ns at 0.12 "$wire set delay_ 10ms"
if {$kind == "last"} {$ns at 0.121 "$wire set delay_ 70ms; $wire set delay_ 1ms"}
if {$kind == "cut"} {
    $ns rtmodel-at 0.125 down $a $b
    $ns rtmodel-at 0.128 up $a $b
}
if {$kind == "again"} {foreach at {0.15 0.16 0.25} {$ns at $at "$sender send 50"}}
if {$kind == "again"} {close stdout} else {foreach at {0.14 0.145 0.18 0.22 0.4} {$ns at $at tell}}
$ns at 6 "exit 0"
$ns run
