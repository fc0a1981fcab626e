# Makes the real ns-2.35 begin as ns-2.29 did, then runs a script: ns as_ns2_29.tcl SCRIPT ARG...
#
# `ackclock ns2 --defaults ns2_29 SCRIPT ARG...` does the same; the tests hold one to the other.

foreach {variable value} {
    precisionReduce_     false
    rtxcur_init_         6.0
    bugfix_ss_           0
    maxrto_              100000
    SetCWRonRetransmit_  false
} {
    Agent/TCP set $variable $value
}

# A link's own error model stood between the queue and the link, not behind the wire.
SimpleLink instproc insert-linkloss {model} {
    $self instvar link_errmodule_ drophead_ queue_ deqT_
    set link_errmodule_ $model
    set before $queue_
    if {[info exists deqT_]} {
        set before $deqT_
    }
    $model target [$before target]
    $before target $model
    $model drop-target $drophead_
}

set script [lindex $argv 0]
set argv [lrange $argv 1 end]
incr argc -1
source $script
