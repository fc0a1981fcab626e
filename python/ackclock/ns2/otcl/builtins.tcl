# The methods that Object and Class have from birth (layer 4, see otcl.tcl), and the two classes.

# --- Object --------------------------------------------------------------------

proc ::otcl::oset {n name args} {
    if {[llength $args]} {
        if {[llength $args] > 1 && [set wrong [too_many $n]] ne {}} {
            return -code error $wrong
        }
        if {[catch {set ${n}::$name [lindex $args 0]} value]} {
            return -code error [string map [list ${n}:: {}] $value]
        }
    } elseif {[catch {set ${n}::$name} value]} {
        return -code error [string map [list ${n}:: {}] $value]
    }
    return $value
}

# What OTcl's own set says of several values; that of ns-2's objects passes over all but the first.
proc ::otcl::too_many {n} {
    foreach {o space} [array get ::otcl::ns] {
        if {$space eq $n && ![info exists ::otcl::home($o)]} {
            return "wrong # args: should be {$o set var ?value?}"
        }
    }
}

proc ::otcl::ounset {n args} {
    foreach name $args {
        if {[catch {unset ${n}::$name} message]} {
            return -code error [string map [list ${n}:: {}] $message]
        }
    }
}

proc ::otcl::instvar {n args} {
    set pairs {}
    if {[info level] == 1} {
        at_top [lindex $args 0 end]
    }
    foreach a $args {
        if {[llength $a] == 2} {
            lappend pairs {*}$a
        } else {
            lappend pairs $a $a
        }
    }
    tailcall namespace upvar $n {*}$pairs
}

# Outside of procedures there is nothing that an object's variable could be linked to.
proc ::otcl::at_top {name} {
    return -level 2 -code error \
        "bad variable name \"$name\": can't create namespace variable that refers to procedure variable"
}

# instvar on an engine object: a Tcl variable with traces is made for a bound name when first asked for.
proc ::otcl::binstvar {n o args} {
    set pairs {}
    foreach a $args {
        lappend pairs [lindex $a 0] [lindex $a end]
    }
    tailcall ::otcl::link $o $pairs
}

proc ::otcl::link {o pairs} {
    variable ns
    variable bound
    variable late
    variable engine
    variable ready
    variable traced
    set home $engine($o)
    set shared {}
    foreach {name local} $pairs {
        if {[dict exists $late($home) $name]} {
            upvar 1 $local variable
            follow variable $o $name
            continue
        }
        lappend shared $name $local
        set full $ns($o)::$name
        if {[dict exists $bound($home) $name] && ![info exists traced($full)]} {
            set traced($full) 1
            set $full [py_get $o $name]
            trace add variable $full read [list ::otcl::pull $full $o $name]
            trace add variable $full write [list ::otcl::push $full $o $name]
        }
    }
    if {[llength $shared] == [llength $pairs]} {
        set ready($o,[join $pairs ,]) 1
    }
    if {[llength $shared]} {
        if {[info level] == 1} {
            at_top [lindex $shared 1]
        }
        tailcall ::namespace upvar $ns($o) {*}$shared
    }
}

# The caller's own variable is to follow one that ns-2 binds late. It may follow several: what is written goes to each of
# them, and what is read is that of the first.
proc ::otcl::follow {variable o name} {
    upvar 1 $variable follower
    if {![info exists follower]} {
        set follower {}
    }
    trace add variable follower read [list ::otcl::pull_late $o $name]
    trace add variable follower write [list ::otcl::push_late $o $name]
}

proc ::otcl::pull_late {o name variable element args} {
    if {[info exists ::otcl::engine($o)]} {
        upvar 1 $variable follower
        set follower [py_get $o $name]
    }
}

proc ::otcl::push_late {o name variable element args} {
    if {[info exists ::otcl::engine($o)]} {
        upvar 1 $variable follower
        py_set $o $name $follower
    }
}

proc ::otcl::pull {full o name args} {
    set $full [py_get $o $name]
}

proc ::otcl::push {full o name args} {
    py_set $o $name [set $full]
}

proc ::otcl::oarray {n option name args} {
    tailcall array $option ${n}::$name {*}$args
}

proc ::otcl::next {o args} {
    upvar 1 class c proc m
    if {[catch {dict get $::otcl::nx($o) $c $m} p]} {
        if {![info exists m]} {
            return -code error "no executing proc"
        }
        set p [find_next $o $c $m]
        dict set ::otcl::nx($o) $c $m $p
    }
    tailcall {*}$p {*}$args
}

proc ::otcl::oproc {o m arguments body} {
    variable own
    set_method pm $o $m $arguments $body
    if {$arguments eq {} && $body eq {}} {
        dict unset own($o) $m
    } else {
        dict set own($o) $m 1
    }
    return
}

