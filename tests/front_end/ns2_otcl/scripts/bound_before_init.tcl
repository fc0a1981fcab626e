# Before init has gone all the way, an engine variable is a plain one.
new Simulator
Class My -superclass Agent/TCP
My instproc init {} {
    $self instvar window_
    set window_ 3
    puts "before: $window_ [$self set window_]"
    $self next
    puts "after: $window_"
    set window_ 7
    puts "then: $window_ [$self set window_]"
}
My instproc later {} { $self instvar window_; set window_ 9; return $window_ }
set m [new My]
puts "[$m set window_] [$m later] [$m set window_]"
Class Early -superclass Agent/TCP
Early instproc init {} { $self set window_ 5; $self next }
puts [[new Early] set window_]
Class Late -superclass Agent/TCP
Late instproc init {} { $self next; $self set window_ 5 }
puts [[new Late] set window_]
