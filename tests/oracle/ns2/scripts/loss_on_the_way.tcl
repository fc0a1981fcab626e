# An error model is put behind the wire while a packet is on it: the packet passes it if the link can fail.
#     loss_on_the_way.tcl stays|fails METHOD
foreach {kind method} $argv break
set ns [new Simulator]
set tf [open out.tr w]
$ns trace-all $tf
set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b 1Mb 50ms DropTail
if {$kind == "fails"} {$ns rtmodel-at 5 up $a $b}
set f [new Application/Traffic/CBR]
$f attach-agent [$ns create-connection UDP $a Null $b 0]
set em [new ErrorModel/Periodic]
$em unit pkt
$em set offset_ 0
$em set period_ 2
set link [$ns link $a $b]
$ns at 0.1 "$f start"
switch $method {
    link-lossmodel {$ns at 0.2 "$ns link-lossmodel $em $a $b"}
    install-error {$ns at 0.2 "$link install-error $em"}
    target {$ns at 0.2 "$em target \[\[$link link\] target\]; \[$link link\] target $em"}
}
$ns at 0.4 "close $tf; exit 0"
$ns run