# Object init: the arguments are pairs, each a call of a method with one argument; a leading - is dropped.
proc ::otcl::oinit {o args} {
    if {[llength $args] % 2} {
        return -code error "uneven number of args"
    }
    foreach {m value} $args {
        if {[string match -* $m]} {
            set m [string range $m 1 end]
        }
        if {[catch {uplevel 1 [list ::$o $m $value]} message options]} {
            return -options $options "$message during {$o} {$m} {$value}"
        }
    }
    return
}

proc ::otcl::odestroy {o} {
    free $o
    return
}

proc ::otcl::oclass {o args} {
    variable cls
    variable inst
    if {[llength $args] != 1} {
        return -code error "wrong # args: should be {$o class <class>}"
    }
    set c [need_class [lindex $args 0]]
    dict unset inst($cls($o)) $o
    set cls($o) $c
    dict set inst($c) $o 1
    py_own $o
    forget_all
    return
}

proc ::otcl::isa {o c} {
    variable cls
    expr {[plain $c] in [order $cls($o)]}
}

proc ::otcl::tcl_method {table who m} {
    variable $table
    if {[info exists ${table}($who,$m)]} {
        lassign [set ${table}($who,$m)] kind command
        if {$kind eq "proc"} {
            return $command
        }
    }
    return -code error "expected a tcl method name but got $m"
}

proc ::otcl::defaults {command name variable} {
    upvar 2 $variable value
    set has [info default $command $name value]
    return $has
}

proc ::otcl::pick {names pattern} {
    if {[llength $pattern]} {
        return [lsearch -all -inline -glob $names [lindex $pattern 0]]
    }
    return $names
}

# Names in the order of a Tcl hash table, which is the order OTcl gives them in.
proc ::otcl::hashed {names} {
    foreach name $names {
        set table($name) 1
    }
    array names table
}

proc ::otcl::oinfo {o args} {
    variable cls
    variable own
    variable ns
    variable bound
    variable engine
    if {![llength $args]} {
        return -code error "wrong # args: should be {$o info <opt> ?args?}"
    }
    set rest [lassign $args option]
    switch -- $option {
        class {
            if {[llength $rest]} {
                return [isa $o [lindex $rest 0]]
            }
            return $cls($o)
        }
        vars {
            if {[info exists ::otcl::kept($o)]} {
                py_flush_variables $o
            }
            set names {}
            foreach v [info vars $ns($o)::*] {
                lappend names [namespace tail $v]
            }
            if {[info exists engine($o)]} {
                foreach v [dict keys $bound($engine($o))] {
                    if {$v ni $names && ![dict exists $::otcl::late($engine($o)) $v]} {
                        lappend names $v
                    }
                }
            }
            return [pick $names $rest]
        }
        procs - commands { return [pick [hashed [dict keys $own($o)]] $rest] }
        args { return [lrange [info args [tcl_method pm $o [lindex $rest 0]]] 3 end] }
        body { return [body [tcl_method pm $o [lindex $rest 0]]] }
    }
    if {$option eq "default"} {
        return [defaults [tcl_method pm $o [lindex $rest 0]] [lindex $rest 1] [lindex $rest 2]]
    }
    return -code error "expected an info option but got $option"
}

# --- Class ---------------------------------------------------------------------

proc ::otcl::need_class {c} {
    if {![is_class $c]} {
        set hint [py_hint [plain $c]]
        return -code error "expected a list of classes but got $c[expr {$hint eq {} ? {} : ": $hint"}]"
    }
    return [plain $c]
}

# Make object `name` an instance of cl and send it init.
proc ::otcl::create {cl args} {
    variable super
    variable sub
    variable home
    if {![llength $args]} {
        return -code error "wrong # args: should be {$cl create <obj> ?args?}"
    }
    set rest [lassign $args name]
    set name [plain $name]
    set path [order $cl]
    if {"Class" in $path} {
        py_scripts_own $name
    }
    alloc $name $cl
    if {"Class" in $path} {
        py_changed
        set super($name) Object
        set sub($name) {}
        set ::otcl::inst($name) {}
        set ::otcl::has($name) {}
        set sub(Object) [linsert $sub(Object) 0 $name]
    } else {
        foreach c $path {
            if {[info exists ::otcl::shadowed($c)]} {
                if {!$::otcl::shadowed($c)} {
                    free $name
                    py_missing $c
                }
                set home($name) $c
                py_alloc $name $c $cl
                break
            }
        }
    }
    uplevel 1 [list ::$name init {*}$rest]
    return $name
}

proc ::otcl::calloc {cl name args} {
    alloc [plain $name] $cl
    return $name
}

