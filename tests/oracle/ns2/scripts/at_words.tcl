# What `at` and its kin take, and what they make of other words.
set ns [new Simulator]
proc finish {} { puts finish; exit 0 }
puts [catch {$ns at 5.0"finish"} e]; puts $e
puts [catch {$ns at 5.0 finish now} e]; puts $e
puts [catch {$ns at 5.0} e]; puts $e
puts [catch {$ns at} e]; puts $e
puts [catch {$ns at-now} e]; puts $e
puts [catch {$ns after 1} e]; puts $e
puts [catch {$ns at abc "puts abc"} e]; puts $e
puts [catch {$ns at 1,5 "puts 1,5"} e]; puts $e
puts [catch {$ns at -1 "puts neg"} e]; puts $e
puts [catch {$ns at "" "puts empty"} e]; puts $e
puts [catch {$ns cancel foo} e]; puts $e
puts [catch {$ns cancel} e]; puts $e
puts [catch {$ns cancel 999} e]; puts $e
$ns at 6 "finish"
$ns run
