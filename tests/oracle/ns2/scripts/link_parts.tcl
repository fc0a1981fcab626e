# A link is taken apart and its parts are connected by hand.
#     link_parts.tcl HOW WHEN    WHEN: before, after (the link is traced), or later (in mid-run)
foreach {how when} $argv break
set ns [new Simulator]
set trace [open out.tr w]
if {$when ne "before"} { $ns trace-all $trace }
foreach name {n0 n1 n2} { set $name [$ns node] }
$ns duplex-link $n0 $n1 1Mb 10ms DropTail
$ns duplex-link $n1 $n2 0.3Mb 40ms DropTail
$ns queue-limit $n1 $n2 5
set link [$ns link $n1 $n2]

proc errors {} {
    set model [new ErrorModel]
    $model set rate_ 0.1
    $model ranvar [new RandomVariable/Uniform]
    return $model
}

proc put {part before} {
    $part target [$before target]
    $before target $part
}

proc take-apart {how} {
    global ns link n2
    switch $how {
        connector { put [new Connector] [$link head] }
        behind-queue {
            set model [errors]
            $model drop-target [$link set drophead_]
            put $model [$link queue]
        }
        old-place {
            set model [errors]
            $model drop-target [new Agent/Null]
            $model target [$link link]
            [$link queue] target $model
        }
        behind-wire {
            set model [errors]
            put $model [$link link]
            $model drop-target [$link set drophead_]
        }
        no-drop-target { put [errors] [$link head] }
        own-drop-target {
            set model [errors]
            $link errormodule $model
            $model drop-target [$ns set nullAgent_]
        }
        trace {
            set mine [new Trace/Enque]
            $mine set src_ 7
            $mine attach [open mine.tr w]
            put $mine [$link head]
            set drops [new Trace/Drop]
            $drops attach [open drops.tr w]
            $drops target [$ns set nullAgent_]
            [$link queue] drop-target $drops
        }
        monitor {
            global monitor
            set monitor [$ns makeflowmon Fid]
            set drops [new SnoopQueue/Drop]
            $link attach-monitors [new SnoopQueue/In] [new SnoopQueue/Out] $drops $monitor
            [$link queue] drop-target $drops
            $ns monitor-queue [$link src] [$link dst] [open queue.tr w] 0.1
            $link queue-sample-timeout
        }
        no-hop-limit { [$link link] target [[$link set ttl_] target] }
        to-agent {
            $ns attach-agent $n2 [set sink [new Agent/LossMonitor]]
            [$link set ttl_] target $sink
            $ns at 2.9 "puts \[$sink set npkts_\]"
        }
        nowhere { [$link queue] target [$ns set nullAgent_] }
        model-without-target {
            set model [errors]
            $model set bandwidth_ 0.3Mb
            $model drop-target [$link set drophead_]
            [$link queue] target $model
        }
        marking-without-target {
            set model [errors]
            $model set markecn_ true
            $model drop-target [$link set drophead_]
            [$link queue] target $model
        }
        hop-limit-behind-queue { put [new TTLChecker] [$link queue] }
        closed-gate {
            set gate [new DynamicLink]
            $gate drop-target [$link set drophead_]
            put $gate [$link head]
            $ns at 1.2 "$gate set status_ 0"
            $ns at 1.5 "$gate set status_ 1"
        }
        to-other-link { [$link queue] drop-target [[$ns link [$link src] $::n0] head] }
        wrong-once {
            set null [$ns set nullAgent_]
            $ns set nullAgent_ _o99999
            catch {[$link head] target}
            $ns set nullAgent_ $null
            take-apart behind-wire
        }
        chain {
            $link add-to-head [new Connector]
            foreach part [list [$link head] [$link queue] [$link link] [$link set ttl_] [$link set drophead_]] {
                puts "[$part info class] [[$part target] info class]"
            }
            foreach part [list [$link queue] [$link set ttl_]] { puts [[$part drop-target] info class] }
        }
    }
}

if {$how eq "fails"} {
    $ns rtproto Session
    $ns rtmodel-at 1.5 down $n1 $n2
    $ns rtmodel-at 1.8 up $n1 $n2
    set how connector
}
if {$when eq "later"} { $ns at 0.8 "take-apart $how" } else { take-apart $how }
if {$when eq "before"} { $ns trace-queue $n1 $n2 $trace }

set tcp [new Agent/TCP/Reno]
$ns attach-agent $n0 $tcp
$ns attach-agent $n2 [set sink [new Agent/TCPSink]]
$ns connect $tcp $sink
set udp [new Agent/UDP]
$udp set fid_ 2
$ns attach-agent $n0 $udp
$ns attach-agent $n2 [set null [new Agent/Null]]
$ns connect $udp $null
set ftp [new Application/FTP]
$ftp attach-agent $tcp
set cbr [new Application/Traffic/CBR]
$cbr set rate_ 100kb
$cbr attach-agent $udp
$ns at 0.1 "$ftp start; $cbr start"
proc finish {} {
    global ns tcp monitor
    $ns flush-trace
    puts "[$tcp set ack_] [$tcp set nrexmitpack_]"
    if {[info exists monitor]} { puts "[$monitor set parrivals_] [$monitor set pdrops_]" }
    exit 0
}
$ns at 3 finish
$ns run
