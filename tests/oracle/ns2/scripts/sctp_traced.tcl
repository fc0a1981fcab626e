# What an SCTP sender writes of its traced variables, each by itself or all on a line, with a tracer too.
#     sctp_traced.tcl CLASS ALL
# ns-2 writes bytes of its memory between the lines of the classes that are not tried here.
set class Agent/SCTP/[lindex $argv 0]
$class set dataChunkSize_ 1456
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
set s [$ns node]
set d [$ns node]
$ns duplex-link $s $d 500kb 200ms DropTail
set losses [new ErrorModel/List]
$losses droplist {15 28 40 42 43 44 45 46 47}
$ns lossmodel $losses $s $d
set sender [new $class]
set receiver [new $class]
$ns attach-agent $s $sender
$ns attach-agent $d $receiver
$ns connect $receiver $sender
$sender set trace_all_ [lindex $argv 1]
set variables [open variables.out w]
foreach name {cwnd_ rto_ errorCount_ frCount_ timeoutCount_} { $sender trace $name }
$sender attach $variables
$sender trace rcdCount_
$sender trace rwnd_
if {[string match M* [lindex $argv 0]]} { $sender trace mfrCount_ }
set tracer [new Trace/Var]
$tracer attach $trace
$receiver trace rwnd_ $tracer
$receiver trace rto_ $tracer
set ftp [new Application/FTP]
$ftp attach-agent $sender
$ns at 0.5 "$ftp start"
$ns at 3.0 "$sender set cwnd_ 12"
$ns at 9.0 "$sender print cwnd_"
$ns at 12.0 "$ns flush-trace; close $trace; close $variables; exit 0"
$ns run
