# A link that admits flows one by one: every admission control with every estimator; flows that come, ask, send and leave,
# some of them refused, beside best effort; an ordinary link behind it.
# Arguments: admission control, estimator, and variables with their values.

lassign $argv adc est
foreach {class variable value} [lrange $argv 2 end] {
    $class set $variable $value
}
Queue/SimpleIntServ set qlimit1_ 20
Queue/SimpleIntServ set qlimit0_ 10
ADC/MS set utilization_ 0.9
ADC/Param set utilization_ 1.1
ADC/ACTP set s_ 3e-6
ADC/ACTO set s_ 6e-6
Est set period_ 0.2

set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
foreach i {0 1 2} {
    set n($i) [$ns node]
}
$ns duplex-intserv-link $n(0) $n(1) 1Mb 5ms SimpleIntServ SALink $adc $est CL
$ns duplex-link $n(1) $n(2) 2Mb 5ms DropTail
set link [$ns link $n(0) $n(1)]
puts "[$link info class] [[$link queue] info class] [[$link set adc_] info class] [[$link set est_] info class]"
puts "[[$link set adc_] set backoff_] [[$link set est_] set period_] $link [$link set adc_] [$link set est_]"

set flows 0
Agent/SA instproc sched-stop {decision} {
    global ns flows
    $self instvar lifetime_ fid_ node_ trafgen_
    puts "[format %.6f [$ns now]] $fid_ $decision $flows"
    if {$decision} {
        incr flows
        $ns at [expr [$ns now] + $lifetime_] "$self stop; incr flows -1; $ns detach-agent $node_ $self"
    } else {
        $ns at-now "$ns detach-agent $node_ $self; delete $trafgen_; delete $self"
    }
}
foreach i {1 2} {
    set answerer($i) [new Agent/SAack]
    $ns attach-agent $n($i) $answerer($i)
}
set rng [new RNG]
$rng seed 7
proc flow {fid} {
    global ns n answerer rng
    set agent [new Agent/SA]
    $ns attach-agent $n(0) $agent
    $agent set fid_ $fid
    $ns connect $agent $answerer([expr 1 + $fid % 2])
    set source [new Application/Traffic/Exponential]
    $source set packetSize_ 125
    $source set burst_time_ 0.3
    $source set idle_time_ 0.3
    $source set rate_ 128k
    $agent set rate_ [lindex {64k 128k 100k} [expr $fid % 3]]
    $agent set bucket_ [expr $fid % 2]
    $agent attach-traffic $source
    $agent set trafgen_ $source
    $agent set lifetime_ [$rng exponential 3]
    $agent start
    $ns at [expr [$ns now] + [$rng exponential 0.12]] "flow [expr $fid + 1]"
}
$ns at 0.1 "flow 1"
set best [new Agent/UDP]
$ns attach-agent $n(0) $best
set null [new Agent/Null]
$ns attach-agent $n(2) $null
$ns connect $best $null
set cbr [new Application/Traffic/CBR]
$cbr set packetSize_ 300
$cbr set rate_ 300k
$cbr attach-agent $best
$ns at 0.05 "$cbr start"
$ns at 12 "close $trace; exit 0"
$ns run
