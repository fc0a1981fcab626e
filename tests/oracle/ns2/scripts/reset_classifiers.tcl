# What a classifier forgets when it is reset: one of flows all of them, as the classifier of a CBQ link does when the link
# fails; one of slots nothing.
#     reset_classifiers.tcl words|reset|fails|bound|forgotten
set kind [lindex $argv 0]
set ns [new Simulator]
if {$kind == "words"} {
    foreach class {Hash/Fid Hash/Dest Hash/SrcDest Hash/SrcDestFid} {
        set c [new Classifier/$class 33]
        set slot [$c installNext [new Connector]]
        $c set-hash auto 1 2 3 $slot
        puts "$class $slot [expr {[$c lookup auto 1 2 3] == [$c slot 0]}] [$c lookup auto 4 5 6]"
        puts "[catch {$c reset} message] $message: [$c lookup auto 1 2 3], [expr {[$c slot 0] != ""}]"
    }
    foreach class {Addr Port MultiPath} {
        set c [new Classifier/$class]
        $c install 1 [new Connector]
        puts "$class [catch {$c reset} message] $message [expr {[$c slot 1] != ""}]"
    }
    exit 0
}
# ns-2 does not write out what it has in memory where it ends with an error.
if {$kind == "bound"} {$ns trace-all [open out.tr w]}
set a [$ns node]
set b [$ns node]
$ns simplex-link $b $a 1Mb 5ms DropTail
$ns simplex-link $a $b 1Mb 5ms CBQ/WRR
set link [$ns link $a $b]
set top [new CBQClass]
$top setparams none 0 0.97 0 8 2 0
set left [new CBQClass]
$left setparams $top true 0.5 0 1 1 0
set queue [new Queue/DropTail]
$left install-queue $queue
$link insert $top
$link insert $left
$link bind $left 0 1
set c [$link classifier]
foreach fid {0 1 2} {puts "$fid [expr {[$c lookup auto 0 0 $fid] == $left}]"}
set sender [new Agent/UDP]
set receiver [new Agent/Null]
$ns attach-agent $a $sender
$ns attach-agent $b $receiver
$ns connect $sender $receiver
set f [new Application/Traffic/CBR]
$f attach-agent $sender
$ns at 0.1 "$f start"
switch $kind {
    reset {$ns at 0.2 "$c reset"}
    fails {
        $ns rtmodel-at 0.2 down $b
        $ns rtmodel-at 0.3 up $b
    }
    bound {$ns at 0.2 "$c reset; $c set-hash auto 0 0 0 [$c installNext $left]"}
    forgotten {$ns at 0.2 "$c del-hash 0 0 0"}
}
$ns at 0.4 "$f stop"
$ns at 0.5 "exit 0"
close stdout
$ns run
