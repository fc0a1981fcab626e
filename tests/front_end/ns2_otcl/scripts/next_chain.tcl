# next: through single and multiple inheritance, with and without arguments, from eval.
Class A; Class B; Class C -superclass {A B}; Class D -superclass C
foreach c {A B C D} {
    $c instproc f {x} { puts "$self $class $proc $x"; return "$class<[$self next $x]>" }
    $c instproc g args { puts "$class $args"; eval $self next $args }
}
D d
puts [d f 1]
puts [d g 1 {2 3} 4]
A instproc h {} { return "A.h then [$self next]." }
B instproc h {} { return B.h }
puts [d h]
d proc h {} { return "own($class) [$self next]" }
puts [d h]
puts [catch {d next} message]
puts $message
