# array names and info vars keep Tcl's own order, which ns-2's loops depend on.
Class C
C instproc fill {n} {
    $self instvar Node_
    for {set i 0} {$i < $n} {incr i} { set Node_($i) node$i }
    return [array names Node_]
}
foreach n {3 6 10 40} { C c$n; puts [c$n fill $n] }
C v
foreach name {alpha beta gamma delta link_ Node_ x y z rate_ limit_ q trace_} { v set $name 1 }
puts [v info vars]
puts [v info vars ?]
puts [v info vars *_]
