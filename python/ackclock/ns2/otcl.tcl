# OTcl's object system, written for Tcl 8.6.
#
# Layers, from below:
#   1. the store      arrays in ::otcl: who is whose class, which class has which method
#   2. precedence     the order in which classes are asked for a method
#   3. dispatch       every object is an ensemble; its map is a cache, filled on first use
#   4. built-ins      set, instvar, next, info, ... of Object and Class
#   5. tclcl          new, delete, SplitObject, class variables as defaults
#
# Why ensembles: an ensemble finds the method in C and calls it at the caller's own level, so that
# `upvar 1` and `uplevel` in a method mean what they mean in OTcl, and a call costs what a proc costs.
# A method is a proc with three leading arguments self, class, proc, which is how a body sees them.
#
# A method is stored as {kind command}:
#   proc  a script's body              called as  command self class proc arg...
#   obj   implemented here or by Python           command self arg...
#   ns    implemented here                        command namespace-of-self arg...
#   bound implemented here                        command namespace-of-self self arg...

namespace eval ::otcl {
    namespace eval m {}
    variable ns;        # object -> namespace with its instance variables
    variable cls;       # object -> its class
    variable super;     # class  -> direct superclasses
    variable sub;       # class  -> direct subclasses, newest first
    variable inst;      # class  -> dict of its direct instances
    variable im;        # class,method -> {kind command}
    variable pm;        # object,method -> {kind command}
    variable own;       # object -> dict of per-object method names
    variable lin;       # class  -> precedence list (cache)
    variable map;       # object -> dict method -> command prefix (cache)
    variable nx;        # object -> dict class method -> command prefix of the next method (cache)
    variable users;     # method -> dict of objects that have it in their map
    variable bound;     # class,variable -> type of a variable that lives in the engine
    variable serial 0
    variable handle 0
    variable lazy 0;    # 1 when ::otcl::py_class can define more classes
    array set bound {}
}

# --- 2. precedence -----------------------------------------------------------------------------

proc ::otcl::order {c} {
    variable lin
    if {[info exists lin($c)]} {
        return $lin($c)
    }
    set done {}
    visit $c $c
    return [set lin($c) $done]
}

# Depth first, last superclass first; a class goes in front of everything already placed.
proc ::otcl::visit {c top} {
    variable super
    upvar 1 done done
    foreach s [lreverse $super($c)] {
        if {$s eq $top} {
            return -code error $c
        }
        if {$s ni $done} {
            visit $s $top
        }
    }
    set done [linsert $done 0 $c]
}

proc ::otcl::is_class {c} {
    variable super
    variable lazy
    set c [plain $c]
    expr {[info exists super($c)] || ($lazy && [py_class $c])}
}

proc ::otcl::plain {name} {
    if {[string match ::* $name]} {
        return [string range $name 2 end]
    }
    return $name
}

# --- 3. dispatch -------------------------------------------------------------------------------

proc ::otcl::prefix {o c m entry} {
    variable ns
    lassign $entry kind command
    switch -- $kind {
        proc { return [list $command $o $c $m] }
        obj { return [list $command $o] }
        ns { return [list $command $ns($o)] }
        bound { return [list $command $ns($o) $o] }
    }
}

# The command prefix of method m of object o among the classes behind `after` ("" = the object's own
# methods first), or "".
proc ::otcl::find {o m} {
    variable pm
    variable im
    variable cls
    if {[info exists pm($o,$m)]} {
        return [prefix $o {} $m $pm($o,$m)]
    }
    foreach c [order $cls($o)] {
        if {[info exists im($c,$m)]} {
            return [prefix $o $c $m $im($c,$m)]
        }
    }
}

proc ::otcl::find_after {o after m} {
    variable im
    variable cls
    set path [order $cls($o)]
    if {$after ne {}} {
        set path [lrange $path [lsearch -exact $path $after]+1 end]
    }
    foreach c $path {
        if {[info exists im($c,$m)]} {
            return [prefix $o $c $m $im($c,$m)]
        }
    }
    return ::otcl::nothing
}

proc ::otcl::nothing args {}

# Every method an object has.
proc ::otcl::methods {o} {
    variable own
    variable cls
    set names [dict keys $own($o)]
    foreach c [order $cls($o)] {
        lappend names {*}[instprocs $c {proc obj ns bound}]
    }
    return $names
}