proc ::otcl::cdestroy {c} {
    variable super
    variable sub
    variable inst
    variable im
    if {[info exists inst($c)]} {
        py_materialize_class $c
        foreach o [dict keys $inst($c)] {
            if {[info exists ::otcl::cls($o)]} {
                uplevel #0 [list ::$o destroy]
            }
        }
    }
    if {$::otcl::lazy} {
        py_subclasses $c
    }
    foreach s $super($c) {
        set sub($s) [lsearch -all -inline -not -exact $sub($s) $c]
    }
    foreach s $sub($c) {
        set super($s) [lsearch -all -inline -not -exact $super($s) $c]
        if {$super($s) eq {}} {
            set super($s) Object
            set sub(Object) [linsert $sub(Object) 0 $s]
        }
    }
    foreach m [dict keys $::otcl::has($c)] {
        drop_method im $c $m
    }
    unset super($c) sub($c) inst($c) ::otcl::has($c)
    free $c
    forget_all
    return
}

proc ::otcl::csuperclass {c args} {
    variable super
    variable sub
    variable lin
    if {[llength $args] != 1} {
        return -code error "wrong # args: should be {$c superclass <classes>}"
    }
    set parents {}
    foreach p [lindex $args 0] {
        lappend parents [need_class $p]
    }
    for {set i 1} {$i < [llength $parents]} {incr i} {
        foreach earlier [lrange $parents 0 $i-1] {
            if {$earlier in [lrange [order [lindex $parents $i]] 1 end]} {
                return -code error "expected classes in dependence order but got {$parents}"
            }
        }
    }
    set before $super($c)
    set super($c) $parents
    unset -nocomplain lin
    if {[catch {order $c} culprit]} {
        set super($c) $before
        unset -nocomplain lin
        return -code error "expected a cycle-free graph but got [list $parents]"
    }
    foreach s $before {
        set sub($s) [lsearch -all -inline -not -exact $sub($s) $c]
    }
    foreach s $parents {
        set sub($s) [linsert $sub($s) 0 $c]
    }
    py_changed
    # A class that was just made is nobody's yet.
    if {[llength $sub($c)] || [dict size $::otcl::inst($c)]} {
        forget_all
    }
    return
}

proc ::otcl::cinstproc {c m arguments body} {
    set_method im $c $m $arguments $body
}

proc ::otcl::cunknown {c m args} {
    if {$m eq "create"} {
        return -code error "$c: unable to dispatch $m"
    }
    tailcall ::$c create $m {*}$args
}

proc ::otcl::instprocs {c} {
    variable has
    return [hashed [dict keys $has($c)]]
}

proc ::otcl::cinfo {c args} {
    variable super
    variable sub
    variable inst
    if {![llength $args]} {
        return -code error "wrong # args: should be {$c info <opt> ?args?}"
    }
    set rest [lassign $args option]
    switch -- $option {
        superclass {
            if {[llength $rest]} {
                return [expr {[plain [lindex $rest 0]] in [order $c]}]
            }
            return $super($c)
        }
        subclass {
            if {[llength $rest]} {
                set other [plain [lindex $rest 0]]
                if {![is_class $other]} {
                    return -code error "expected a class but got $other"
                }
                return [expr {$c in [order $other]}]
            }
            if {$::otcl::lazy} {
                py_subclasses $c
                set sub($c) [py_order {*}$sub($c)]
            }
            return $sub($c)
        }
        heritage { return [pick [lrange [order $c] 1 end] $rest] }
        instances {
            py_materialize_class $c
            return [pick [hashed [py_in_order {*}[dict keys $inst($c)]]] $rest]
        }
        instprocs { return [pick [instprocs $c] $rest] }
        instcommands { return [pick [instprocs $c] $rest] }
        instargs { return [lrange [info args [tcl_method im $c [lindex $rest 0]]] 3 end] }
        instbody { return [body [tcl_method im $c [lindex $rest 0]]] }
        instdefault {
            return [defaults [tcl_method im $c [lindex $rest 0]] [lindex $rest 1] [lindex $rest 2]]
        }
    }
    tailcall ::otcl::oinfo $c {*}$args
}

# --- the first two classes ---

apply {{} {
    variable ::otcl::super
    variable ::otcl::sub
    variable ::otcl::inst
    variable ::otcl::im
    set super(Object) {}
    set super(Class) Object
    set sub(Object) Class
    set sub(Class) {}
    set inst(Object) {}
    set inst(Class) {}
    foreach {m kind command} {
        init obj oinit  set ns oset  unset ns ounset  instvar ns instvar  array ns oarray
        next obj next  info obj oinfo  proc obj oproc  class obj oclass  destroy obj odestroy
    } {
        set im(Object,$m) [list $kind ::otcl::$command]
        dict set ::otcl::has(Object) $m 1
    }
    foreach {m command} {
        create create  alloc calloc  superclass csuperclass  instproc cinstproc  info cinfo
        unknown cunknown  destroy cdestroy
    } {
        set im(Class,$m) [list obj ::otcl::$command]
        dict set ::otcl::has(Class) $m 1
    }
    ::otcl::alloc Object Class
    ::otcl::alloc Class Class
} ::}
