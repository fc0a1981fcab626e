# Values of class variables: none, several, words with blanks, and the older names of those of RED and DropTail.
proc try args {
    if [catch {uplevel #0 $args} message] { puts "error $message" } else { puts "<$message>" }
}
set ns [new Simulator]
Class A
Class B -superclass Agent/TCP
A a
foreach class {Agent/TCP Queue/DropTail Queue/RED Queue/RED/RIO Queue/CBQ Simulator A B} {
    puts $class
    try $class set thresh_ {}
    try $class set thresh_ 7
    try $class set thresh_ {}
    try $class set thresh_
    try $class set foo_ { 3 }
    try $class set foo_ {3 4}
    try $class set foo_
    foreach name {queue-in-bytes_ drop-tail_ drop-front_ drop-rand_ ns1-compat_} {
        try $class set $name 1
        try $class set $name
        try $class set [string map {- _} $name]
    }
    try $class set limit_ {$x}
    try $class set limit_ {[puts evaluated]}
    try $class set limit_
}
try Agent/TCP set window_ 1 2
try a set x 1 2
set tcp [new Agent/TCP]
try $tcp set window_ 1 2
try $tcp set own 3 4
try $tcp set own
try $ns set own 5 6
