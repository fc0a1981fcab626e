# Sessions of web pages over a bottleneck, all packets traced.
#     web_traffic.tcl WHAT
# server: a mode, a rate and a limit of one server; parts: long responses in parts; full: two-way TCP; fids, same-fid: who
# has which flow id; timer: requests that take long are given up; overlap: pages begin whether or not the last one has ended; sack: other agents; own: the script's own procs.
set what [lindex $argv 0]
set ns [new Simulator]
$ns trace-all [open out.tr w]
foreach i {0 1 2 3 4 5} {set n($i) [$ns node]}
foreach {from to rate} {0 2 10Mb 1 2 10Mb 2 3 300Kb 3 4 10Mb 3 5 10Mb} {
    $ns duplex-link $n($from) $n($to) $rate 14ms DropTail
}
$ns queue-limit $n(3) $n(2) 9
switch $what {
    sack {
        PagePool/WebTraf set TCPTYPE_ Sack1
        PagePool/WebTraf set TCPSINKTYPE_ TCPSink/Sack1
    }
    full {
        PagePool/WebTraf set fulltcp_ 1
        PagePool/WebTraf set TCPTYPE_ FullTcp/Newreno
    }
    parts {PagePool/WebTraf set FLOW_SIZE_OPS_ 2}
    limited {
        PagePool/WebTraf set FLOW_SIZE_OPS_ 1
        PagePool/WebTraf set FLOW_SIZE_TH_ 40
    }
    fids {PagePool/WebTraf set FID_ASSIGNING_MODE_ 1}
    same-fid {PagePool/WebTraf set FID_ASSIGNING_MODE_ 2}
    timer {
        PagePool/WebTraf set enable_conn_timer_ 1
        PagePool/WebTraf set avg_waiting_time_ 0.2
    }
    fresh {PagePool/WebTraf set dont_recycle_ 1}
    own {
        PagePool/WebTraf instproc alloc-tcp {} {
            set tcp [new Agent/TCP/Newreno]
            $tcp set window_ 4
            return $tcp
        }
    }
}
PagePool/WebTraf set VERBOSE_ 1
PagePool/WebTraf set req_trace_ 1
PagePool/WebTraf set resp_trace_ 1
set pool [new PagePool/WebTraf]
$pool set maxFid_ 7
$pool set sameFid_ 3
$pool set debug_ 1
$pool set-num-client 2
$pool set-num-server 2
foreach i {0 1} {
    $pool set-client $i $n($i)
    $pool set-server $i $n([expr 4 + $i])
}
$pool set-num-session 4
switch $what {
    fcfs {$pool set-server-mode 1}
    server {
        $pool set-server-mode 2
        $pool set-server-rate 40
        $pool set-server-rate 5 10
        $pool set-server-qlimit 4 2
    }
}
foreach i {0 1 2 3} {
    foreach {name class settings} {
        pages Exponential {avg_ 0.6} objects Uniform {min_ 1 max_ 5}
        between Exponential {avg_ 0.04} size ParetoII {avg_ 12 shape_ 1.3}
    } {
        set $name [new RandomVariable/$class]
        foreach {variable value} $settings {[set $name] set $variable $value}
    }
    $pool create-session $i [expr 5 + $i] [expr 0.1 * $i] $pages $objects $between $size
}
if {$what == "overlap"} {$pool set-interPageOption 0}
$ns at 20 {puts "pages over"; exit 0}
$ns run
