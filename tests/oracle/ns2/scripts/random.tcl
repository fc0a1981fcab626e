# ns-2's random numbers: the default stream, streams of the script's own, seeds.
puts "[ns-random 42] [ns-random] [ns-random]"
set ns [new Simulator]
puts "[$defaultRNG uniform 0 1] [$defaultRNG integer 100] [$defaultRNG exponential] [$defaultRNG normal 5 2]"
$defaultRNG seed 7
puts "[$defaultRNG uniform 2 3] [ns-random]"
set one [new RNG]
set two [new RNG]
puts "[$one uniform 0 1] [$two uniform 0 1] [$one uniform 0 1]"
$one next-substream
puts "[$one uniform 0 1] [$one lognormal 1 0.5]"
foreach kind {Uniform Exponential Pareto Constant} {
    set variable [new RandomVariable/$kind]
    $variable use-rng $two
    puts "$kind [$variable value] [$variable value]"
}
exit 0
