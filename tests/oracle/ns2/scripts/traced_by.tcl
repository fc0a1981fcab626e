# What a sender and a RED queue write of their variables: files given before and after the variables, other files, other
# tracers, names that are no variables, values that the script sets. The argument says which of these.
set ns [new Simulator]
set n0 [$ns node]
set n1 [$ns node]
$ns duplex-link $n0 $n1 1Mb 10ms RED
set tcp [new Agent/TCP]
$ns attach-agent $n0 $tcp
set sink [new Agent/TCPSink]
$ns attach-agent $n1 $sink
$ns connect $tcp $sink
set ftp [$tcp attach-app FTP]
set queue [[$ns link $n0 $n1] queue]
set a [open a.tr w]
set b [open b.tr w]
switch [lindex $argv 0] {
    two-files { $tcp trace cwnd_; $tcp attach $a; $tcp attach $b }
    back { $tcp attach $a; $tcp trace cwnd_; $tcp attach $b; $tcp trace t_seqno_; $tcp attach $a }
    later { $tcp attach $a; $tcp tracevar cwnd_; $ns at 0.3 "$tcp attach $b" }
    in-line { $tcp set trace_all_oneline_ true; $tcp attach $a; $tcp trace cwnd_; $tcp attach $b; $tcp trace ack_ }
    names {
        $tcp attach $a
        foreach name {rto_ ave foo_ cwnd rtt_ srtt_ rttvar_ backoff_ dupacks_ seqno_ t_seqno_ ssthresh_ ndatapack_ node_ vegas_alpha_ singledup_ wnd_ type_ cwnd_} { puts "$name [catch {$tcp trace $name} e] {$e}" }
        puts [catch {$tcp trace x(1)} e]
    }
    window { $tcp attach $a; $tcp trace window_; puts "not here" }
    object {
        set v [new Trace/Var]
        $v attach $a
        foreach name {cwnd_ t_seqno_ ssthresh_ rtt_ srtt_ rttvar_ foo_} { $tcp trace $name $v }
        $tcp set cwnd_ 4.5
        $tcp set foo_ hello
        $tcp set foo_ "two words"
        $ns at 0.3 "$tcp set cwnd_ 3; $tcp set foo_ 7"
        $ns at 0.4 "$v detach"
        $ns at 0.45 "$v attach $b"
        $v format hello world
        $v annotate foo
        $ns trace bar_ $v
        $ns at 0.12345678949 {$ns set bar_ 3.5}
    }
    object-then-file { set v [new Trace/Var]; $v attach $a; $tcp attach $b; $tcp trace cwnd_; $tcp trace cwnd_ $v; $tcp trace ack_ }
    file-then-object { set v [new Trace/Var]; $v attach $a; $tcp attach $b; $tcp trace cwnd_ $v; $tcp trace cwnd_ }
    no-object { puts [catch {$tcp trace cwnd_ nosuch} e]; $tcp attach $a }
    queue { $queue attach $a; $queue trace curq_; $queue attach $b; $queue trace ave_ }
    queue-later { $queue trace curq_; $queue trace ave_; $queue attach $a; $ns at 0.2 "$queue attach $b" }
    queue-names {
        $queue attach $a
        foreach name {curq_ ave_ ave curq prob1_ prob_ curmax_ cur_max_p_ cur_max_p thresh_ limit_ foo_ v_prob v_ave curq_foo_} {
            puts "$name [catch {$queue trace $name} e] {$e}"
        }
    }
    queue-object { set v [new Trace/Var]; $v attach $a; $queue attach $b; $queue trace curq_ $v; $queue trace ave_ }
    queue-set { $queue trace curq_; $queue trace ave_; $queue attach $a; $queue set ave_ 3; $ns at 0.2 {$queue set ave_ 2; $queue set curq_ 5} }
}
$ns at 0.1 "$ftp start"
$ns at 0.6 "exit 0"
$ns run
