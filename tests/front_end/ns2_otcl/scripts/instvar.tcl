# Instance variables: scalars, arrays, aliases, names that do not exist yet.
Class C
C instproc init {} { $self set count 0; $self next }
C instproc inc {} { $self instvar count; incr count }
C instproc two {} { $self instvar x {y why}; set x 1; set why 2; list [info exists x] [info exists y] }
C instproc tab {} {
    $self instvar tab_ count
    set tab_(a) 1
    set tab_(0:1) 2
    foreach k [lsort [array names tab_]] { puts "$k=$tab_($k)" }
    return $count
}
C instproc probe v { $self instvar $v; info exists $v }
C instproc many {} {
    $self instvar a b
    $self instvar c
    foreach v {a b c} { set $v $v$v }
}
C c
puts "[c inc] [c inc] [c set count] [c two] [c set y]"
puts "[c tab] [c set tab_(0:1)] [c probe nope] [c probe count]"
puts [lsort [c info vars]]
puts "[c array size tab_] [lsort [c array names tab_]] [c array exists count] [c array get tab_ a]"
c array set z {k 1 l 2}
puts [c set z(l)]
c unset z(l)
puts [c array names z]
c unset count
puts [catch {c unset count} message]; puts $message
puts [catch {c set count} message]; puts $message
puts [catch {c set tab_} message]; puts $message
puts [catch {c set tab_(zz)} message]; puts $message
c many
puts "[c set a] [c set b] [c set c]"
proc outside {} { c instvar a; append a !; return $a }
puts "[outside] [c set a]"
