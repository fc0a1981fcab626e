# Procs of a class, and create or destroy overridden.
Class X
X proc make args { return "make $self $args" }
puts [X make 1 2]
X proc create {name args} { puts "creating $name"; eval $self next $name $args }
X instproc init args { puts "init $args"; $self next }
puts [X create x2]
puts [X x3 a b]
set o [new X]
X instproc destroy {} { puts "destroying"; $self next; return gone }
puts <[x2 destroy]>
puts <[info commands x2]>
delete $o
Class Y -superclass X
puts [catch {Y make} message]
X set count 4
puts [X set count]
X proc bump {} { $self instvar count; incr count }
puts [X bump]
