# Events of the script: cancelled, at equal times, in the past of nothing, from within one another.
set ns [new Simulator]
proc say {words} {
    global ns
    puts "[$ns now] $words"
}
set a [$ns at 1.0 "say first"]
set b [$ns at 1.0 "say second"]
set c [$ns at 1.0 "say third"]
$ns cancel $b
$ns at 0.5 "$ns cancel $a"
$ns at 1.0 "say fourth; $ns at 1.0 {say fifth}"
$ns at 1.5 "say now; \$ns at-now {say at-now}; say after"
$ns at 0.25 {
    say block
    set i 0
    while {$i < 3} { incr i; $ns at [expr 2 + $i * 0.1] "say step-$i" }
}
$ns at 3.0 "$ns halt"
$ns at 4.0 "say never"
$ns run
puts "after the run at [$ns now]"
exit 3
