# SCTP between two hosts with several addresses, directly or over a router, with losses; one path loses all for some time.
#     sctp_multihomed.tcl CLASS HOMES PATHS [VARIABLE VALUE]...
# VARIABLE may be lossrates: then VALUE is the loss rates of the receiver's addresses, as 0.3,0.1.
# CLASS is what comes after Agent/SCTP, or base; HOMES the numbers of addresses, as 2,2; PATHS is direct or router.
lassign $argv class homes paths
set class [expr {$class eq "base" ? "Agent/SCTP" : "Agent/SCTP/$class"}]
set rates {}
foreach {name value} [lrange $argv 3 end] {
    if {$name eq "lossrates"} { set rates [split $value ,] } else { $class set $name $value }
}
if {[string match *imestamp $class]} { $class set dataChunkSize_ 1456 }
Trace set show_sctphdr_ 1
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
set nam [open out.nam w]
$ns namtrace-all $nam
lassign [split $homes ,] here there
foreach {side count} [list a $here b $there] {
    set ${side}core [$ns node]
    for {set i 0} {$i < $count} {incr i} {
        set $side$i [$ns node]
        if {$count > 1} { $ns multihome-add-interface [set ${side}core] [set $side$i] }
    }
}
set router [$ns node]
if {$paths eq "router"} {
    for {set i 0} {$i < $here} {incr i} { $ns duplex-link [set a$i] $router 2Mb 5ms DropTail }
    for {set i 0} {$i < $there} {incr i} { $ns duplex-link $router [set b$i] 500kb [expr 20 + 30 * $i]ms DropTail }
} else {
    for {set i 0} {$i < $here} {incr i} { $ns duplex-link [set a$i] [set b$i] 500kb [expr 45 + 30 * $i]ms DropTail }
}
set first [expr {$paths eq "router" ? $router : $a0}]
set losses [new ErrorModel/List]
set lost {20 34 35 50}
for {set i 90} {$i < 95} {incr i} { lappend lost $i }
$losses droplist $lost
$ns lossmodel $losses $first $b0
set sender [new $class]
set receiver [new $class]
if {$here > 1} { $ns multihome-attach-agent $acore $sender } else { $ns attach-agent $a0 $sender }
if {$there > 1} { $ns multihome-attach-agent $bcore $receiver } else { $ns attach-agent $b0 $receiver }
$ns connect $sender $receiver
$sender set-primary-destination $b0
set i 0
foreach rate $rates {
    $sender set-destination-lossrate [set b$i] $rate
    incr i
}
set ftp [new Application/FTP]
$ftp attach-agent $sender
if {$there > 1} { $ns at 25.0 "$sender set-primary-destination $b1" }
if {$here > 1 && $paths eq "router"} { $ns at 27.0 "$sender force-source $a0" }
proc poll {} {
    global ns sender receiver
    foreach name {cwnd_ rwnd_ rto_ errorCount_ frCount_ timeoutCount_ agent_addr_ dst_addr_} {
        lappend row [$sender set $name] [$receiver set $name]
    }
    puts "[$ns now] $row"
    $ns at [expr [$ns now] + 1.0] poll
}
$ns at 0.5 "$ftp start"
$ns at 0.7 poll
$ns at 30.0 "$ns flush-trace; close $trace; close $nam; exit 0"
$ns run
