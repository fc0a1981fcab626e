# The order in which classes are asked, over many small graphs.
set serial 0
proc pick {n} { global serial; expr {([incr serial] * 7919 + $n * 104729) % 97 % $n} }
for {set g 0} {$g < 40} {incr g} {
    Class G$g
    set made G$g
    for {set i 1} {$i < 8} {incr i} {
        set supers {}
        foreach k {1 2 3} {
            set s [lindex $made [pick [llength $made]]]
            if {[lsearch $supers $s] < 0} { lappend supers $s }
        }
        set name G$g-$i
        if ![catch {Class $name -superclass $supers} message] {
            lappend made $name
            puts "$name: $supers -> [$name info heritage]"
        } else { puts "$name: $message" }
    }
}
