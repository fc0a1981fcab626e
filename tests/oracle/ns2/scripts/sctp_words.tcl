# What SCTP agents say of nodes that are none of their addresses or their peer's.
set ns [new Simulator]
foreach name {n0 n1 n2} { set $name [$ns node] }
$ns duplex-link $n0 $n1 1Mb 10ms DropTail
foreach class {Agent/SCTP Agent/SCTP/CMT} {
    set sender [new $class]
    set receiver [new $class]
    $ns attach-agent $n0 $sender
    $ns attach-agent $n1 $receiver
    $ns connect $sender $receiver
    foreach words [list "set-primary-destination $n2" "set-primary-destination $n1" "force-source $n2" "force-source $n1" \
            "set-destination-lossrate $n2 0.1" "set-destination-lossrate $n1 0.1" "set-destination-lossrate $n1 foo"] {
        puts "$class [catch {eval $sender $words} said] <$said>"
    }
}
exit 0
