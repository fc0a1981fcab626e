# Commands that ns-2 adds to Tcl besides its classes.

# The first `source` makes an object, which takes a handle.
rename source ::otcl::source
proc source {args} {
    if {![info exists ::otcl::import]} {
        set ::otcl::import [incr ::otcl::handle]
    }
    tailcall ::otcl::source {*}$args
}

proc warn {msg} {
    global warned_
    if {![info exists warned_($msg)]} {
        puts stderr "warning: $msg"
        set warned_($msg) 1
    }
}

proc debug args {
    warn {Script debugging disabled.  Reconfigure with --with-tcldebug, and recompile.}
}

proc assert args {
    if {![uplevel 1 [list expr [join $args]]]} {
        return -code error "assertion failed: $args"
    }
}

proc find-max {list} {
    set max 0
    foreach value $list {
        if {$value > $max} {
            set max $value
        }
    }
    return $max
}

foreach distribution {uniform exponential integer} {
    proc $distribution args [format {
        global defaultRNG
        tailcall $defaultRNG %s {*}$args
    } $distribution]
}
unset distribution

# 10ms -> 0.01
proc time_parse {spec} {
    if {[scan $spec %f%s number unit] == 1} {
        set unit s
    }
    regsub {sec$} $unit s unit
    switch -- $unit {
        s { return $number }
        ms { return [expr {$number * 1e-3}] }
        us { return [expr {$number * 1e-6}] }
        ns { return [expr {$number * 1e-9}] }
        ps { return [expr {$number * 1e-12}] }
    }
    return -code error "time_parse: unknown unit \"$unit\""
}

proc delay_parse {spec} {
    time_parse $spec
}

# 1.5Mb -> 1500000.0
proc bw_parse {spec} {
    if {[scan $spec %f%s number unit] == 1} {
        set unit b
    }
    regsub {[/p]s(ec)?$} $unit {} unit
    if {[string match *B $unit]} {
        set number [expr {$number * 8}]
        set unit [string trimright $unit B]b
    }
    switch -- $unit {
        b { return $number }
        kb { return [expr {$number * 1000}] }
        Mb { return [expr {$number * 1000000}] }
        Gb { return [expr {$number * 1000000000}] }
    }
    return -code error "bw_parse: unknown unit \"$unit\""
}

# Which packet headers exist changes nothing here: no header costs anything.
proc remove-all-packet-headers {} {}
proc remove-packet-header args {}
proc add-packet-header args {}

proc ns-version {} {
    return 2.35
}
proc ns-hasint64 {} {
    return 1
}
proc ns-hasSTL {} {
    return 1
}
