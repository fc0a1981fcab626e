# The area that nam draws, told or found from the nodes' places, and parts of wireless nodes that wired nodes pass over.
set ns [new Simulator]
set nf [open out.nam w]
if {[lindex $argv 0] eq "told"} {
    $ns namtrace-all-wireless $nf 208.519 1e2
} elseif {[lindex $argv 0] eq "open"} {
    $ns namtrace-all-wireless $nf "" ""
} else {
    $ns namtrace-all $nf
}
puts "[$ns macType Mac/802_11] [$ns set macType_] [$ns ifqLen 50] [$ns set ifqlen_]"
$ns node-config -llType LL -propType Propagation/TwoRayGround -ifqType Queue/DropTail -ifqLen 30 -rxPower 0.3
puts "[$ns set llType_] [$ns set ifqlen_] [$ns set rxPower_]"
$ns channel here
$ns channelType Channel
puts "[catch {$ns node-config -antType Antenna/OmniAntenna} said] $said"
set n0 [$ns node]; set n1 [$ns node]; set n2 [$ns node]
puts [$n0 info class]
if {[lindex $argv 0] ne "told"} {
    $n0 set X_ -57.67040; $n0 set Y_ 100.97620
    $n1 set X_ 208.5190; $n1 set Y_ 100.5
    $n2 set X_ 9; $n2 set Y_ -3
}
$ns duplex-link $n0 $n1 1Mb 10ms DropTail
$ns duplex-link $n1 $n2 1Mb 10ms DropTail
set udp [new Agent/UDP]; $ns attach-agent $n0 $udp
set null [new Agent/Null]; $ns attach-agent $n2 $null
$ns connect $udp $null
$ns at 0.1 "$udp send 500"
# a node that never had an agent has no ports to take one off
puts "[catch {$ns detach-agent $n1 $udp} said] $said <[$udp set node_]>"
# a command that fails is named as the script wrote it
foreach command {{exec cat no-such-file} {open no-such-folder/file w}} {
    puts "[catch $command said] $said $::errorInfo"
}
$ns at 0.5 "exit 0"
$ns run
