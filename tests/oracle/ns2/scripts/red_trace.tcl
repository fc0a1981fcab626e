# RED's own trace: its average and its length, at each change.
set ns [new Simulator]
set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b 1Mb 15ms RED
set red [[$ns link $a $b] queue]
set file [open red.tr w]
$red trace curq_
$red trace ave_
$red attach $file
set tcp [$ns create-connection TCP/Reno $a TCPSink $b 1]
$tcp set window_ 40
set ftp [$tcp attach-app FTP]
$ns at 0.1 "$ftp start"
$ns at 4.0 "$ns flush-trace; close $file; exit 0"
$ns run
