# Commands that ns-2 adds to Tcl besides its classes.

# The first `source` makes an object, which takes a handle. Messages look for lines in sourced files too.
set ::otcl::sourced {}
rename source ::otcl::source
proc source {args} {
    if {![info exists ::otcl::import]} {
        set ::otcl::import [::otcl::py_handle]
    }
    lappend ::otcl::sourced [lindex $args end]
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

# ns-2 ends at a unit that it does not know.
proc ::otcl::end_at_unit {command unit} {
    puts "error: $command: unknown unit `$unit'"
    exit 1
}

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
    ::otcl::end_at_unit time_parse $unit
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
    ::otcl::end_at_unit bw_parse $unit
}

# Which packet headers exist changes little here, for no header costs anything; but ns-2 reads flags and SRM's header of a
# packet without them all the same, from other bytes of the packet.
set ::otcl::flags_header 1
set ::otcl::srm_header 1
proc remove-all-packet-headers {} {
    set ::otcl::flags_header 0
    set ::otcl::srm_header 0
}
proc ::otcl::has_headers {names value} {
    foreach {name variable} {Flags flags_header SRM srm_header} {
        if {$name in $names} {
            set ::otcl::$variable $value
        }
    }
}
proc remove-packet-header args {
    ::otcl::has_headers $args 0
}
proc add-packet-header args {
    ::otcl::has_headers $args 1
}
# ns-2 adds those that are there already.
proc add-all-packet-headers {} {
}

proc ns-version {} {
    return 2.35
}
proc ns-hasint64 {} {
    return 1
}
proc ns-hasSTL {} {
    return 1
}
proc ns-add64 {a b} {
    expr {$a + $b}
}
proc ns-mult64 {a b} {
    expr {$a * $b}
}
proc ns-int64todbl {a} {
    expr {double($a)}
}

# --- what the front end puts around Tcl's own commands ---

# The caller answers, or fails, as Tcl's own command does: errorInfo names the caller's line, not the command behind it.
proc ::otcl::in_its_place args {
    if {[catch $args answer how]} {
        return -level 2 -code error -errorcode [dict get $how -errorcode] $answer
    }
    return -level 2 $answer
}

# exec and pipes ask first which programs may run (programs.py).
proc ::otcl::watch_programs {} {
    rename ::exec ::otcl::exec
    rename ::open ::otcl::open
    proc ::exec args {
        if {![llength $args] || [::otcl::py_may_run {*}$args]} {
            ::otcl::in_its_place ::otcl::exec {*}$args
        }
    }
    proc ::open {name args} {
        if {[string index $name 0] eq "|" && ![::otcl::py_may_run {*}[string range $name 1 end]]} {
            ::otcl::in_its_place ::otcl::open /dev/null {*}$args
        }
        ::otcl::in_its_place ::otcl::open $name {*}$args
    }
}

# Variables that ns-2 leaves behind when it starts, at the values of Debian's package.
array set ::opt {pos NONE rt_port 255 cc off ragent Agent/DSDV}
foreach {name value} {
    PERL /usr/bin/perl  TCLSH /usr/bin/tclsh8.6  MAXSEQ 1073741824  alpha 0.25  lmsPacketSize 1024  lsize 210
    prot HDLC  tcl_rcFileName ~/.ns.tcl
} {
    set ::$name $value
}
unset name value

# From the first file shared with the engine on, flush means its buffer too (channels.py).
# A script may have a flush of its own by then.
rename flush ::otcl::flush
interp alias {} ::otcl::flush_channel {} ::otcl::flush
interp alias {} ::flush {} ::otcl::flush_channel
proc ::otcl::settle_channel {channel} {
    set begun [chan pending output $channel]
    ::otcl::flush $channel
    chan configure $channel -buffering none
    return $begun
}
proc ::otcl::transform_channel {channel} {
    chan push $channel [list ::otcl::transform $channel]
}
proc ::otcl::trace_variable {variable operations command} {
    trace add variable $variable $operations $command
}
proc ::otcl::watch_flush {} {
    proc ::otcl::flush_channel {channel} {
        ::otcl::flush $channel
        ::otcl::flush_engine $channel
    }
}

# Scripts have procedures of their own with these names, above all those for older Tcl. What is here goes on with Tcl's.
proc ::otcl::keep_command {words args} {
    set name [plain [lindex $words 1]]
    if {$name in {apply chan dict interp join lassign lmap lrepeat lreverse trace try} && \
            [namespace which -command ::otcl::$name] eq {}} {
        rename ::$name ::otcl::$name
    }
}
trace add execution ::proc enter ::otcl::keep_command
