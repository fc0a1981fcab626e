# A second error model behind a link's wire, which ns-2 cannot take.
set ns [new Simulator]
set n0 [$ns node]; set n1 [$ns node]
$ns duplex-link $n0 $n1 1Mb 10ms DropTail
$ns link-lossmodel [new ErrorModel/Uniform 0.1 pkt] $n0 $n1
$ns link-lossmodel [new ErrorModel/Uniform 0.2 pkt] $n0 $n1
puts ok
