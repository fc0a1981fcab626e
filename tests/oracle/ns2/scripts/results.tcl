# What methods give back, which few scripts ask for.
set ns [new Simulator]
proc r {args} { set c [catch {uplevel 1 $args} e]; puts "[lindex $args 1] $c <$e>" }
set tf [open out.tr w]; set nf [open out.nam w]
r $ns trace-all $tf
r $ns namtrace-all $nf
set n0 [$ns node]; set n1 [$ns node]; set n2 [$ns node]
r $ns color 1 red
r $ns simplex-link $n0 $n1 1Mb 10ms DropTail
r $ns simplex-link $n1 $n0 1Mb 10ms RED
r $ns duplex-link $n1 $n2 1Mb 10ms DropTail
r $ns duplex-link $n1 $n2 1Mb 10ms DropTail
r $ns duplex-link-op $n1 $n2 orient right
r $ns duplex-link-op $n1 $n2 queuePos 0.5
r $ns duplex-link-op $n1 $n2 color red
r $ns duplex-link-op $n1 $n2 label x
r $ns duplex-link-op $n1 $n2 cost 4
r $ns simplex-link-op $n1 $n2 label-color blue
r $ns simplex-link-op $n1 $n2 label-at up
r $ns cost $n1 $n2 3
r $ns queue-limit $n1 $n2 30
r $ns delay $n1 $n2 3ms
r $ns bandwidth $n1 $n2 3Mb
r $ns at 1.0 "puts hi"
r $ns at-now "puts now"
r $ns after 2 "puts hi"
r $ns cancel 4
r $ns monitor-queue $n1 $n2 0
r $ns trace-queue $n1 $n2 $tf
r $ns namtrace-queue $n1 $n2 $nf
set t [new Agent/TCP]; set s [new Agent/TCPSink]
r $ns attach-agent $n1 $t
r $ns attach-agent $n2 $s
r $ns connect $t $s
set f [new Application/FTP]
r $f attach-agent $t
r $f stop
r $t attach $tf
r $t trace cwnd_
r $t reset
r $t set window_ 10
r $t nodeid
r $t port
r $t dst-port
r $t close
r $n0 color red
r $n0 label foo
r $n0 shape box
r $n0 label-color red
r $n0 label-at up
r $n0 add-mark m1 red circle
r $n0 delete-mark m1
r $n0 id
r $n0 node-addr
r $n0 reset
r $n0 neighbors
r $n0 entry
r $n0 agent 0
r $n0 attach [new Agent/Null]
r $n0 detach $t [$ns nullagent]
r $ns detach-agent $n1 $t
r $ns rtproto Static
r $ns rtmodel-at 1 down $n1 $n2
r $ns flush-trace
r $ns trace-annotate foo
r $ns set-animation-rate 1ms
r $ns add-agent-trace $s foo
r $ns monitor-agent-trace $s
r $ns create-connection TCP $n0 TCPSink $n1 3
r $ns lossmodel [new ErrorModel] $n1 $n2
r $ns link-lossmodel [new ErrorModel] $n1 $n2
r $ns get-link-head $n1 $n2
r $ns link $n1 $n2
r $ns now
r $ns is-started
r $ns get-ns-traceall
r $ns get-nam-traceall
r $ns puts-ns-traceall hello
r $ns puts-nam-traceall hello
r $ns puts-nam-config hello
r $ns create-trace Drop $tf $n0 $n1
r $ns drop-trace $n1 $n2 [new Trace/Drop]
set l [$ns link $n1 $n2]
foreach m {head queue link src dst id {setid 5} up? {cost 3} cost? bw delay qsize up {orient left} {queuePos 1} {color red} {label x} {label-color x} {label-at x} get-color {change-color red} {get-attribute COLOR} {set-ipaddr 1 2} dump-namconfig dump-nam-queueconfig transit-drop-trace linkfail-drop-trace ttl-drop-trace errormodule insert-linkloss down} { r $l {*}[subst $m] }
set q [$l queue]
set rng [new RNG]; r $rng seed 3; r $rng next-substream; r $rng uniform 0 1; r $rng integer 5; r $rng exponential; r $rng normal 0 1; r $rng seed
set rv [new RandomVariable/Uniform]; r $rv use-rng $rng; r $rv value
r ns-random 5
r ns-random
set c [new Application/Traffic/CBR]; set u [new Agent/UDP]; r $ns attach-agent $n0 $u; r $c attach-agent $u; r $c set interval_ 0.1; r $c set rate_ 1Mb; r $c stop; r $u set fid_ 3
r $ns halt
r $ns node
r $ns all-nodes-list
r $ns get-number-of-nodes
r $ns get-node-by-id 1
r $ns nullagent
r $ns multicast?
r delete $c
