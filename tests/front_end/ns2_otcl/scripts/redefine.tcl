# Methods that appear, change and go while objects exist.
Class P; Class Q -superclass P; Q q
P instproc dyn {} { return P }
puts [q dyn]
Q instproc dyn {} { return Q[$self next] }
puts [q dyn]
q proc dyn {} { return q[$self next] }
puts [q dyn]
P instproc dyn {} { return P2 }
puts [q dyn]
q proc dyn {} {}
puts [q dyn]
Q instproc dyn {} {}
puts "[q dyn] [Q info instprocs]"
P instproc dyn {} {}
puts [catch {q dyn} message]
puts $message
Class R; R instproc dyn {} { return R }
Q superclass R
puts [q dyn]
q class R
puts "[q info class] [q dyn]"
