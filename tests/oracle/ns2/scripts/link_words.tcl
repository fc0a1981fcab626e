# Words for delays, bandwidths, limits and sizes, and units that end the run (an argument says which).
set ns [new Simulator]
set tf [open out.tr w]; $ns trace-all $tf
set n0 [$ns node]; set n1 [$ns node]
set rv [new RandomVariable/Uniform]
set i 0
foreach d [list $rv foo 10ms .5 10us 1s 10sec " 10ms"] {
  set a [$ns node]; set b [$ns node]
  $ns duplex-link $a $b 1Mb $d DropTail
  puts "$d [[[$ns link $a $b] link] set delay_]"
  $ns delay $a $b $d
  puts "$d [[[$ns link $a $b] link] set delay_]"
}
foreach w [list 1Mb 1.5M 10k 10kB 1G 10kb 1mb 1000 2p 1Mbps] {
  set a [$ns node]; set b [$ns node]
  $ns duplex-link $a $b $w 1ms DropTail
  puts "$w [[[$ns link $a $b] link] set bandwidth_]"
}
foreach l {foo {} 5.7 0x10 -3 10pkts} { $ns queue-limit $a $b $l; puts "$l [[[$ns link $a $b] queue] set limit_]"; $ns cost $a $b $l; puts [[$ns link $a $b] cost?] }
set t [new Agent/TCP]
foreach w {foo 3.7 0x10 -1 {}} { puts [catch {$t set packetSize_ $w} e]; puts [$t set packetSize_] }
set c [new Application/Traffic/CBR]
foreach w {3.7 10ms} { puts [catch {$c set interval_ $w} e]; puts $e; puts [$c set rate_] }
set f [new Application/FTP]
foreach w {foo 3.7 0x10 {} } { $f set maxpkts_ $w; puts [$f set maxpkts_] }
set em [new ErrorModel]
foreach w {foo {} .5 2} { $em set rate_ $w; puts [$em set rate_] }
foreach w {pkt byte time foo} { puts [catch {$em unit $w} e]; puts $e; puts [$em unit] }
foreach words {{time_parse 10ms} {time_parse 1sec} {time_parse 5us} {bw_parse 1.5kb} {bw_parse 3GB} {bw_parse 1Mbps} {bw_parse 5B}} { puts "$words [{*}$words]" }
if {$argc} { {*}$argv }
