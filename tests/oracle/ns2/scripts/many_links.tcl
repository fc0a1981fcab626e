# A ring of as many nodes as the first argument says, and one link across: the order of Tcl's arrays, which follows from all
# that was ever looked up in them, decides among ways of the same length.

set count [lindex $argv 0]
set ns [new Simulator]
for {set i 0} {$i < $count} {incr i} { set n($i) [$ns node] }
for {set i 0} {$i < $count} {incr i} {
    $ns duplex-link $n($i) $n([expr {($i + 1) % $count}]) 1Mb 1ms DropTail
}
$ns simplex-link $n(0) $n([expr {$count / 2}]) 1Mb 1ms DropTail
puts [$ns all-links-list]
$ns at 0 {
    for {set i 0} {$i < $count} {incr i} {
        set hops {}
        for {set j 0} {$j < $count} {incr j} { lappend hops [[$ns get-routelogic] lookup $i $j] }
        puts $hops
    }
    puts [array names n]
    exit 0
}
$ns run
