# Links whose parts a script makes and connects by itself.
#     own_links.tcl HOW QUEUE    HOW: class (of its own), init (SimpleLink's is another), or bare (connectors alone)
foreach {how queue} $argv break
proc assemble {link bandwidth delay q} {
    foreach name {link_ queue_ head_ toNode_ ttl_ drophead_} { $link instvar $name }
    set ns [Simulator instance]
    set drophead_ [new Connector]
    $drophead_ target [$ns set nullAgent_]
    set head_ [new Connector]
    $head_ target $q
    set queue_ $q
    set link_ [new DelayLink]
    $link_ set bandwidth_ $bandwidth
    $link_ set delay_ $delay
    set ttl_ [new TTLChecker]
    $ttl_ target [$toNode_ entry]
    $ttl_ drop-target $drophead_
    $queue_ target $link_
    $queue_ drop-target $drophead_
    $link_ target $ttl_
}
Class OwnLink -superclass SimpleLink
switch $how {
    class {
        OwnLink instproc init {src dst bandwidth delay q} {
            $self next $src $dst $bandwidth $delay $q
            $self instvar head_ queue_
            $self add-to-head [new Connector]
            $head_ set mine_ 1
        }
    }
}
if {$how eq "init"} {
    SimpleLink instproc init {src dst bandwidth delay q {kind DelayLink}} {
        $self next $src $dst
        assemble $self $bandwidth $delay $q
    }
}
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
foreach name {n0 n1 n2} { set $name [$ns node] }
$ns duplex-link $n0 $n1 1Mb 10ms DropTail
$ns duplex-link $n1 $n2 0.3Mb 40ms $queue
$ns queue-limit $n1 $n2 6
if {$how eq "class"} {
    set own [new OwnLink $n1 $n2 0.2Mb 20ms [new Queue/$queue]]
    if {$queue eq "RED"} { [$own queue] link [$own link] }
    $ns set link_([$n1 id]:[$n2 id]) $own
    $ns trace-queue $n1 $n2 $trace
    puts "[$own info class] [$own set id_] [[$own head] set mine_]"
}
if {$how eq "bare"} {
    # A second queue and a second wire behind those of the link.
    set link [$ns link $n1 $n2]
    set second [new Queue/$queue]
    $second set limit_ 3
    set wire [new DelayLink]
    $wire set bandwidth_ 0.25Mb
    $wire set delay_ 5ms
    $second target $wire
    $second drop-target [$link set drophead_]
    $wire target [[$link set ttl_] target]
    [$link set ttl_] target $second
}
$ns monitor-queue $n1 $n2 [open queue.tr w] 0.1
[$ns link $n1 $n2] queue-sample-timeout
$ns link-lossmodel [set model [new ErrorModel/Periodic]] $n1 $n2
$model set period_ 19
$model set offset_ 7
set tcp [new Agent/TCP/Newreno]
$ns attach-agent $n0 $tcp
$ns attach-agent $n2 [set sink [new Agent/TCPSink]]
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 0.1 "$ftp start"
$ns at 1 "$ns bandwidth $n1 $n2 0.5Mb"
$ns at 3 "$ns flush-trace; puts \[$tcp set ack_\]; exit 0"
$ns run
