# An error model in units of time that is reset: ns-2 ends at its next change of state.
set ns [new Simulator]
set n0 [$ns node]
set n1 [$ns node]
$ns duplex-link $n0 $n1 1Mb 10ms DropTail
set errors [new ErrorModel/TwoStateMarkov [lindex $argv 0] time]
$ns lossmodel $errors $n0 $n1
$ns rtmodel-at 3.382 down $n0 $n1
$ns rtmodel-at 7.7 up $n0 $n1
$ns at 12 "puts end; exit 0"
$ns run
