# What objects and classes say when asked.
Class A; Class B -superclass A
A instproc one {} { return 1 }
B instproc two {x} { return $x }
B b
puts "[b info class] [b info class A] [b info class Object] [b info class Class]"
puts "[A info instprocs] [B info instprocs] [B info instprocs o*] [B info instprocs t*]"
puts "[A info instances] [B info instances]"
puts "[lsort [A info subclass]] [A info superclass]"
puts [catch {b info nonsense} message]; puts $message
puts [catch {B info nonsense} message]; puts $message
puts [catch {b info} message]; puts $message
puts [lsort [Object info subclass A]]
b set q 1
puts [b info vars]
puts [B info vars]
B set d 7
puts [B info vars]
