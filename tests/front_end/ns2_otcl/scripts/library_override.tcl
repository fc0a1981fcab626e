# Script classes over a library class: methods overridden, next, instvar on engine variables.
new Simulator
Class My -superclass Agent/TCP
My instproc init args { $self set mine 1; eval $self next $args; $self instvar window_ mine; set window_ 7; incr mine }
My instproc report {} { $self instvar window_; return "[incr window_] [$self set window_]" }
set m [new My]
puts "[$m set window_] [$m set mine]"
puts [$m report]
$m set window_ 20
puts "[$m report] [$m info class] [$m info class Agent]"
Agent/TCP instproc done {} { return "done [$self set window_]" }
puts [$m done]
My instproc done {} { return "my [$self next]" }
puts [$m done]
puts "[My info heritage] / [Agent/TCP/Reno info superclass]"
Class Failing -superclass Agent/TCP
Failing instproc init {} { $self next; error boo }
puts "[catch {new Failing} message] $message"
puts "[catch {new My 1 2 3} message]"
delete $m
puts [catch {$m set window_}]
