# Objects that nobody calls for long, while their classes change: what they are must not depend on when they are first called.

new Simulator
proc show {what} { puts "$what: [uplevel 1 $what]" }

for {set i 0} {$i < 5} {incr i} { set tcp($i) [new Agent/TCP/Reno] }
Agent/TCP set window_ 31
for {set i 5} {$i < 8} {incr i} { set tcp($i) [new Agent/TCP/Reno] }
Agent/TCP/Reno set window_ 32
set tcp(8) [new Agent/TCP/Reno]
foreach i {0 4 5 7 8} { show {$tcp($i) set window_} }

# a variable of the class changed by other ways than set
Agent/TCP/Reno instproc give {value} { $self set window_ $value }
Agent/TCP/Reno proc all {value} { $self instvar window_; set window_ $value }
Agent/TCP/Reno all 33
set tcp(9) [new Agent/TCP/Reno]
show {$tcp(9) set window_}
show {$tcp(8) set window_}
$tcp(3) give 7
show {$tcp(3) set window_}
Agent/TCP/Reno unset window_
set tcp(10) [new Agent/TCP/Reno]
show {$tcp(10) set window_}

# classes in between, methods and inits that come later
Class My -superclass Agent/TCP/Reno
set mine(0) [new My]
set mine(1) [new My]
My instproc hello {} { return "hello from [$self info class]" }
show {$mine(1) hello}
My instproc init args { eval $self next $args; $self set window_ 5; $self set own yes }
set mine(2) [new My]
show {$mine(2) set window_}
show {$mine(2) set own}
show {catch {$mine(0) set own} message}
puts $message
Agent/TCP instproc hello {} { return "hello from below" }
show {$tcp(1) hello}
show {$mine(0) hello}
My instproc hello {} {}
show {$mine(0) hello}
My superclass Agent/TCP
set mine(3) [new My]
show {$mine(3) set window_}
show {$mine(0) info class}

# one object's own methods, another class, and its end
$tcp(2) proc hello {} { return "hello from one alone: [$self next]" }
show {$tcp(2) hello}
show {$tcp(1) hello}
$tcp(1) class My
show {$tcp(1) info class}
delete $tcp(0)
show {catch {$tcp(0) set window_}}
show {llength [My info instances]}
show {llength [Agent/TCP/Reno info instances]}

# variables that the engine does not know
set link [new DelayLink]
$link set colour blue
show {$link set colour}
show {$link info vars colour}
$link array set place {x 1 y 2}
show {lsort [$link array names place]}

# an object or a class that is looked for before it is called
set late [new Agent/TCP]
show {expr {[info commands $late] eq $late}}
show {info commands DelayLink}
show {llength [info commands Agent/TCP/Reno]}
delete $late
show {expr {[info commands $late] eq {}}}
