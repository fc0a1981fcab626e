# Timers made from the library's: put off, called at once, called off.
set ns [new Simulator]
Class Mine -superclass Timer
Mine instproc timeout {} {
    $self instvar ns_ count_
    puts "[$ns_ now] [incr count_] $self"
    if {$count_ < 5} {$self resched 0.5}
}
set m [new Mine $ns]
$m set count_ 0
$m sched 1
set k [new Mine $ns]
$k set count_ 3
$k sched 1.2
$ns at 1.1 "$k sched 2"
$ns at 0.3 "$m expire"
$ns at 2.2 "$m cancel"
$ns at 5 "exit 0"
$ns run
