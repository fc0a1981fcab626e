# An error in an event: its message and Tcl's trace of it on standard output, and status 1.
set ns [new Simulator]
proc inner {x} {
    set y 3
    error "my error $x"
}
proc outer {} {
    inner 5
}
proc show {} {
    puts $nosuch
}
Class Foo
Foo instproc bar {x} { $self instvar y; set z [expr $x + $y] }
Foo f
proc ask {queue} {
    $queue nosuch [new Classifier/Port] {a list} $queue
}
puts before
$ns at 0.5 "puts early"
switch [lindex $argv 0] {
    command { $ns at 1.0 "finish" }
    procedure { $ns at 1.0 "outer" }
    variable { $ns at 1.0 show }
    method { $ns at 1.0 "f bar 3" }
    unknown { $ns at 1.0 "$ns finish now" }
    unknown_within { $ns at 1.0 "puts x; ask [new Queue/RED]" }
    unknown_caught { $ns at 1.0 "catch {[$ns node] {a b} c} message; puts \$message" }
    program { $ns at 1.0 "puts x; exec ./nosuch a {b c} | cat" }
    lines { $ns at 1.0 "error {a b}
puts x" }
}
$ns at 2.0 "puts late"
$ns run
