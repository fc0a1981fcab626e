# self, class and proc as a body sees them; arguments with defaults.
Class A
A instproc show {} { list $self $class $proc }
Class B -superclass A
A a; B b
puts "[a show] [b show]"
B proc show {} { list $self $class $proc }
puts [B show]
A instproc opt {a {b 3} args} { list $a $b $args [llength $args] }
puts [b opt 1]
puts [b opt 1 2 3 {4 5}]
puts "[catch {b opt}] [catch {b show 1}]"
puts [A info instargs opt]
puts [A info instdefault opt b v]$v
puts [A info instdefault opt a w]
puts [A info instbody show]
puts [catch {A info instbody nope} message]; puts $message
puts [catch {A info instargs nope} message]; puts $message