# Called by an object's ensemble for a method that is not in its map yet.
proc ::otcl::resolve {o ensemble m args} {
    variable map
    variable users
    variable cls
    set p [find $o $m]
    if {$p ne {}} {
        dict set map($o) $m $p
        dict set users($m) $o 1
        namespace ensemble configure $ensemble -map $map($o)
        return $p
    }
    set p [find $o unknown]
    if {$p ne {}} {
        return [linsert $p end $m]
    }
    return -code error "$o: unable to dispatch method $m"
}

# Method m was added or removed: whoever had it cached must look again.
proc ::otcl::forget {m} {
    variable users
    variable map
    variable nx
    unset -nocomplain nx
    if {[info exists users($m)]} {
        dict for {o _} $users($m) {
            if {[info exists map($o)]} {
                dict unset map($o) $m
                remap $o
            }
        }
        unset users($m)
    }
}

# Classes changed their order: everybody must look again.
proc ::otcl::forget_all {} {
    variable users
    variable map
    variable nx
    variable lin
    unset -nocomplain nx lin users
    foreach o [array names map] {
        set map($o) {}
        remap $o
    }
}

# An ensemble with an empty map would offer its namespace's exports instead, so one entry stays.
proc ::otcl::remap {o} {
    variable map
    dict set map($o) {} ::otcl::nothing
    namespace ensemble configure ::$o -map $map($o)
}

proc ::otcl::alloc {o c} {
    variable ns
    variable cls
    variable inst
    variable map
    variable serial
    variable own
    if {[info exists cls($o)]} {
        free $o
    }
    set n ::otcl::o[incr serial]
    set ns($o) $n
    set cls($o) $c
    set own($o) {}
    dict set inst($c) $o 1
    set map($o) [dict create {} ::otcl::nothing]
    namespace eval $n [list namespace ensemble create -command ::$o -prefixes 0 \
        -map $map($o) -unknown [list ::otcl::resolve $o]]
}

proc ::otcl::free {o} {
    variable ns
    variable cls
    variable inst
    variable map
    variable nx
    variable pm
    variable own
    if {![info exists cls($o)]} {
        return
    }
    dict unset inst($cls($o)) $o
    foreach m [dict keys $own($o)] {
        drop_method pm $o $m
    }
    set n $ns($o)
    unset ns($o) cls($o) map($o) own($o)
    unset -nocomplain nx($o)
    namespace delete $n
}

# --- methods written in Tcl ---

proc ::otcl::set_method {table who m arguments body} {
    variable $table
    if {$arguments eq {} && $body eq {}} {
        drop_method $table $who $m
        forget $m
        return
    }
    set name "::otcl::m::[string map {:: __} "$who $m"]"
    if {$table eq "pm"} {
        append name " (proc)"
    }
    proc $name [concat {self class proc} $arguments] $body
    set entry [list proc $name]
    if {![info exists ${table}($who,$m)] || [set ${table}($who,$m)] ne $entry} {
        set ${table}($who,$m) $entry
        forget $m
        if {$m eq "unknown"} {
            forget_all
        }
    }
    return
}

proc ::otcl::drop_method {table who m} {
    variable $table
    if {[info exists ${table}($who,$m)]} {
        lassign [set ${table}($who,$m)] kind command
        if {$kind eq "proc"} {
            rename $command {}
        }
        unset ${table}($who,$m)
    }
}

# --- 4. built-ins of Object --------------------------------------------------------------------

proc ::otcl::oset {n name args} {
    if {[llength $args]} {
        if {[catch {set ${n}::$name [lindex $args 0]} value]} {
            return -code error [string map [list ${n}:: {}] $value]
        }
    } elseif {[catch {set ${n}::$name} value]} {
        return -code error [string map [list ${n}:: {}] $value]
    }
    return $value
}

# set on an object some of whose variables live in the engine.
proc ::otcl::bset {n o name args} {
    variable bound
    variable home
    if {[info exists bound($home($o),$name)]} {
        if {[llength $args]} {
            py_set $o $name [lindex $args 0]
            return [lindex $args 0]
        }
        tailcall ::otcl::py_get $o $name
    }
    tailcall ::otcl::oset $n $name {*}[lrange $args 0 0]
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
    foreach a $args {
        if {[llength $a] == 2} {
            lappend pairs {*}$a
        } else {
            lappend pairs $a $a
        }
    }
    tailcall namespace upvar $n {*}$pairs
}

