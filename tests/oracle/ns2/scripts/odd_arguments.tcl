# Words for numbers that are none, as arguments of methods.
set ns [new Simulator]
foreach name {n0 n1} { set $name [$ns node] }
$ns duplex-link $n0 $n1 1Mb 1ms DropTail
proc try {words} { puts "$words: [catch {uplevel #0 $words} result] $result" }
set rng [new RNG]
set integrator [new Integrator]
set samples [new Samples]
set udp [new Agent/UDP]
set tcp [new Agent/TCP]
set drr [new Queue/DRR]
try {$ns at foo "puts at"}
try {$ns at {} "puts again"}
try {$ns cost $n0 $n1 foo}
try {$ns after foo "puts after"}
try {$rng seed 99999999999}
try {$rng normal foo bar}
try {$integrator newpoint foo 3}
try {$samples newpoint foo}
try {$n0 attach $udp foo}
try {$tcp advance foo}
try {$drr quantum foo}
try {$drr blimit 5x}
try {$drr set quantum_}
try {$drr set blimit_}
try {$ns queue-limit $n0 $n1 99999999999}
try {[[$ns link $n0 $n1] queue] set limit_}
try {$n0 agent foo}
$ns at 0.5 "puts end; exit 0"
$ns run
