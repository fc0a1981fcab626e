# A packet of less than no bytes, by its headers or its size (arg): its transmission would end before it began, and ns-2
# ends.
set ns [new Simulator]
set trace [open out.tr w]
set n0 [$ns node]
set n1 [$ns node]
$ns duplex-link $n0 $n1 1Mb 10ms DropTail
$ns trace-queue $n0 $n1 $trace
set tcp [$ns create-connection TCP $n0 TCPSink $n1 0]
set ftp [$tcp attach-app FTP]
$ns at 0.1 "$ftp start"
switch [lindex $argv 0] {
    headers { $tcp set tcpip_base_hdr_size_ -3 }
    size { $ns at 0.5 "$tcp set packetSize_ -200" }
}
$ns at 2 "puts end; exit 0"
$ns run
