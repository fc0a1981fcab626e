# An error module on a link: which flows its models judge, by what tells flows apart and how the models were bound.
#     error_modules.tcl KIND HOW
foreach {kind how} $argv break
set ns [new Simulator]
$ns trace-all [open out.tr w]
foreach i {0 1 2} {set n($i) [$ns node]}
$ns duplex-link $n(0) $n(1) 1Mb 5ms DropTail
$ns duplex-link $n(1) $n(2) 1Mb 5ms DropTail
set module [new ErrorModule $kind]
[$ns link $n(1) $n(0)] errormodule $module
foreach name {a b} rate {0.2 0.6} {
    set $name [new ErrorModel]
    [set $name] set rate_ $rate
    [set $name] ranvar [new RandomVariable/Uniform]
    $module insert [set $name]
}
puts [llength [$module errormodels]]
switch $how {
    one {$module bind $a 1; $module default pass}
    range {$module bind $a 0 1; $module default pass}
    both {$module bind $a 0; $module bind $b 1 2; $module default $a}
    unbound {$module default $a; $module default pass}
    again {$module bind $a 0 1; $module bind $b 1; $module default pass}
}
foreach {fid from to} {0 1 0  1 2 0  2 2 0} {
    set udp [$ns create-connection UDP $n($from) Null $n($to) $fid]
    set cbr [$udp attach-app Traffic/CBR]
    $cbr set rate_ 50kb
    $ns at 0.1 "$cbr start"
}
set udp [$ns create-connection UDP $n(0) Null $n(2) 0]
set cbr [$udp attach-app Traffic/CBR]
$ns at 0.2 "$cbr start"
$ns at 1.5 {exit 0}
$ns run
