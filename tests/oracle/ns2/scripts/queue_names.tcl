# Which names a queue traces, real variables and others: the queue, then the names.
set ns [new Simulator]
set n0 [$ns node]
set n1 [$ns node]
$ns duplex-link $n0 $n1 1Mb 10ms [lindex $argv 0]
set queue [[$ns link $n0 $n1] queue]
set file [open out.tr w]
catch {$queue attach $file}
foreach name [lrange $argv 1 end] {
    puts "$name [catch {$queue trace $name} e] {$e}"
}
close $file
