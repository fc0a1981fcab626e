# A class that takes any method.
Class U
U instproc unknown {m args} { return "unknown $m ($args)" }
U u
puts [u zork]
puts [u zork 1 {2 3}]
U instproc zork args { return "known ($args)" }
puts [u zork 1]
Class V -superclass U
V v
puts [v other]
V instproc unknown {m args} { return "V: [eval $self next $m $args]" }
puts [v other 2]
Object o
puts [catch {o other} message]; puts $message
U proc unknown {m args} { return "class unknown $m" }
puts [U foo]
