# Two clients, a cache each, a cache above both and a server: pages whose sizes and ages are drawn, sessions, and
# connections that end and begin again.
#     web_caches.tcl TRANSPORT CACHE
foreach {transport kind} $argv break
Http set TRANSPORT_ $transport
set ns [new Simulator]
$ns trace-all [open out.tr w]
$ns namtrace-all [open out.nam w]
foreach name {c1 c2 e1 e2 top s} {set n($name) [$ns node]}
foreach {from to} {c1 e1 c2 e2 e1 top e2 top top s} {$ns duplex-link $n($from) $n($to) 1Mb 10ms DropTail}
proc drawn {kind args} {
    set variable [new RandomVariable/$kind]
    foreach {name value} $args {$variable set $name $value}
    return $variable
}
proc tried {args} {puts "$args: [catch {uplevel #0 $args} result] $result"}
proc known {page} {
    global w
    foreach name {e1 e2 top s} {
        if {[$w($name) exist-page $page]} {puts "$name [$w($name) get-page $page] [$w($name) get-pagetype $page]"}
    }
}
proc begin {} {
    global ns n w log kind
    set log [open web.log w]
    foreach name {c1 c2} {set w($name) [new Http/Client $ns $n($name)]}
    foreach name {e1 e2 top} {set w($name) [new Http/Cache$kind $ns $n($name)]}
    set w(s) [new Http/Server $ns $n(s)]
    foreach name [lsort [array names w]] {$w($name) log $log}
    set pool [new PagePool/Math]
    $pool ranvar-size [drawn Uniform min_ 200 max_ 4000]
    $pool ranvar-age [drawn Exponential avg_ 3]
    $w(s) set-page-generator $pool
    foreach {from to} {c1 e1 c2 e2 e1 top e2 top top s} {$w($from) connect $w($to)}
    foreach {below above} {e1 top e2 top top s} {$w($below) set-parent $w($above)}
    foreach {name mean} {c1 1 c2 2} {
        $w($name) set-page-generator $pool
        $w($name) set-interval-generator [drawn Exponential avg_ $mean]
    }
    puts "[$pool get-poolsize] [$pool get-start-time] [$pool gen-pageid 3] [$w(c1) id] [$w(c1) addr]"
    foreach name {req ref ims inv mpu hb join pf ntf} {puts "$name [$w(c1) get-${name}size]"}
    $w(c1) start $w(e1) $w(s)
    $w(c2) start-session $w(e2) $w(s)
    $w(c2) send-request $w(e2) GET $w(s):7
    $w(c2) send-request $w(e2) GET $w(s):7
    $w(c2) send-request $w(e1) GET $w(s):8
    tried $w(c1) disconnect $w(s)
    tried $w(s) disconnect $w(c1)
    tried $w(c1) get-size $w(s):7
    tried $w(c2) get-response-GET $w(e2) $w(s):9 size 3 modtime 1
    tried $w(c1) stat no-such
}
$ns at 0.5 begin
$ns at 6 {known $w(s):0}
$ns at 20 {known $w(s):0; $w(c1) stop-session $w(s); $w(c1) disconnect $w(e1)}
$ns at 20.5 {tried $w(c1) disconnect $w(e1); $w(c1) send-request $w(e1) GET $w(s):0}
$ns at 21 {$w(c1) connect $w(e1); $w(c1) start-session $w(e1) $w(s); tried $w(e2) disconnect $w(top)}
$ns at 28 {tried $w(e2) disconnect $w(c1); tried $w(e2) disconnect no-such; $w(top) disconnect $w(s)}
$ns at 30 {
    known $w(s):0
    foreach {name counted} {
        c1 {req-num stale-num stale-time rep-time rt-min rt-max st-min st-max} c2 {req-num rep-time}
        e1 {hit-num ims-num barrival} top {hit-num ims-num barrival} s {hit-num mod-num barrival}
    } {foreach each $counted {puts "$name $each [$w($name) stat $each]"}}
    close $log
    $ns flush-trace
    exit 0
}
$ns run
