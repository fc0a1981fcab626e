# Applications over SCTP, with messages of several sizes; the association is closed or reset in the middle.
#     sctp_sources.tcl WHAT
Trace set show_sctphdr_ [expr {[lindex $argv 0] ne "plain"}]
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
set s [$ns node]
set d [$ns node]
$ns duplex-link $s $d 1Mb 45ms DropTail
$ns queue-limit $s $d 8
set sender [new Agent/SCTP]
set receiver [new Agent/SCTP]
$ns attach-agent $s $sender
$ns attach-agent $d $receiver
$ns connect $sender $receiver
proc feed {kind args} {
    global ns sender
    set source [new Application/$kind]
    $source attach-agent $sender
    foreach {name value} $args { $source set $name $value }
    return $source
}
switch [lindex $argv 0] {
    plain - cbr {
        set source [feed Traffic/CBR packetSize_ 333 interval_ 0.01]
        $ns at 0.3 "$source start"
        $ns at 6.0 "$source stop"
    }
    telnet {
        set source [feed Telnet interval_ 0.05]
        $ns at 0.3 "$source start"
    }
    messages {
        set source [feed FTP]
        foreach {at bytes} {0.3 100 0.31 5000 0.32 20001 0.4 1452 0.5 60000 2.0 1 5.0 3000} { $ns at $at "$source send $bytes" }
    }
    reset {
        set source [feed FTP]
        $ns at 0.3 "$source start"
        $ns at 2.0 "$sender reset"
        $ns at 2.5 "$receiver reset"
        $ns at 3.5 "$source start"
    }
    close {
        set source [feed FTP]
        $ns at 0.3 "$source start"
        $ns at 2.0 "$source stop"
        $ns at 4.0 "$receiver close; $sender close; $source start"
    }
}
$ns at 9.0 "$ns flush-trace; close $trace; exit 0"
$ns run
