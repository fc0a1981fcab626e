# Bound variables of every type, written with words that are no numbers, or odd ones, and read again; as class variables,
# through set, and through instvar.
set ns [new Simulator]
set n0 [$ns node]
set n1 [$ns node]
$ns duplex-link $n0 $n1 1Mb 10ms DropTail
set tcp [new Agent/TCP]
set cbr [new Application/Traffic/CBR]
set queue [[$ns link $n0 $n1] queue]
set wire [[$ns link $n0 $n1] link]
set errors [new ErrorModel]
set uniform [new RandomVariable/Uniform]
set telnet [new Application/Telnet]
set sink [new Agent/TCPSink/DelAck]
set udp [new Agent/UDP]
set words [list "" foo .5 2 3.7 0x10 010 08 1e3 true True t tfoo T yes y on ON off false f n no null infinity \
    1.5Mb 10k 10kB 10KB 10MB 10G 10T 10p 10x 10ms 10us 10u 10n 10s 10sec 1m " 5" "5 " "+5" "- 5" "--5" "1,5" 1_000 \
    99999999999 4294967295 4294967296 2147483648 $uniform \$x abc123 123abc .e5 1.2.3 5. +.5e1 0b11 1e 1e+ e5 "\t7" \
    "5\n" "1 2" "true 1" 0true 1true "1.5 Mb" 1.5mb 1.5kbps 1.5b 1.5B 8kb 1.5gb 1.5MbB - . + e k M Mb]
# More digits than C's long holds, and the ends of its int. For a double ns-2 crashes at as many.
set long [list 2147483647 -2147483648 -2147483649 9223372036854775807 9223372036854775808 -9223372036854775809]
foreach length {30 5000} { lappend long [string repeat 7 $length] -[string repeat 7 $length] 0[string repeat 7 $length] }
foreach {object name} [list $tcp maxburst_ $udp fid_ $queue limit_] {
    foreach word $long { $object set $name $word; puts "$name [string length $word] [$object set $name]" }
}
foreach word $long {
    $ns queue-limit $n0 $n1 $word
    puts "queue-limit [string length $word] [$queue set limit_]"
}
set integrator [new Integrator]
foreach word {0x10 1_0 " 7" 5x .5 +3 1e1 -0x2} {
    $integrator set lasty_ 0.0
    $integrator set sum_ 0.0
    $integrator set lastx_ 0.0
    $integrator newpoint 1.0 $word
    $integrator newpoint 2.0 0
    puts "newpoint {$word} [$integrator set sum_]"
}
foreach {object name} [list $tcp window_ $tcp cwnd_ $tcp ssthresh_ $tcp maxburst_ $tcp syn_ $tcp packetSize_ $tcp ecn_ \
        $cbr rate_ $cbr packetSize_ $cbr random_ $cbr maxpkts_ $queue limit_ $queue drop_front_ $queue queue_in_bytes_ \
        $wire delay_ $errors enable_ $uniform min_ $telnet interval_ $sink interval_ $sink maxSackBlocks_ \
        $udp fid_ $udp ttl_ $tcp class_ $tcp prio_] {
    foreach word $words {
        puts "[$object info class] $name {$word} <[$object set $name $word]> [$object set $name]"
    }
}
foreach word {{} foo 2 .5 yes {5 } 0x10 -1 t f} {
    Agent/TCP set syn_ $word
    Agent/TCP set maxburst_ $word
    Queue/DropTail set drop_front_ $word
    Application/Traffic/CBR set rate_ $word
    ErrorModel set enable_ $word
    set tcp [new Agent/TCP]
    set cbr [new Application/Traffic/CBR]
    puts "class {$word} [$tcp set syn_] [$tcp set maxburst_] [[new Queue/DropTail] set drop_front_] [$cbr set rate_]\
        [[new ErrorModel] set enable_]"
    $tcp set syn_ 1
    $tcp instvar syn_
    set syn_ $word
    puts "instvar {$word} $syn_ [$tcp set syn_]"
    unset syn_
}
