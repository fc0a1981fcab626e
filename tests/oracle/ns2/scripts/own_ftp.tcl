# A script's own start and stop of file transfers, in the class and in one of its own: Application's do nothing for them.
set ns [new Simulator]
set f [open out.tr w]
$ns trace-all $f
set n0 [$ns node]
set n1 [$ns node]
$ns duplex-link $n0 $n1 1Mb 10ms DropTail
Class Mine -superclass Application/FTP
Mine instproc start {} {
    puts "mine [[Simulator instance] now]"
    $self next
}
foreach kind {Application/FTP Mine} {
    set a($kind) [new Agent/TCP]
    $ns attach-agent $n0 $a($kind)
    set sink [new Agent/TCPSink]
    $ns attach-agent $n1 $sink
    $ns connect $a($kind) $sink
    set app($kind) [new $kind]
    $app($kind) attach-agent $a($kind)
}
if {[lindex $argv 0] ne "mine"} {
    Application/FTP instproc start {} {
        puts "own [[Simulator instance] now]"
        $self next
    }
    Application/FTP instproc stop {} { $self next }
}
proc show {} {
    global a
    foreach kind {Application/FTP Mine} { puts -nonewline "[$a($kind) set t_seqno_] [$a($kind) set cwnd_] " }
    puts ""
}
$ns at 0.1 "$app(Application/FTP) start"
$ns at 0.2 "$app(Mine) start"
$ns at 0.5 "show; $app(Mine) stop"
$ns at 0.6 "show; $app(Application/FTP) produce 7"
$ns at 0.9 "show; $ns flush-trace; exit 0"
$ns run
