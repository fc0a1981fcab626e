Class Counter
Counter if
set ns [new Simulator]
$ns run
