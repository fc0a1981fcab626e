# The generators that every script finds, when a script has made others and changed their class before it asks.
set mine [new RNG]
puts "[$mine all-seeds] [$mine next-random]"
RNG instproc twice {} { expr 2 * [$self next-random] }
puts "$rtglibRNG [$rtglibRNG info class] [$rtglibRNG seed] [$rtglibRNG all-seeds] [$rtglibRNG twice]"
puts "[lsort [RNG info instances]] [ns-random] [ns-random 5] [ns-random]"
puts "$defaultRNG [$defaultRNG info class] [$defaultRNG seed] [$defaultRNG info vars] [$defaultRNG twice]"
$defaultRNG seed 7
puts "[[new RNG] all-seeds] [$defaultRNG next-random]"
$rtglibRNG next-substream
puts [$rtglibRNG all-seeds]
set variable [new RandomVariable/Uniform]
puts [$variable value]
$variable use-rng $rtglibRNG
puts [$variable value]
delete $rtglibRNG
puts "[catch {$rtglibRNG seed} said] $said"
exit 0
