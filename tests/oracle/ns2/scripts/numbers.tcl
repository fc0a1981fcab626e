# How numbers come out of Tcl and of bound variables: 17 digits, units, types.
set ns [new Simulator]
puts "[expr 1.0 / 3] [expr 2.0 * 3] [expr 1e21] [expr int(7.9)] $tcl_precision [$ns now]"
set tcp [new Agent/TCP]
foreach value {20 7.5 1e2} { $tcp set window_ $value; puts "[$tcp set window_]" }
$tcp set packetSize_ 536
puts "[$tcp set packetSize_] [$tcp set cwnd_] [$tcp set overhead_] [$tcp set tcpTick_]"
set cbr [new Application/Traffic/CBR]
foreach rate {1Mb 1.5Mb 64kb 64k 1000000 2MB} { $cbr set rate_ $rate; puts "[$cbr set rate_]" }
foreach interval {5ms 0.25 10us} { $cbr set interval_ $interval; puts "[$cbr set interval_]" }
foreach value {true false 1 0} { $tcp set syn_ $value; puts "[$tcp set syn_]" }
set names(one) 1; set names(two) 2; set names(three) 3; set names(four) 4
puts "[array names names] [lsort [array names names]]"
set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b 1.5Mb 12.5ms DropTail
puts "[$a id] [$b id] [[[$ns link $a $b] link] set delay_] [[[$ns link $a $b] link] set bandwidth_] [[[$ns link $a $b] queue] set limit_]"
exit 0
