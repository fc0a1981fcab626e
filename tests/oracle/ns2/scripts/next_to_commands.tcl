# `$self next` in a script's own methods reaches those that ns-2 has in OTcl. Those that it has in C++ are not reached,
# but for `$self cmd`.
Class Loud -superclass Application/Traffic/CBR
Loud instproc start {} { puts "[$self info class] starts"; $self next }
Class Louder -superclass Loud
Louder instproc start {} { puts louder; eval $self cmd start }
Application/Traffic/Exponential instproc start {} { puts exponential; $self cmd start }
Agent/UDP instproc connect peer { puts connect; $self next $peer }
Agent/UDP instproc set_pkttype type { puts type; $self next $type }
Agent/TCPSink instproc init args { puts init; eval $self next $args }
Node instproc reset {} { puts "node is reset"; $self next }
RNG instproc seed seed { puts "seed <[$self next $seed]>" }
RNG instproc integer most { puts "integer <[$self next $most]>" }
Trace instproc flush {} { puts flush; $self next }
Queue/RED instproc reset {} { puts "RED is reset"; $self next }
Class MySimulator -superclass Simulator
MySimulator instproc node args { puts node; eval $self next $args }
set ns [new MySimulator]
set n0 [$ns node]
set n1 [$ns node]
$ns duplex-link $n0 $n1 1Mb 10ms RED
set trace [open out.tr w]
$ns trace-queue $n0 $n1 $trace
set fid 0
foreach kind {Loud Louder Application/Traffic/Exponential} {
    set udp [new Agent/UDP]
    set null [new Agent/Null]
    $ns attach-agent $n0 $udp
    $ns attach-agent $n1 $null
    $ns connect $udp $null
    set source [new $kind]
    $source attach-agent $udp
    $udp set fid_ [incr fid]
    $ns at 0.1 "$source start"
    $ns at 0.4 "$source stop"
}
$udp set_pkttype 4
set tcp [$ns create-connection TCP/Newreno $n0 TCPSink $n1 0]
$tcp proc advance packets { puts "own advance $packets"; $self next $packets }
$tcp proc reset {} { puts "own reset"; $self next }
$tcp proc attach-app kind { puts "application $kind"; $self next $kind }
set ftp [$tcp attach-app FTP]
$ftp proc start {} { puts "FTP starts"; $self next }
$ns at 0.2 "$ftp start"
$ns at 0.3 "$tcp advance 5"
$ns at 0.35 "$tcp cmd advance 7"
$ns at 1.003 "[[$ns link $n0 $n1] queue] reset"
set random [new RNG]
$random seed 3
$random integer 7
puts [$random next-random]
$ns at 2 {
    $ns flush-trace
    exit 0
}
$ns run
