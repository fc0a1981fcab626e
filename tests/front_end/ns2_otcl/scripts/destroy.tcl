# Objects and classes that go.
Class A
A instproc destroy {} { puts "destroy [$self set name]"; $self next }
foreach n {p q r} { A $n; $n set name $n }
p destroy
puts [lsort [A info instances]]
puts [info commands p]
A instproc suicide {} { $self destroy; return after }
puts [q suicide]
puts [catch {q set name} message]; puts $message
Class B -superclass A
A instproc destroy {} {}
A destroy
puts [info commands A]
puts [catch {r set name} message]; puts $message
set o [new Object]
delete $o
puts [catch {$o set x 1} message]
