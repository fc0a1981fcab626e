# Connections made of connection vectors, between two nodes on each side, through nodes that delay them.
#     tmix.tcl FORMAT [WHAT]...
# FORMAT is original or alternate. WHAT: one-way (TCP with receivers of their own), sink KIND, tcp KIND, lossless, and
# set-... VALUE for what the generator is told.
set format [lindex $argv 0]
set out [open in.cvec w]
if {$format == "original"} {
    puts $out {# who sends what
SEQ 3412 2 21217 1
w 64800 6432
r 118156
l 0.010000 0.000000
> 253
t 123693
< 5100
t 0
> 400
t 8497
> 90
t 200000
< 30000

SEQ 103724 1 15715 2
m 536 1000
w 8760 66560
r 31469
l 0.000000 0.050000
< 9000
t 308497
CONC 150000 2 2 300 3
w 17520 17520
r 60000
l 0.00000 0.00000
c> 2000
t> 90000
c< 4000
t< 40000
c> 3000
c< 1000
t> 500000
t< 250000
# the last one has no end of its own
CONC 700000 1 2 300 4
w 17520 17520
r 60000
l 0.00000 0.02000
c> 700
t> 100000
c< 20000
t< 5000
c> 800}
} else {
    puts $out {# who sends what
S 3412 2 21217 1
w 64800 6432
r 118156
l 0.010000 0.000000
I 0 0 253
A 0 123693 5100
I 0 1 400
I 8497 0 90
A 0 200000 30000
S 103724 1 15715 2
m 536 1000
w 8760 66560
r 31469
l 0.000000 0.050000
A 0 0 9000
A 308497 0 0
C 150000 2 2 300 3
w 17520 17520
r 60000
l 0.00000 0.00000
I 0 0 2000
A 0 0 4000
I 90000 0 3000
A 40000 0 1000
I 500000 0 0
A 250000 0 0
# the last one has no end of its own
C 700000 1 2 300 4
w 17520 17520
r 60000
l 0.00000 0.02000
I 0 0 700
A 0 0 20000
I 100000 0 800}
}
# Later connections find agents that have rested.
set start 1500000
for {set i 5} {$i < 40} {incr i} {
    incr start [expr 40000 + 9000 * ($i % 7)]
    if {$format == "original"} {
        puts $out "SEQ $start 1 100 $i\nw 20000 20000\nr [expr 9000 * ($i % 5 + 1)]\nl 0.000000 0.00[expr $i % 10]"
        puts $out "> [expr 100 * $i]\nt 2000\n< [expr 900 * $i]\nt 30000"
    } else {
        puts $out "S $start 1 100 $i\nw 20000 20000\nr [expr 9000 * ($i % 5 + 1)]\nl 0.000000 0.00[expr $i % 10]"
        puts $out "I 0 0 [expr 100 * $i]\nA 0 2000 [expr 900 * $i]\nA 30000 0 0"
    }
}
close $out

set ns [new Simulator]
Trace set show_tcphdr_ 1
Agent/TCP/FullTcp set nodelay_ true
Agent/TCP/FullTcp set segsperack_ 2
$ns trace-all [open out.tr w]
foreach i {0 1 4 5} {set n($i) [$ns node]}
foreach i {2 3} {set n($i) [$ns Tmix_DelayBox]}
foreach {from to rate} {0 2 10Mb 1 2 10Mb 2 3 2Mb 3 4 10Mb 3 5 10Mb} {
    $ns duplex-link $n($from) $n($to) $rate 1ms DropTail
}
$ns queue-limit $n(3) $n(2) 12
$n(2) set-delay-file delays
$n(2) set-cvfile in.cvec [$n(0) id] [$n(4) id]
$n(3) set-cvfile in.cvec [$n(1) id] [$n(5) id]
set tmix [new Tmix]
foreach {here there} {0 4 1 5} {
    $tmix set-init $n($here)
    $tmix set-acc $n($there)
}
$tmix set-ID 7
$tmix set-cvfile in.cvec
$tmix set-outfile counts
set i 0
while {[incr i] < $argc} {
    set word [lindex $argv $i]
    switch -glob $word {
        one-way {$tmix set-agent-type one-way}
        lossless {foreach box {2 3} {$n($box) set-lossless}}
        default {$tmix $word [lindex $argv [incr i]]}
    }
}
$ns at 0.0 "$tmix start"
$ns at 0.5 "$tmix active-connections; $n(2) output-delay 0 4 6; $n(2) close-delayfile"
$ns at 5.0 "$tmix active-connections; $tmix total-connections"
$ns at 5.5 "$tmix stop"
$ns at 9.0 "puts \[$tmix now\]; exit 0"
$ns run
