# Handles come from one counter.
Class A
proc number {o} { string range $o 2 end }
set first [number [new A]]
for {set i 1} {$i < 5} {incr i} { puts [expr [number [new A]] - $first] }
set o [new A]
delete $o
puts [expr [number [new A]] - $first]
puts [catch {$o info class} message]
A instproc init {} { $self set inner [new Object]; $self next }
set o [new A]
puts [expr [number [$o set inner]] - [number $o]]
puts [expr [number [SplitObject getid]] - [number $o]]
