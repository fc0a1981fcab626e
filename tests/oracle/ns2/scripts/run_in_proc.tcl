# `$ns run` inside a proc: what it schedules is evaluated at the top level all the same.
proc main {} {
    set ns [new Simulator]
    set here "in main"
    $ns at 1.0 {set there 5; puts "[info level] [info exists here]"}
    $ns at 2.0 {puts "[info level] $there"; proc more {} {puts "more: [info level] [info exists there]"}}
    $ns at 3.0 more
    $ns at 4.0 {puts [info exists ::there]; exit 0}
    $ns run
}
main
