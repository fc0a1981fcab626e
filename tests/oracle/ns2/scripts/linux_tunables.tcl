# What a Linux sender prints about its congestion controls and their tunables, right and wrong names included.
set ns [new Simulator]
set tcp [new Agent/TCP/Linux]
set other [new Agent/TCP/Linux]
foreach law {linux naive_reno bic cubic htcp hybla vegas illinois reno highspeed scalable westwood yeah veno compound lp} {
    $tcp get_ca_param $law
}
foreach {name value} {debug_level 2 sysctl_tcp_abc 0 tcp_max_burst 5} {
    foreach tunable {sysctl_tcp_abc tcp_max_burst debug_level} { $tcp get_ca_default_param linux $tunable }
    $tcp set_ca_default_param linux $name $value
}
$tcp get_ca_param linux
puts "[$tcp set_ca_param cubic beta 717]."
$tcp get_ca_param cubic beta
$other get_ca_param cubic beta
$tcp get_ca_default_param cubic beta
$tcp get_ca_param cubic
foreach value {12x x12 -3 99999999999} {
    $tcp set_ca_param cubic beta $value
    $tcp get_ca_param cubic beta
}
foreach wrong {
    {set_ca_param cubic nobeta 1} {set_ca_param nolaw beta 1} {set_ca_default_param cubic nobeta 1}
    {get_ca_default_param cubic nobeta} {get_ca_param cubic nobeta} {get_ca_param nolaw} {select_ca nolaw}
} {
    puts "$wrong: [catch {eval $tcp $wrong} result] $result"
}
foreach name {tcpTick_ cwnd_ ssthresh_ bugFix_ts_ next_pkts_in_flight_ maxrto_} { puts "$name [$tcp set $name]" }
foreach law {reno veno reno cubic} { $tcp select_ca $law and more }
foreach name {tcpTick_ cwnd_ ssthresh_ bugFix_ts_} { puts "$name [$tcp set $name]" }
puts [$tcp set next_pkts_in_flight_ 7]
