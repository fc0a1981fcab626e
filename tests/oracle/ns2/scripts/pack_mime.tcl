# Web traffic of a link: two pairs of nodes, all files that are written, values of the model's random variables.
#     pack_mime.tcl [VARIANT [no-flags]]
lassign $argv variant flags
if {$flags == "no-flags"} {
    remove-all-packet-headers
    add-packet-header IP TCP
}
set ns [new Simulator]
Trace set show_tcphdr_ 1
$ns trace-all [open out.tr w]
foreach i {0 1 2 3 4 5} {set n($i) [$ns node]}
foreach {from to rate} {0 2 10Mb 1 2 10Mb 2 3 1Mb 3 4 10Mb 3 5 10Mb} {
    $ns duplex-link $n($from) $n($to) $rate 4ms DropTail
}
$ns queue-limit $n(3) $n(2) 20
set pm [new PackMimeHTTP]
foreach {client server} {0 4 1 5} {
    $pm set-client $n($client)
    $pm set-server $n($server)
}
$pm set-rate 12
$pm set-1.1
$pm set-warmup 1
if {$variant != ""} {$pm set-TCP $variant}
$pm set-outfile out.dat
$pm set-filesz-outfile sizes.dat
$pm set-samples-outfile samples.dat
set pages [new RandomVariable/PackMimeHTTPNumPages 0.4 1 0.8]
$pages use-rng [new RNG]
$pm set-num_pages $pages
set persistent [new RandomVariable/PackMimeHTTPPersistent 0.5]
$pm set-prob_persistent $persistent
foreach {class words} {
    FlowArrive 5 FileSize {5 0} FileSize {5 1} PersistRspSize {} Persistent 0.3 NumPages {} SingleObj {} ObjsPerPage {1 2}
    TimeBtwnPages {} TimeBtwnObjs {} ServerDelay {} Xmit {5 0} Xmit {5 1}
} {
    set variable [eval new RandomVariable/PackMimeHTTP$class $words]
    set line $class
    foreach i {1 2 3 4 5 6} {lappend line [$variable value]}
    puts $line
}
$ns at 0.0 "$pm start"
$ns at 5.0 {puts "pairs [$pm get-pairs]"; $pm active-connections}
$ns at 6.0 "$pm stop"
$ns at 20.0 "exit 0"
$ns run
