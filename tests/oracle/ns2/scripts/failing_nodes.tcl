# Which nodes `rtmodel-at` is told: none, unknown ones, two without a link, three.
#     failing_nodes.tcl words|apart|three
set kind [lindex $argv 0]
set ns [new Simulator]
set tf [open out.tr w]
$ns trace-all $tf
foreach name {a b c d} {set $name [$ns node]}
foreach {near far} "$a $b $b $c $c $d" {$ns duplex-link $near $far 1Mb 10ms DropTail}
switch $kind {
    words {
        foreach nodes "{} foo {$a foo} {foo $a} {$a foo bar}" {
            puts "[catch {eval $ns rtmodel-at 1.5 down $nodes} message] [regsub {_o\d+} $message object]"
        }
    }
    apart {puts [catch {$ns rtmodel-at 1 down $a $c}]}
    three {puts [catch {$ns rtmodel-at 1 down $b $c $d}]}
}
$ns rtproto DV
set f [new Application/Traffic/CBR]
$f attach-agent [$ns create-connection UDP $a Null $d 0]
$ns at 0.5 "$f start"
$ns at 2 "puts end; close $tf; exit 0"
$ns run
