# The three ways to make an object, init, and the -name value arguments.
Class W
W instproc color c { $self set color_ $c }
W instproc size s { $self set size_ $s }
W w1 -color red -size 3
puts "[w1 set color_] [w1 set size_]"
puts [W create w2 color blue]
puts [w2 set color_]
set o [new W -size 9]
puts [$o set size_]
puts [catch {W w3 -color} message]; puts $message
puts [catch {W w3 -nosuch 1} message]; puts $message
puts [catch {w3 info class} message]; puts $message
puts [catch {W create} message]; puts $message
Class V -superclass W
V instproc init {a args} { puts "init $a ($args)"; puts "next gives <[eval $self next $args]>"; return 5 }
puts [V v1 x -color green]
puts [v1 set color_]
puts [catch {V v2} message]
puts [catch {new V x 1 2 3} message]; puts $message
puts [catch {new Nope} message]; puts $message
puts [lsort [W info instances]]
W w1
puts <[w1 info vars]>
