# Classes that a script names late, after the library has made objects of them: what it sees and changes is as if they had been
# there all the time.
proc say args { puts [join $args " "] }

set ns [new Simulator]
set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b 1Mb 10ms DropTail

# Counts and class variables of classes that objects were made of.
say counts [Node set nn_] [Link set nl_]
set t1 [new Agent/TCP/Sack1]
say first [$t1 set window_] [$t1 set packetSize_]
Agent/TCP set window_ 7
set t2 [new Agent/TCP/Sack1]
say inherited [$t1 set window_] [$t2 set window_]
Agent/TCP/Sack1 set window_ 9
set t3 [new Agent/TCP/Sack1]
set t4 [new Agent/TCP/Reno]
say nearer [$t3 set window_] [$t4 set window_]
Agent set fid_ 3
set t5 [new Agent/TCP/Newreno]
say above [$t5 set fid_]
Agent set class_ 4
say both [[new Agent/TCP] set fid_] [[new Agent/UDP] set class_] [$t5 set fid_]

# Methods written after objects were made.
Agent instproc greet {} { return "[$self info class] greets" }
say greet [$t1 greet] [$t5 greet]
Agent/TCP instproc greet {} { return "TCP: [$self next]" }
say greet [$t1 greet] [[new Agent/Null] greet]
Agent/TCPSink instproc init args {
    eval $self next $args
    $self instvar made_
    set made_ yes
}
set s [new Agent/TCPSink/DelAck]
say made [$s set made_] [$s info class]

# What classes tell of themselves and of each other.
say superclass [Agent/TCP/Vegas info superclass] [Queue/RED info superclass]
say heritage [Agent/TCPSink/Sack1/DelAck info heritage]
say is [Agent/TCP/Reno info superclass Agent] [Agent/TCP info superclass Queue] [Queue info subclass Queue/RED]
say subclasses [lrange [Queue info subclass] 0 4]
say instances [Agent/TCP/Reno info instances] [llength [Agent/TCP/Sack1 info instances]]
foreach c {Agent/TCP Queue/DropTail Node Scheduler/Heap Classifier/Hash/Dest} {
    say listed $c [expr {[lsearch [Class info instances] $c] >= 0}]
}
say known [SplitObject is-class Agent/TCP/Fack] [llength [info commands Queue/RED]]
say vars [lsort [Queue/DropTail info vars]]

# A class of the script's own under a library class that nobody has named, and one with a library class's name.
Class My/Queue -superclass Queue/DropTail
My/Queue set limit_ 33
say mine [[new My/Queue] set limit_] [[new Queue/DropTail] set limit_]
Class Agent/TCP/Fack -superclass Agent/TCP/Newreno
Agent/TCP/Fack instproc greet {} { return "another Fack: [$self next]" }
set f [new Agent/TCP/Fack]
say own [$f greet] [Agent/TCP/Fack info superclass] [$f set window_]
Class Agent/TCP/Vegas -superclass Agent/TCP
say own [Agent/TCP/Vegas info instprocs] [Agent/TCP/Vegas info vars]

# Everybody above hears of a change.
SplitObject instproc hello {} { return "hello from [$self info class]" }
say hello [$t4 hello] [[new Queue/RED] hello] [$ns hello]
Object instproc hello {} { return object }
say hello [$t4 hello]
set t6 [new Agent/TCP/Fack]
say next [$t6 set fid_] [$t6 set window_]
exit 0
