# Objects that nobody has named yet are there all the same: in the order in which they were made, with the values of then.
set ns [new Simulator]
foreach name {a b c d e} { set $name [$ns node] }
foreach name {b c d e} { $ns duplex-link $a [set $name] 1Mb 10ms DropTail }
Connector set debug_ 3
set link [$ns link $d $a]
foreach part {head_ drophead_ ttl_ link_ queue_} {
    set object [$link set $part]
    puts "$part [$object info class] [$object set debug_] [expr {[info commands $object] eq $object}]"
}
puts [[$link set head_] set link_]
puts "$link $object"
foreach part {classifier_ reg_module_(Base)} {
    set object [$e set $part]
    puts "$part $object [$object info class]"
}
foreach class {TTLChecker Connector RtModule/Base Classifier/Hash/Dest SimpleLink Node} { puts "$class [lsort [$class info instances]]" }
Connector instproc shout {} { puts "$self shouts" }
[[$ns link $a $e] set drophead_] shout
puts [[new Connector] set debug_]
puts [lsort [info commands Agent/TCPSink*]]
puts [lsort [info commands ::Queue/R*D]]
puts [Object info subclass]
