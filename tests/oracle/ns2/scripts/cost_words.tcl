# What the distance vector protocol makes of a cost: it is added by `expr`.
#     cost_words.tcl COST [silent]
set ns [new Simulator]
set is_silent [expr {[lindex $argv 1] == "silent"}]
# ns-2 does not write out what it has in memory where it ends with an error.
if {!$is_silent} {$ns trace-all [open out.tr w]}
foreach name {a b c d} {set $name [$ns node]}
foreach {near far} "$a $b $b $c $a $d $d $c" {$ns duplex-link $near $far 1Mb 10ms DropTail}
$ns rtproto DV
set f [new Application/Traffic/CBR]
$f attach-agent [$ns create-connection UDP $a Null $c 0]
$ns at 0.2 "$f start"
$ns at 0.1 {set cost [$ns cost $a $b [lindex $argv 0]]}
$ns rtmodel-at 1 down $b $c
$ns rtmodel-at 2 up $b $c
$ns at 3 "exit 0"
if {$is_silent} {close stdout} else {$ns at 2 {puts $cost}}
$ns run
