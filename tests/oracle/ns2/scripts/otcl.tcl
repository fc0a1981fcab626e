# OTcl: classes of the script's own, instprocs added to the library's, defaults, inspection.
Class Counter
Counter set step_ 2
Counter instproc init {{start 0}} {
    $self next
    $self instvar value_
    set value_ $start
}
Counter instproc add {} {
    $self instvar value_
    incr value_ [[$self info class] set step_]
    return $value_
}
Class Counter/Loud -superclass Counter
Counter/Loud set step_ 5
Counter/Loud instproc add args {
    set result [eval $self next $args]
    puts "loud: $result"
    return $result
}
Counter/Loud instproc destroy {} {
    puts "destroying"
    $self next
}
Counter proc kinds {} { return [lsort [Counter info subclass]] }
set c [new Counter/Loud 10]
$c add
$c add
puts "[Counter kinds] [$c info class] [Counter/Loud info superclass] [lsort [Counter info instprocs]]"
puts "[$c info vars] [catch {$c set nothing}] [Counter/Loud info heritage]"
$c proc shout {words} { return [string toupper $words] }
puts [$c shout alone]
delete $c

Agent/TCP set window_ 6
Agent/TCP instproc describe {} {
    $self instvar node_
    return "window [$self set window_] on node [$node_ id] size [$self set packetSize_]"
}
Application/FTP instproc half-second {} {
    set ns [Simulator instance]
    $ns at [expr [$ns now] + 0.5] "$self stop"
    $self start
}
Class Agent/TCP/Mine -superclass Agent/TCP/Reno
Agent/TCP/Mine instproc init args {
    eval $self next $args
    $self set window_ 9
}
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b 1Mb 10ms DropTail
set fid 0
foreach kind {Agent/TCP Agent/TCP/Mine} {
    set tcp [new $kind]
    $tcp set fid_ [incr fid]
    $ns attach-agent $a $tcp
    set sink [new Agent/TCPSink]
    $ns attach-agent $b $sink
    $ns connect $tcp $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    puts "[$tcp info class]: [$tcp describe]"
    $ns at 0.1 "$ftp half-second"
}
puts [catch {$tcp no-such-thing}]
$ns at 1.2 "$ns flush-trace; close $trace; exit 0"
$ns run
