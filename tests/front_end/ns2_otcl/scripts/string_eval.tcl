# Calls built as strings, as old scripts do.
Class S
S instproc add {a b} { expr $a + $b }
S instproc via args { eval $self add $args }
S instproc safe {} { if [catch "$self nosuch" m] { return "caught: $m" } }
S s
puts [s via 1 2]
set cmd "s add 3 4"
puts [eval $cmd]
puts [eval "s add" {5 6}]
puts [s safe]
set m add
puts [s $m 7 8]
puts [[set x s] add 9 10]
foreach o {s} { puts [$o add 1 1] }
S instproc each {list body} { foreach item $list { uplevel 1 [list set item $item]; uplevel 1 $body } }
s each {a b} { puts "item $item" }
