# Classes, several superclasses, what they say of themselves.
Class A; Class B
Class C -superclass {A B}
Class D -superclass A
Class E -superclass {D C}
foreach c {A B C D E} {
    puts "$c super [$c info superclass] heritage [$c info heritage] sub [$c info subclass] class [$c info class]"
}
puts "[E info superclass B] [E info superclass Object] [A info superclass E] [A info subclass E] [E info subclass A]"
puts [E info heritage C*]
puts [catch {A superclass E} message]
puts "$message / [A info superclass]"
A superclass B
puts "[A info heritage] | [E info heritage]"
puts [catch {Class Z -superclass Nope} message]
puts $message
