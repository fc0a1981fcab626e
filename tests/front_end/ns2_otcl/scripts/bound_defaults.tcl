# Class variables are the first values of the objects made afterwards.
new Simulator
set before [new Agent/TCP]
Agent/TCP set window_ 33
Agent/TCP/Reno set window_ 44
Class Mine -superclass Agent/TCP/Reno
foreach c {Agent/TCP Agent/TCP/Reno Mine} { set o [new $c]; puts "$c [$o set window_] [$o set packetSize_]" }
Mine set window_ 55
puts "[[new Mine] set window_] [$before set window_] [Agent/TCP set window_]"
puts "[catch {Mine set packetSize_} message] $message"
Agent/TCP set invented_ 5
puts [catch {$before set invented_} message]
$before set invented_ 6
puts "[$before set invented_] [Agent/TCP set invented_]"
puts "[DelayLink set delay_] [Queue set limit_]"
