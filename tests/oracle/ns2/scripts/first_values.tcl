# Class variables change between objects, more of each kind than are learnt: in the class that has them, in one that is
# nearer, by its end and its return, by a proc of the class, in classes of the script.
set ns [new Simulator]
proc show {what class} {
    foreach _ {1 2 3 4} {
        set tcp [new $class]
        puts "$what: [$tcp set window_] [$tcp set packetSize_] [$tcp set maxcwnd_] [$tcp set cwnd_]"
    }
}
show first Agent/TCP/Sack1
Agent/TCP/Sack1 set window_ 7
show nearer Agent/TCP/Sack1
show beside Agent/TCP/Reno
Agent/TCP set window_ 9
show farther Agent/TCP/Sack1
show farther Agent/TCP/Reno
Agent/TCP/Sack1 unset window_
show ended Agent/TCP/Sack1
Agent/TCP set window_ 10
show farther Agent/TCP/Sack1
Agent/TCP/Sack1 set window_ 11
show again Agent/TCP/Sack1
Agent/TCP/Sack1 set window_ 12
show again Agent/TCP/Sack1
Agent/TCP proc widen by { $self instvar window_; incr window_ $by }
show before Agent/TCP/Reno
Agent/TCP widen 3
show by-proc Agent/TCP/Reno
Class Mine -superclass Agent/TCP/Sack1
Mine set packetSize_ 700
show mine Mine
Mine set packetSize_ 800
Agent/TCP/Sack1 set maxcwnd_ 30
show mine Mine
Mine instproc init {} { $self next; $self set window_ 40 }
show made Mine
foreach kind {DropTail RED} {
    for {set i 1} {$i <= 6} {incr i} {
        if {$i % 2} { Queue set limit_ $i }
        if {$i == 4} { Queue/$kind set limit_ 44 }
        set queue [new Queue/$kind]
        puts "$kind [$queue set limit_]"
    }
}
exit 0
