# The five variants by the paper's names, and what its three scripts have in common.

array set sender {
    Taho    Agent/TCP
    Newreno Agent/TCP/Newreno
    Sack    Agent/TCP/Sack1
    Reno    Agent/TCP/Reno
    Vegas   Agent/TCP/Vegas
}

# Begin the default random numbers at their N-th substream; 0 or nothing leaves them as they begin. Substreams are 2^76
# numbers apart. Consecutive seeds are not independent: ns-2 sets all six words of its generator to the seed.
proc use_substream {n} {
    global defaultRNG
    for {set i 0} {$i < $n} {incr i} {
        $defaultRNG next-substream
    }
}

# A file transfer without end from one node to another, packets of 500 bytes, a window of 300: the application.
proc connection {ns variant source destination flow} {
    global sender
    if {![info exists sender($variant)]} {
        puts stderr "the variant is one of [lsort [array names sender]], not $variant"
        exit 1
    }
    set tcp [new $sender($variant)]
    $tcp set packetSize_ 500
    $tcp set window_ 300
    $tcp set fid_ $flow
    if {$variant eq "Sack"} {
        set sink [new Agent/TCPSink/Sack1]
    } else {
        set sink [new Agent/TCPSink]
    }
    $ns attach-agent $source $tcp
    $ns attach-agent $destination $sink
    $ns connect $tcp $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    return $ftp
}
