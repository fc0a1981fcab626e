# The names of objects that a script makes after classes were inserted into a CBQ link and flows were bound to them.
set ns [new Simulator]
set n4 [$ns node]
set n5 [$ns node]
$ns simplex-link $n4 $n5 1Mb 5ms CBQ
set top [new CBQClass]
$top setparams none 0 0.97 0 8 2 0
set q [new Queue/DropTail]
set left [new CBQClass]
$left setparams $top 0 0.5 0 1 1 0
$left install-queue $q
[$ns link $n4 $n5] insert $top
Class C
puts [new C]
[$ns link $n4 $n5] insert $left
puts [new C]
[$ns link $n4 $n5] bind $left 0 
puts [new C]
[$ns link $n4 $n5] bind $left 1 3
puts [new C]
set l [$ns link $n4 $n5]
puts [[$l set classifier_] info class]
puts [[$l set classifier_] slot 0]
