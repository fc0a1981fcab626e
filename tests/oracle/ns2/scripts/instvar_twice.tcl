# instvar of one name from several objects in one procedure: what ns-2 binds late follows all of them, and other variables the last.
set ns [new Simulator]
set t [new Agent/TCP]; set u [new Agent/TCP]
proc init {} {global t u; $t set window_ 5; $u set window_ 7; $t set cwnd_ 15; $u set cwnd_ 17; $t set syn_ 1; $u set syn_ 0; $t set tcpTick_ 0.1; $u set tcpTick_ 0.2;$t set x 1; $u set x 2}
proc show {} {global t u; puts "[$t set window_] [$u set window_] [$t set cwnd_] [$u set cwnd_]"}
init
proc q1 {} { global t u; $t instvar window_ cwnd_; $u instvar window_ cwnd_; puts before; show; puts "$window_ $cwnd_"; show; set window_ 9; set cwnd_ 19; show; puts "$window_ $cwnd_" }
q1; init
proc q2 {} { global t u; set window_ 3; puts [catch {$t instvar window_} e]; puts $e; puts $window_; show }
q2; init
proc q3 {} { global t u; $t instvar window_; $t instvar window_; puts $window_; $u instvar window_; puts $window_; $t set window_ 6; puts $window_; $u set window_ 8; puts $window_ ; unset window_; puts [info exists window_]; $u instvar window_; puts $window_; show}
q3; init
proc q4 {} { global t u; foreach o [list $t $u] { $o instvar window_ cwnd_ x; puts "$window_ $cwnd_ $x"} }
q4; init
proc q5 {} { global t u; $t instvar {window_ w}; $u instvar {window_ w}; puts $w; $u instvar {cwnd_ w}; puts $w; set w 33; show }
q5; init
proc q6 {} { global t u; $t instvar x; puts [catch {$u instvar {window_ x}} e]; puts $e; puts $x; set x 44; show; puts [$t set x] }
q6; init
proc q7 {} { global t u; $t instvar window_; puts [catch {$u instvar {x window_}} e]; puts $e; puts $window_; set window_ 44; show; puts [$u set x] }
q7; init
proc q8 {} { global window_ t; set window_ 1; puts [catch {$t instvar window_} e]; puts $e; puts $window_; set window_ 66; show; puts $::window_ }
q8; init
puts "glob $window_"; show
proc q9 {window_} {global t;  puts [catch {$t instvar window_} e]; puts $e; puts $window_; set window_ 77; show}
q9 1; init
puts [info exists cwnd_]
$t instvar cwnd_
puts $cwnd_; set cwnd_ 88; show
$u instvar cwnd_
puts $cwnd_; set cwnd_ 99; show
init
proc q10 {} { global t u; $t instvar syn_ tcpTick_; $u instvar syn_ tcpTick_;  puts "$syn_ $tcpTick_"; incr syn_; puts $syn_; puts [$t set syn_][$u set syn_] }
q10; init
proc q11 {} { global t; $t instvar window_; inner window_; puts $window_ ; show}
proc inner {n} { upvar $n w; puts "inner $w"; set w 55 }
q11; init
proc q12 {} { global t; $t instvar window_; $t set window_ 12; puts $window_; uplevel #0 {$u set window_ 3}; puts $window_; puts [info locals]; puts [info vars]}
q12
Agent/TCP instproc mm {o} { $self instvar window_; puts $window_; $o instvar window_; puts $window_; set window_ 4 }
init; $t mm $u; show; $u mm $t; show
