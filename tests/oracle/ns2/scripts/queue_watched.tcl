# A queue whose variables are written to a file, which is reset in between, and whose early drops go their own way.
#     queue_watched.tcl KIND VARIABLE...
# Flow 256 has no priority for RIO, which looks at eight bits.
set kind [lindex $argv 0]
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
set early [open early.tr w]
set watched [open watched.tr w]
foreach name {a r b} { set $name [$ns node] }
$ns duplex-link $a $r 10Mb 2ms DropTail
$ns simplex-link $b $r 1Mb 10ms DropTail
$ns simplex-link $r $a 10Mb 2ms DropTail
$ns simplex-link $r $b 1Mb 10ms $kind
$ns queue-limit $r $b 30
set queue [[$ns link $r $b] queue]
foreach {name value} {
    priority_method_ 1 in_thresh_ 2 in_maxthresh_ 8 out_thresh_ 1 out_maxthresh_ 4 a_ 0.01 b_ 0.009 qref_ 4
} {
    catch {$queue set $name $value}
}
foreach variable [lrange $argv 1 end] { $queue trace $variable }
$queue attach $watched
if {![catch {$queue edrop-trace}]} {
    $queue early-drop-target [$ns create-trace Drop $early $r $b]
}
foreach fid {1 256} {
    set tcp [$ns create-connection TCP/Reno $a TCPSink $b $fid]
    $tcp set window_ 40
    $tcp set ecn_ 1
    set ftp [$tcp attach-app FTP]
    $ns at 0.$fid "$ftp start"
}
$ns at 3.0 "$queue reset"
foreach instant {2.0 4.0 6.0} {
    foreach variable [lrange $argv 1 end] { $ns at $instant "puts \"$variable \[$queue set $variable]\"" }
}
$ns at 6.0 "$ns flush-trace; close $trace; close $early; close $watched; exit 0"
$ns run
