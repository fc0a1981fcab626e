# Packets lost by an error model.
#     errors.tcl uniform|byte|periodic|list|two-state|link-lossmodel
set kind [lindex $argv 0]
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
foreach i {0 1 2} { set n($i) [$ns node] }
$ns duplex-link $n(0) $n(1) 5Mb 2ms DropTail
$ns duplex-link $n(1) $n(2) 1Mb 10ms DropTail
switch $kind {
    uniform - link-lossmodel { set errors [new ErrorModel]; $errors set rate_ 0.03 }
    byte { set errors [new ErrorModel]; $errors unit byte; $errors set rate_ 0.00002 }
    periodic { set errors [new ErrorModel/Periodic]; $errors set period_ 23; $errors set offset_ 5 }
    list { set errors [new ErrorModel/List]; $errors droplist {7 8 20 41 42 43} }
    two-state {
        set good [new RandomVariable/Exponential]; $good set avg_ 40
        set bad [new RandomVariable/Exponential]; $bad set avg_ 2
        set errors [new ErrorModel/TwoState $good $bad pkt]
    }
}
if {$kind == "uniform"} {
    $errors ranvar [new RandomVariable/Uniform]
    $errors drop-target [new Agent/Null]
}
if {$kind == "link-lossmodel"} {
    $ns link-lossmodel $errors $n(1) $n(2)
} else {
    $ns lossmodel $errors $n(1) $n(2)
}
set tcp [$ns create-connection TCP/Newreno $n(0) TCPSink $n(2) 1]
set ftp [$tcp attach-app FTP]
$ns at 0.1 "$ftp start"
$ns at 8.0 "$ns flush-trace; close $trace; exit 0"
$ns run
