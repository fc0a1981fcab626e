# break, continue, error and return through methods.
Class R
R instproc br {} { return -code break }
R instproc co {} { return -code continue }
R instproc er {} { return -code error oops }
R instproc er2 {} { error "bad thing" }
R instproc loop {} { foreach x {1 2 3} { if {$x == 2} break; puts $x }; return end }
R r
foreach x {1 2 3} { puts $x; if {$x == 2} { r br } }
foreach x {1 2 3} { if {$x == 2} { r co }; puts $x }
puts "[catch {r er} message] $message"
puts "[catch {r er2} message] $message"
puts [r loop]
puts "[catch {r nothing} message] $message"
