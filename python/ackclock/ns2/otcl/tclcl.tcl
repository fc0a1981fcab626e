# What the layer between OTcl and C++ (tclcl) adds: handles, new and delete, SplitObject with its
# shadow object, class variables as defaults. The shadow is a Python peer here; the commands py_* are
# the interpreter's (interp.py).

proc new {className args} {
    set o [::otcl::py_new $className {*}$args]
    if {$o ne {}} {
        return $o
    }
    set o [::otcl::py_handle]
    if {[catch {uplevel 1 [list $className create $o {*}$args]} message options]} {
        return -options $options "class $className: constructor failed: $message"
    }
    return $o
}

proc delete {o} {
    tailcall $o destroy
}

# What is there from birth is stored as `Class`, `instproc` and `proc` would store it, past all that they look after when
# there are objects already.
proc ::otcl::first_class {name} {
    variable super
    variable sub
    alloc $name Class
    set super($name) Object
    set sub($name) {}
    set ::otcl::inst($name) {}
    set ::otcl::has($name) {}
    set sub(Object) [linsert $sub(Object) 0 $name]
}

proc ::otcl::first_instproc {c m arguments body} {
    set name "::otcl::m::$c $m"
    proc $name [concat {self class proc} $arguments] $body
    set ::otcl::im($c,$m) [list proc $name]
    dict set ::otcl::has($c) $m 1
}

proc ::otcl::first_proc {o m arguments body} {
    set name "::otcl::m::$o $m (proc)"
    proc $name [concat {self class proc} $arguments] $body
    set ::otcl::pm($o,$m) [list proc $name]
    dict set ::otcl::own($o) $m 1
}

::otcl::first_class SplitObject

# TclObject is a second name of SplitObject.
proc TclObject args {
    tailcall SplitObject {*}$args
}

::otcl::first_proc SplitObject getid {} {
    ::otcl::py_handle
}

::otcl::first_proc SplitObject is-class {name} {
    ::otcl::is_class $name
}

# The shadow is made when the chain of init reaches this.
proc ::otcl::split_init {o args} {
    variable home
    if {![info exists home($o)]} {
        py_missing $::otcl::cls($o)
    }
    # From here on its bound variables are the engine's; before, they were plain ones.
    if {[info exists ::otcl::bound($home($o))]} {
        set ::otcl::engine($o) $home($o)
        look_again $o {set instvar}
    }
    py_create $o {*}$args
    return
}

proc ::otcl::split_unknown {o m args} {
    tailcall ::otcl::py_command $o $m {*}$args
}

# Straight to the shadow, past every instproc.
proc ::otcl::split_cmd {o args} {
    if {![llength $args]} {
        return
    }
    tailcall ::otcl::py_command $o {*}$args
}

foreach {m kind command} {
    init obj ::otcl::split_init  unknown obj ::otcl::split_unknown  cmd obj ::otcl::split_cmd
    set bound oset  instvar bound instvar
} {
    set ::otcl::im(SplitObject,$m) [list $kind $command]
    dict set ::otcl::has(SplitObject) $m 1
}
unset m kind command

# The nearest class variable of that name becomes the instance variable's first value.
::otcl::first_instproc SplitObject init-instvar {var} {
    foreach c [linsert [[$self info class] info heritage] 0 [$self info class]] {
        if {$c eq "SplitObject"} {
            break
        }
        if {![catch {$c set $var} value]} {
            $self set $var $value
            return
        }
    }
    $self warn-instvar [$self info class]::$var
}

::otcl::first_instproc SplitObject warn-instvar {item} {
    ::otcl::warn_default $item
}

proc ::otcl::warn_default {item} {
    variable warned
    if {![info exists warned($item)]} {
        if {![array exists warned]} {
            set also 1
        }
        set warned($item) 1
        puts stderr "warning: no class variable $item\n"
        if {[info exists also]} {
            puts stderr "\tsee tcl-object.tcl in tclcl for info about this warning.\n"
        }
    }
}

# --- what tclcl adds to every object ---

::otcl::first_instproc Object init-default-vars {classes} {
    foreach c $classes {
        if {$c eq "Object"} {
            continue
        }
        $self init-default-vars [$c info superclass]
        foreach var [$c info vars] {
            if {[catch {$self set $var}]} {
                if {![catch {$c set $var} value]} {
                    $self set $var $value
                }
            }
        }
    }
}

# -name value pairs become calls of the method of that name; the rest is returned.
::otcl::first_instproc Object init-vars {args} {
    $self init-default-vars [$self info class]
    set rest {}
    foreach {key value} $args {
        if {$value ne {} && [string match {-[A-z]*} $key]} {
            if {![catch {uplevel 1 "$self [string range $key 1 end] $value"}]} {
                continue
            }
        }
        lappend rest $key $value
    }
    return $rest
}

