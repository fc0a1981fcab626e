# upvar and uplevel count levels as with plain procs.
Class L
L instproc up {name} { upvar $name v; incr v; uplevel {set here 1}; return [info level] }
L instproc up1 {name} { upvar 1 $name v; lappend v x; uplevel 1 {append trail .} }
L instproc outer {} { set local 5; set n [$self up local]; return "$local $here $n" }
L instproc glob {} { global g; set g 9; upvar #0 h hh; set hh 8 }
L instproc deep {n} { if {$n == 0} { return [info level] }; $self deep [expr $n - 1] }
Class K -superclass L
K instproc up {name} { upvar $name v; set v 100; $self next v; return $v }
L l; K k
proc t {} { set a 1; l up a; l up1 a; return "$a $here $trail" }
puts [t]
puts [l outer]
set k 1
puts "[k up k] $k"
l glob
puts "$g $h"
puts [l deep 20]
set top 3
l up top
puts "$top $here"
