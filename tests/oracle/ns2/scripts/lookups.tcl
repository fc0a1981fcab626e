# What scripts ask nodes, links and the simulator for; times in odd forms; variables that are there from the start.
puts "$PERL [array get opt] $tcl_precision"
set ns [new Simulator]
$ns set-address-format def
$ns set-address-format expanded
puts [catch { $ns set-address-format flat } error]:$error
puts [new Agent/Null]
$ns node-config -addressType def
puts [new Agent/Null]
for {set i 0} {$i < 4} {incr i} { set n($i) [$ns node] }
foreach {a b} {0 1 1 2 2 3 0 3} { $ns duplex-link $n($a) $n($b) 1Mb 10ms DropTail }
$ns cost $n(0) $n(3) 5
puts "[$ns get-node-by-addr 2] [$ns get-node-id-by-addr 2] [catch { $ns get-node-id-by-addr 9 } error] $error"
puts "[llength [$ns all-links-list]] [lindex [$ns all-links-list] 0] [$ns get-link-head 0 1]"
puts "[$n(1) tn] [$n(1) is-neighbor $n(2)] [$n(1) is-neighbor $n(3)] [$n(1) get-module Base] [$n(1) list-modules]"
puts "[$ns delay_parse 3ms] [$ns bw_parse 2Mb] ([$ns get-nodetype])"
set link [$ns link $n(0) $n(1)]
$link change-color red
puts "[$link get-color] [$n(0) get-shape]"
$n(0) change-color blue
puts [$n(0) get-color]
$n(0) shape square
puts [$n(0) get-shape]
$ns dump-routelogic-nh
$ns compute-routes
$ns dump-routelogic-nh
$ns dump-routelogic-distance
puts "[$ns get-link 0 2] [$ns get-queue 2 0]"
proc say {what} { global ns; puts "[$ns now] $what" }
$ns at 1.5ms "say {one and a half}"
$ns at -2 "say {two from now}"
$ns at 1 "say one; $ns at -0.25 {say {a quarter later}}"
$ns at nonsense "say zero"
$ns at 0.5 {
    say first
    say second
}
puts [catch { $ns at 3 say never } error]:$error
$ns at 3 "exit 0"
$ns run
