# Procs of one object.
Object o
o proc hello {name {greeting hi}} { return "$greeting $name from $self" }
puts [o hello you]
puts [o info procs]
puts [o info args hello]
puts [o info body hello]
puts "[o info default hello greeting v] $v"
puts [catch {o info body nope} message]; puts $message
Object p
puts [catch {p hello you} message]; puts $message
o proc hello {} {}
puts <[o info procs]>
