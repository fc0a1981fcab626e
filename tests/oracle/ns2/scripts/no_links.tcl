# A network without links: ns-2 says for each pair of nodes that there are no routes.
set ns [new Simulator]
foreach name {a b c} { set $name [$ns node] }
$ns at 1 "puts end; exit 0"
$ns run
