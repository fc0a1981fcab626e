# A protocol of the script's own over two-way TCP: questions and answers, several messages in a segment, one in many, and
# what reads as the length. With losses.
#     tcp_app.tcl VARIANT
set ns [new Simulator]
$ns trace-all [open out.tr w]
foreach i {0 1 2} {set n($i) [$ns node]}
$ns duplex-link $n(0) $n(1) 2Mb 5ms DropTail
$ns duplex-link $n(1) $n(2) 0.5Mb 15ms DropTail
$ns queue-limit $n(1) $n(2) 4
$ns queue-limit $n(2) $n(1) 4
foreach {here there} {a b c d} {
    foreach {name at} [list $here 0 $there 2] {
        set tcp($name) [new Agent/TCP/FullTcp[lindex $argv 0]]
        $ns attach-agent $n($at) $tcp($name)
    }
    $ns connect $tcp($here) $tcp($there)
    $tcp($there) listen
    foreach name [list $here $there] {set app($name) [new Application/TcpApp $tcp($name)]}
    $app($here) connect $app($there)
}
puts "[$app(a) dst] [[$app(a) agent] info class]"
proc ask {from to size} {
    global ns app
    puts "[$ns now] $from asks for $size"
    $app($from) send 100 [list answer $to $from $size]
}
proc answer {from to size} {
    global ns app
    puts "[$ns now] $from answers with $size"
    $app($from) send $size [list got $to $from $size]
}
proc got {at from size} {
    global ns
    puts "[$ns now] $at got $size"
    if {$size < 40000} {$ns at [expr [$ns now] + 0.05] "ask $at $from [expr 2 * $size]"}
}
$ns at 0.1 "ask a b 1000"
$ns at 0.2 "ask c d 3000"
$ns at 0.3 {foreach size {10 20 30 536 1} {$app(a) send $size "puts \"\[$ns now\] $size\""}}
$ns at 0.31 {$app(d) send 5000 "puts bulk"; $app(d) send 1x "puts last"}
$ns at 6.0 {exit 0}
$ns run
