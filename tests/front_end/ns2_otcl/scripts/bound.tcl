# Variables that live in the engine: defaults, types, what they read back as.
new Simulator
set t [new Agent/TCP]
foreach {v values} {
    window_ {2.7 1e3 -3 0x10 010 7. inf 1e-400 3x}
    syn_ {true t T f false 0 1 2 -1 1.5 yes}
    maxburst_ {2.9 -2.9 0x10 010 99999999999 1e3 3x 1k}
    cwnd_ {1.23456789 1e10 3 0.00001}
    ssthresh_ 12.7
    tcpTick_ {0.1 1ms 0.5}
} {
    foreach value $values {
        puts "$v $value: [$t set $v $value] [$t set $v]"
    }
}
set l [new DelayLink]
foreach {v values} {
    bandwidth_ {1.5Mb 1.5 1k 10MB 1.5Mbps 1G 1T 1e6 1e6b 1E6 1.2.3Mb 0x10 .5Mb -5Mb +5Mb 1e6Mb 1B 1kB 1mb 0.3Mb}
    delay_ {10ms 10 1us 1n 2p 2s 0.1e-1ms 1M 1h 0.3ms 3us 7ns {10 ms}}
} {
    foreach value $values {
        puts "$v $value: [$l set $v $value] [$l set $v]"
    }
}