::otcl::first_instproc Object public args {
    uplevel 1 [list $self instproc {*}$args]
}
::otcl::first_instproc Object private args {
    uplevel 1 [list $self instproc {*}$args]
}
::otcl::first_instproc Object proc.public args {
    uplevel 1 [list $self proc {*}$args]
}
::otcl::first_instproc Object proc.private args {
    uplevel 1 [list $self proc {*}$args]
}

::otcl::first_instproc Object extract-var {name} {
    regsub {\(.*} $name {}
}

::otcl::first_instproc Object add-to-list {list item} {
    $self instvar [$self extract-var $list]
    if {[info exists $list] && $item in [set $list]} {
        return 0
    }
    lappend $list $item
    return 1
}

::otcl::first_instproc Object remove-from-list {list item} {
    $self instvar [$self extract-var $list]
    if {![info exists $list]} {
        warn "$self: remove $item from $list failed: list does not exist"
        return 0
    }
    set k [lsearch [set $list] $item]
    if {$k < 0} {
        warn "$self: remove $item from $list failed: element does not exist"
        return 0
    }
    set $list [lreplace [set $list] $k $k]
    return 1
}

::otcl::first_instproc Object tkvarname {var} {
    return $self/$var
}
::otcl::first_instproc Object tkvar args {
    foreach a $args {
        uplevel 1 [list upvar #0 $self/[lindex $a 0] [lindex $a end]]
    }
}
::otcl::first_instproc Object delete_tkvar {} {
    foreach name [info globals $self/*] {
        unset ::$name
    }
}

::otcl::first_class InitObject

# A command that does not exist may be an object that nobody has called yet, or a class that nobody has asked for.
rename unknown ::otcl::tcl_unknown
proc unknown {name args} {
    set answer [::otcl::py_call $name {*}$args]
    if {$answer ne "::otcl::elsewhere"} {
        return $answer
    }
    if {[::otcl::py_materialize $name]} {
        tailcall $name {*}$args
    }
    if {$::otcl::lazy && [::otcl::py_class [::otcl::plain $name]]} {
        tailcall $name {*}$args
    }
    set hint [::otcl::py_hint $name]
    if {$hint ne {}} {
        return -code error "invalid command name \"$name\": $hint"
    }
    tailcall ::otcl::tcl_unknown $name {*}$args
}

# Whoever asks whether an object or a class is there asks for it.
proc ::otcl::commands args {
    foreach pattern $args {
        if {[regexp {[*?\[]} $pattern]} {
            foreach class [lsearch -all -inline [py_names] [plain $pattern]] {
                is_class $class
            }
        } elseif {![py_materialize $pattern]} {
            is_class $pattern
        }
    }
    tailcall ::tcl::info::commands {*}$args
}
namespace ensemble configure ::info -map \
    [dict replace [namespace ensemble configure ::info -map] commands ::otcl::commands]

# --- classes of the library ---

# Define a class that Python knows: `methods` is a dict of what Python implements, `answers` says for each who answers it,
# `values` are the class variables, `types` those of its objects' variables that live in the engine, `asked` the class
# variables that Python has used, `late` a dict of the variables that ns-2 binds late. made is 0 for a class that ns-2 has and
# ackclock does not.
proc ::otcl::library {name parents made methods answers values types asked late} {
    variable super
    variable sub
    variable inst
    variable im
    variable shadowed
    variable bound
    variable ns
    alloc $name Class
    set super($name) $parents
    set sub($name) {}
    set inst($name) {}
    foreach p $parents {
        set sub($p) [linsert $sub($p) 0 $name]
    }
    set shadowed($name) $made
    set ::otcl::has($name) $methods
    array set im $answers
    if {[llength $values]} {
        namespace eval $ns($name) [list variable {*}$values]
    }
    if {[llength $types]} {
        set bound($name) $types
        set ::otcl::late($name) $late
    }
    foreach v $asked {
        watch $ns($name)::$v
    }
    if {[info exists ::otcl::class_procs($name)]} {
        uplevel #0 $::otcl::class_procs($name)
    }
}

# Python is to be told when this class variable changes.
proc ::otcl::watch {variable} {
    variable watched
    if {![info exists watched($variable)]} {
        set watched($variable) 1
        trace add variable $variable {write unset} [list ::otcl::changed $variable]
    }
}

proc ::otcl::changed {variable args} {
    if {[lindex $args end] eq "unset"} {
        # Its traces went along.
        unset -nocomplain ::otcl::watched($variable)
    }
    py_stale
}

# name value ... for these variables: the nearest class variable's value each, from this class up. Python is to be told when
# one of these changes, or one comes to be that is nearer.
proc ::otcl::first_values {class variables} {
    variable ns
    variable watched
    set places {}
    foreach c [order $class] {
        lappend places $ns($c)::
    }
    set values {}
    foreach v $variables {
        foreach place $places {
            set full $place$v
            # As `watch` does, in line: there are two hundred for a sender.
            if {![info exists watched($full)]} {
                set watched($full) 1
                trace add variable $full {write unset} [list ::otcl::changed $full]
            }
            if {[info exists $full]} {
                lappend values $v [set $full]
                break
            }
        }
    }
    return $values
}
