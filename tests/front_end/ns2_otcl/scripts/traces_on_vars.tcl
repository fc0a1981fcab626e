# Tcl's own variable traces on instance variables.
Class C
proc watch {name element op} { upvar 1 $name v; puts "wrote $v" }
C instproc start {} { $self instvar n; set n 0; trace variable n w watch }
C instproc step {} { $self instvar n; incr n }
C c
c start
c step
c step
puts [c set n]