# instvar on an engine object: a Tcl variable with traces is made for a bound name when first asked for.
proc ::otcl::binstvar {n o args} {
    variable bound
    variable home
    set pairs {}
    foreach a $args {
        set name [lindex $a 0]
        lappend pairs $name [lindex $a end]
        if {[info exists bound($home($o),$name)] && ![info exists ${n}::$name]} {
            materialise $n $o $name
        }
    }
    tailcall namespace upvar $n {*}$pairs
}

proc ::otcl::materialise {n o name} {
    set ${n}::$name [py_get $o $name]
    trace add variable ${n}::$name read [list ::otcl::pull $n $o $name]
    trace add variable ${n}::$name write [list ::otcl::push $n $o $name]
}

proc ::otcl::pull {n o name args} {
    set ${n}::$name [py_get $o $name]
}

proc ::otcl::push {n o name args} {
    py_set $o $name [set ${n}::$name]
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
        set p [find_after $o $c $m]
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
    variable home
    if {[info exists home($o)]} {
        py_free $o
        unset home($o)
    }
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
    variable home
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
            set names {}
            foreach v [info vars $ns($o)::*] {
                lappend names [namespace tail $v]
            }
            if {[info exists home($o)]} {
                set skip [string length $home($o),]
                foreach key [array names bound $home($o),*] {
                    set v [string range $key $skip end]
                    if {$v ni $names} {
                        lappend names $v
                    }
                }
            }
            return [pick $names $rest]
        }
        procs - commands { return [pick [hashed [dict keys $own($o)]] $rest] }
        args { return [lrange [info args [tcl_method pm $o [lindex $rest 0]]] 3 end] }
        body { return [info body [tcl_method pm $o [lindex $rest 0]]] }
    }
    if {$option eq "default"} {
        return [defaults [tcl_method pm $o [lindex $rest 0]] [lindex $rest 1] [lindex $rest 2]]
    }
    return -code error "expected an info option but got $option"
}

# --- 4. built-ins of Class ---------------------------------------------------------------------

proc ::otcl::need_class {c} {
    if {![is_class $c]} {
        return -code error "expected a list of classes but got $c"
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
    alloc $name $cl
    set path [order $cl]
    if {"Class" in $path} {
        set super($name) Object
        set sub($name) {}
        set ::otcl::inst($name) {}
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
        foreach o [dict keys $inst($c)] {
            if {[info exists ::otcl::cls($o)]} {
                uplevel #0 [list ::$o destroy]
            }
        }
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
    foreach key [array names im $c,*] {
        drop_method im $c [string range $key [string length $c,] end]
    }
    unset super($c) sub($c) inst($c)
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
        return -code error "expected a cycle-free graph but got $parents"
    }
    foreach s $before {
        set sub($s) [lsearch -all -inline -not -exact $sub($s) $c]
    }
    foreach s $parents {
        set sub($s) [linsert $sub($s) 0 $c]
    }
    forget_all
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

proc ::otcl::instprocs {c kinds} {
    variable im
    set names {}
    set skip [string length $c,]
    foreach key [array names im $c,*] {
        if {[lindex $im($key) 0] in $kinds} {
            lappend names [string range $key $skip end]
        }
    }
    return [hashed $names]
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
                return [expr {[plain [lindex $rest 0]] in [lrange [order $c] 1 end]}]
            }
            return $super($c)
        }
        subclass {
            if {[llength $rest]} {
                set other [plain [lindex $rest 0]]
                if {![is_class $other]} {
                    return -code error "expected a class but got $other"
                }
                return [expr {$c in [lrange [order $other] 1 end]}]
            }
            if {$::otcl::lazy} {
                py_subclasses $c
            }
            return $sub($c)
        }
        heritage { return [pick [lrange [order $c] 1 end] $rest] }
        instances { return [pick [hashed [dict keys $inst($c)]] $rest] }
        instprocs { return [pick [instprocs $c {proc obj ns bound}] $rest] }
        instcommands { return [pick [instprocs $c {proc obj ns bound}] $rest] }
        instargs { return [lrange [info args [tcl_method im $c [lindex $rest 0]]] 3 end] }
        instbody { return [info body [tcl_method im $c [lindex $rest 0]]] }
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
    }
    foreach {m command} {
        create create  alloc calloc  superclass csuperclass  instproc cinstproc  info cinfo
        unknown cunknown  destroy cdestroy
    } {
        set im(Class,$m) [list obj ::otcl::$command]
    }
    ::otcl::alloc Object Class
    ::otcl::alloc Class Class
} ::}
