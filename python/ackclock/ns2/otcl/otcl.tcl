# OTcl's object system, written for Tcl 8.6.
#
# Layers, from below:
#   1. the store      arrays in ::otcl: who is whose class, which class has which method
#   2. precedence     the order in which classes are asked for a method
#   3. dispatch       every object is an ensemble; its map is a cache, filled on first use
#   4. builtins.tcl   set, instvar, next, info, ... of Object and Class
#   5. tclcl.tcl      new, delete, SplitObject, class variables as defaults
#
# Why ensembles: an ensemble finds the method in C and calls it at the caller's own level, so that
# `upvar 1` and `uplevel` in a method mean what they mean in OTcl, and a call costs what a proc costs.
# A method is a proc with three leading arguments self, class, proc, which is how a body sees them.
#
# A method is stored as {kind command}:
#   proc  a script's body              called as  command self class proc arg...
#   obj   implemented here                        command self arg...
#   py    implemented by Python                   command self arg..., made when somebody first calls the method
#   ns    implemented here                        command namespace-of-self arg...
#   bound set and instvar, which an object with variables in the engine has differently

namespace eval ::otcl {
    namespace eval m {}
    variable ns;        # object -> namespace with its instance variables
    variable cls;       # object -> its class
    variable super;     # class  -> direct superclasses
    variable sub;       # class  -> direct subclasses, newest first
    variable inst;      # class  -> dict of its direct instances
    variable im;        # class,method -> {kind command}
    variable has;       # class  -> dict of its methods' names, the latest defined last
    variable pm;        # object,method -> {kind command}
    variable own;       # object -> dict of per-object method names
    variable lin;       # class  -> precedence list (cache)
    variable map;       # object -> dict method -> command prefix (cache)
    variable nx;        # object -> dict class method -> command prefix of the next method (cache)
    variable users;     # method -> dict of objects that have it in their map
    variable bound;     # library class -> dict of its objects' variables that live in the engine, with their types
    variable late;      # library class -> dict of those among them that ns-2 binds when a script first names them
    variable engine;    # object -> library class, for objects with such variables
    variable ready;     # object,pairs -> 1 once the engine's variables among them, none bound late, have their traces
    variable traced;    # full name of a variable -> 1 once it has those traces
    variable home;      # object -> library class, for objects with a Python side
    variable kept;      # object -> 1 while its instance variables are kept by Python
    variable shadowed;  # library class -> 1 if it exists here, 0 if only ns-2 has it
    variable source;    # command -> body as the script wrote it, where it is run in another form
    variable serial 0
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
    variable kept
    lassign $entry kind command
    if {$kind eq "py"} {
        if {[namespace which -command $command] eq {}} {
            py_method $command
        }
        return [list $command $o]
    }
    if {$kind ne "obj" && [info exists kept($o)]} {
        if {$command eq "oset"} {
            return [list ::otcl::py_var $o]
        }
        py_flush_variables $o
    }
    switch -- $kind {
        proc { return [list $command $o $c $m] }
        obj { return [list $command $o] }
        ns { return [list $command $ns($o)] }
        bound {
            # set and instvar: only an object with variables in the engine has to look there.
            if {[info exists ::otcl::engine($o)]} {
                return [expr {$command eq "oset" ? [list ::otcl::py_var $o] : [list ::otcl::b$command $ns($o) $o]}]
            }
            return [list ::otcl::$command $ns($o)]
        }
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

# What `next` in a script's method m of class `after` calls: OTcl goes on to methods alone, so a command that ns-2 has in
# C++ is not reached, and nothing happens.
proc ::otcl::find_next {o after m} {
    variable cls
    set found [find_after $o $after $m]
    # The library's methods are called with the object alone, a script's with class and method, too.
    if {[string match ::otcl::m::* [lindex $found 0]] && [llength $found] == 2} {
        set path [order $cls($o)]
        if {$after ne {}} {
            set path [lrange $path [lsearch -exact $path $after]+1 end]
        }
        if {[py_is_command $m $after $path]} {
            return ::otcl::nothing
        }
    }
    return $found
}

# Who answers method m of the objects of class c, among the classes behind `after` if that is given: {kind command}.
# Python asks, and goes round Tcl where the answer is its own.
proc ::otcl::entry {c m {after {}}} {
    variable im
    set path [order $c]
    if {$after ne {}} {
        set path [lrange $path [lsearch -exact $path $after]+1 end]
    }
    foreach c $path {
        if {[info exists im($c,$m)]} {
            return $im($c,$m)
        }
    }
}

# The command that is init for objects of class c, and of classes below that have none of their own, if scripts have no part
# in making them.
proc ::otcl::init_of {c} {
    variable cls
    if {[lindex [find $c create] 0] ne "::otcl::create" || "Class" in [order $c]} {
        return
    }
    lassign [entry $c init] kind command
    if {$kind in {obj py}} {
        return $command
    }
}

# The library class that objects of class c are made from and the command that is their init, on the same terms:
# {class command}.
proc ::otcl::making {c} {
    variable shadowed
    if {![is_class $c]} {
        return
    }
    set c [plain $c]
    set command [init_of $c]
    foreach home [order $c] {
        if {[info exists shadowed($home)]} {
            if {$shadowed($home) && $command ne {}} {
                return [list $home $command]
            }
            return
        }
    }
}

# Every method an object has.
proc ::otcl::methods {o} {
    variable own
    variable cls
    set names [dict keys $own($o)]
    foreach c [order $cls($o)] {
        lappend names {*}[instprocs $c]
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
    if {[info exists ::otcl::home($o)]} {
        set missing [py_lacks $o $m]
        if {$missing ne {}} {
            return -code error $missing
        }
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

# The same for some methods of one object.
proc ::otcl::look_again {o methods} {
    variable map
    variable nx
    unset -nocomplain nx($o)
    foreach m $methods {
        dict unset map($o) $m
    }
    remap $o
}

# Classes changed their order: everybody must look again.
proc ::otcl::forget_all {} {
    variable users
    variable map
    variable nx
    variable lin
    py_changed
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

# The Tcl side of an object that Python made: its class, its library class, whether it has variables in the engine.
# The variables that it has besides are still Python's.
proc ::otcl::materialize {o c home lives} {
    alloc $o $c
    set ::otcl::home($o) $home
    set ::otcl::kept($o) 1
    if {$lives} {
        set ::otcl::engine($o) $home
    }
}

# These variables of an object are Tcl's from now on; `looks` says of some arrays at how many elements somebody looked for
# one that was not there, which made the array's table grow. The result is the namespace that they are in.
proc ::otcl::flush_variables {o values looks} {
    variable ns
    unset ::otcl::kept($o)
    foreach {name value} $values {
        set $ns($o)::$name $value
        set array [lindex [split $name (] 0]
        if {[dict exists $looks $array] && [array size $ns($o)::$array] in [dict get $looks $array]} {
            catch {set $ns($o)::${array}(::otcl::nobody)}
        }
    }
    look_again $o set
    return $ns($o)
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
    if {[info exists ::otcl::home($o)]} {
        unset ::otcl::home($o)
        unset -nocomplain ::otcl::kept($o)
        if {[info exists ::otcl::engine($o)]} {
            unset ::otcl::engine($o)
            array unset ::otcl::ready $o,*
            array unset ::otcl::traced $ns($o)::*
        }
        py_free $o
    }
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
    if {$table eq "im" || [info exists ::otcl::super($who)]} {
        py_changed
    } else {
        py_own $who
    }
    if {$arguments eq {} && $body eq {}} {
        drop_method $table $who $m
        forget $m
        return
    }
    if {$table eq "im"} {
        dict unset ::otcl::has($who) $m
        dict set ::otcl::has($who) $m 1
    }
    set name "::otcl::m::[string map {:: __} "$who $m"]"
    if {$table eq "pm"} {
        append name " (proc)"
    }
    set faster [quick $body]
    if {$faster ne $body} {
        set ::otcl::source($name) $body
    } else {
        unset -nocomplain ::otcl::source($name)
    }
    proc $name [concat {self class proc} $arguments] $faster
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

# A body in which plain `$self instvar name...` lines are compiled in place, three times as fast.
proc ::otcl::quick {body} {
    if {![string match {*$self instvar *} $body]} {
        return $body
    }
    set plain {(^|;)([ \t]*)\$self instvar((?:[ \t]+[A-Za-z_][A-Za-z0-9_]*)+)(?=[ \t]*(?:;|$))}
    set out {}
    set from 0
    foreach {all head indent names} [regexp -all -inline -indices -line -- $plain $body] {
        set pairs {}
        foreach name [string range $body {*}$names] {
            lappend pairs $name $name
        }
        append out [string range $body $from [lindex $indent 1]]
        append out "if {\[::info exists ::otcl::engine(\$self)] &&" \
            " !\[::info exists ::otcl::ready(\$self,[join $pairs ,])]} {::otcl::link \$self {$pairs}} else" \
            " {::namespace upvar \$::otcl::ns(\$self) $pairs}"
        set from [expr {[lindex $all 1] + 1}]
    }
    return $out[string range $body $from end]
}

proc ::otcl::body {command} {
    variable source
    if {[info exists source($command)]} {
        return $source($command)
    }
    info body $command
}

proc ::otcl::drop_method {table who m} {
    variable $table
    if {[info exists ${table}($who,$m)]} {
        lassign [set ${table}($who,$m)] kind command
        if {$kind eq "proc"} {
            rename $command {}
        }
        unset ${table}($who,$m)
        if {$table eq "im"} {
            dict unset ::otcl::has($who) $m
        }
    }
}
