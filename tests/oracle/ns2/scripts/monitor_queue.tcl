# A queue monitor: its own samples in a file, its counters read from the script.
set ns [new Simulator]
set samples [open samples.tr w]
foreach i {0 1 2} { set n($i) [$ns node] }
$ns duplex-link $n(0) $n(1) 2Mb 4ms DropTail
$ns duplex-link $n(1) $n(2) 600kb 9ms DropTail
$ns queue-limit $n(1) $n(2) 5
set first [$ns monitor-queue $n(1) $n(2) $samples 0.05]
[$ns link $n(1) $n(2)] queue-sample-timeout
set second [$ns monitor-queue $n(0) $n(1) ""]
set tcp [$ns create-connection TCP/Reno $n(0) TCPSink $n(2) 0]
$tcp set packetSize_ 552
set ftp [$tcp attach-app FTP]

proc poll {} {
    global ns first second
    foreach monitor [list $first $second] {
        foreach name {size_ pkts_ parrivals_ barrivals_ pdepartures_ bdepartures_ pdrops_ bdrops_} {
            lappend row [$monitor set $name]
        }
    }
    puts "[$ns now] $row [[$first get-bytes-integrator] set sum_] [[$first get-pkts-integrator] set sum_]"
    $ns at [expr [$ns now] + 0.2] poll
}
$ns at 0.0 poll
$ns at 0.1 "$ftp start"
$ns at 4.0 "$ns flush-trace; close $samples; exit 0"
$ns run
