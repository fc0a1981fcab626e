# Classes of classes, and methods for every class or every object.
Class M -superclass Class
M instproc hello {} { return "hello from $self ($class)" }
M X
puts "[X info class] [X hello]"
X x1
puts [x1 info class]
Class instproc greet {} { return "greet $self" }
puts "[X greet] [M greet]"
Object instproc og {} { return "og $self" }
puts "[x1 og] [X og]"
puts "[Class info class] [Object info class] [Class info superclass] [Class info heritage]"
puts "[x1 info class X] [x1 info class M] [X info class Class]"
