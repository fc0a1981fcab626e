"""Words for numbers that are none, and Tcl that few write."""

from __future__ import annotations

from ackclock.ns2.bindings.catalogue import ancestry, lookup
from fuzz.wired.script import Script

ODD_NUMBERS = (
    "{}",
    "foo",
    "3abc",
    ".5",
    "1e3",
    "0x10",
    "010",
    "-1",
    "+2",
    "1,5",
    "true",
    "1Mb",
    "2.7",
    "{ 4}",
    "1e400",
)
ODD_FLAGS = ("{}", "foo", "2", "yes", "off", "T", "F", "TRUE", "0.5", "on", "-1", "t", "f", "1.0")


def be_odd(script: Script) -> None:
    """Words for numbers that are none, and Tcl that few write."""
    if script.flows and script.chance(0.15):
        flow = script.rng.choice(script.flows)
        if flow.kind.startswith("Agent/TCP"):
            if script.chance(0.5):
                name = script.pick(("window_", "fid_", "maxburst_", "windowInit_", "tcpTick_"))
                word = script.pick(ODD_NUMBERS)
            else:
                name = script.pick(("syn_", "bugFix_", "rfc2988_", "timestamps_", "ecn_"))
                word = script.pick(ODD_FLAGS)
            script.say(f"${flow.sender} set {name} {word}", f'puts "odd [${flow.sender} set {name}]"')
            script.used.add("odd word of a sender")
    if script.links and script.chance(0.1):
        first, last = script.link()
        word = script.pick(ODD_NUMBERS)
        queue = f"[[$ns link $n{first} $n{last}] queue]"
        script.say(f"{queue} set limit_ {word}", f'puts "odd [{queue} set limit_]"')
        script.used.add("odd word of a queue")
    if script.chance(0.15):
        _sweep(script)
    if script.chance(0.1):
        kind = script.rng.randrange(len(_ODD_TCL))
        script.say(*_ODD_TCL[kind])
        script.used.add(f"odd Tcl {kind}")
    if script.flows and script.chance(0.08):
        flow = script.rng.choice(script.flows)
        call = script.pick(
            ("advance foo", "advanceby 3x", "send", "send 100 x y z", "close now", "listen", "nosuch 1", "advanceby {}",
             "set nosuch_", "trace nosuch_", "reset 1", "window_ 3", "produce foo")
        )  # fmt: skip
        script.at(script.time(), f"catch {{${flow.sender} {call}}} m; puts odd")
        script.used.add("odd call of a sender")
    if script.links and script.chance(0.06):
        first, last = script.link()
        odd = script.pick(
            ("queue-limit $n{0} $n{1} foo", "queue-limit $n{0} $n{1} {{}}", "bandwidth $n{0} $n{1} 1Mb",
             "delay $n{0} $n{1} foo duplex", "cost $n{0} $n{1} foo", "bandwidth $n{0} $n{1} {{}} duplex",
             "simplex-link-op $n{0} $n{1} cost?", "duplex-link-op $n{0} $n{1} nosuch", "queue-limit $n{0} $n{1} 5.7",
             "simplex-link-op $n{0} $n{1} up?", "link $n{0} $n{1}", "get-link-head $n{0} $n{1}")
        ).format(first, last)  # fmt: skip
        script.at(script.time(), f"catch {{$ns {odd}}} m; puts odd")
        script.used.add("odd call of the simulator")


#: classes of which any bound variable may be given any word
_SWEPT = (
    "Agent", "Agent/UDP", "Agent/TCP", "Agent/TCP/Reno", "Agent/TCP/Newreno", "Agent/TCP/Sack1", "Agent/TCP/Fack",
    "Agent/TCP/Vegas", "Agent/TCP/FullTcp", "Agent/TCP/FullTcp/Sack", "Agent/TCP/RFC793edu", "Agent/TCP/Linux",
    "Agent/TCPSink", "Agent/TCPSink/DelAck", "Agent/TFRC", "Agent/TFRCSink", "Agent/RAP", "Agent/LossMonitor",
    "Agent/CBR", "Queue/DropTail", "Queue/RED", "Queue/PI", "Queue/REM", "Queue/Vq", "Queue/SFQ", "Queue/DRR",
    "Queue/FQ", "Queue/RED/RIO", "Queue/GK", "Queue/SRR", "ErrorModel", "ErrorModel/Periodic", "ErrorModel/Uniform",
    "Application/Traffic/CBR", "Application/Traffic/Exponential", "Application/Traffic/Pareto", "Application/Telnet",
    "Application/FTP", "DelayLink", "QueueMonitor", "TBF", "RandomVariable/Pareto", "RandomVariable/Uniform",
    "RandomVariable/Normal", "RandomVariable/Exponential", "RandomVariable/Weibull", "Trace/Enque", "Integrator",
    "Samples",
)  # fmt: skip


def _sweep(script: Script) -> None:
    """Bound variables of an object, or of a class and then an object, with any word."""
    kind = script.pick(_SWEPT)
    entry = lookup(kind)
    types = {name for known in (kind, *ancestry(kind)) if (found := lookup(known)) for name in found.types}
    if entry is None or not types:
        return
    script.used.add("odd word of a class")
    for name in script.rng.sample(sorted(types), min(3, len(types))):
        word = script.pick(ODD_NUMBERS + ODD_FLAGS)
        if script.chance(0.15):
            script.say(f"{kind} set {name} {word}")
        made = script.fresh("any")
        arguments = " 0.1 pkt" if kind == "ErrorModel/Uniform" else ""
        script.say(
            f"set {made} [new {kind}{arguments}]",
            f'catch {{${made} set {name} {word}}} m; puts "{kind} {name} $m [${made} set {name}]"',
        )


_ODD_TCL: tuple[tuple[str, ...], ...] = (
    (
        "Class Mine -superclass Agent/UDP",
        "Mine instproc init args { eval $self next $args; $self set mine_ 7 }",
        'set mine [new Mine]; puts "[$mine set mine_] [$mine info class] [Mine info superclass]"',
    ),
    ('puts "[expr 1.0/3] [expr 2/3] [expr 1e20] [expr int(3.7)] [expr 7 % -3]"',),
    ("Agent/TCP instproc done {} { puts done }",),
    ('Simulator instproc greet {who} { $self instvar nn; puts "hello $who [$self now]" }', '$ns at 0.5 "$ns greet x"'),
    ("set old [open never.txt w]", "puts -nonewline $old abc", "close $old"),
    ("foreach v {3 1 2} { lappend sorted $v }", "puts [lsort -integer $sorted]"),
    ("set r [new RNG]", "$r seed 7", 'puts "[$r uniform 0 1] [$r integer 10] [$r exponential] [$r normal 0 1]"'),
    ("set rv [new RandomVariable/Pareto]", "$rv set avg_ 3", "$rv set shape_ 1.7", 'puts "[$rv value] [$rv value]"'),
    (
        "Object create thing",
        "thing set a(1) 2",
        "thing set b 5",
        'puts "[lsort [thing info vars]] [thing array names a]"',
    ),
    ('$ns at 0.7"puts late"',),
    ('puts "[ns-random 5] [ns-random] [ns-random]"',),
    ("proc twice x { return [expr {$x * 2}] }", "puts [twice 4.5]"),
    ('puts "[$ns info class] [$n0 id] [$n0 info class] [llength [$ns all-nodes-list]]"',),
    ("set e [$ns at 1.0 {puts cancelled}]", "$ns cancel $e"),
    ('$ns after 0.3 "puts after"',),
    ("proc flush {} {}", "proc now {} { return 3 }", "puts [now]"),
    (
        "Class Counter",
        "Counter instproc init {} { $self set n 0; $self next }",
        "Counter instproc up {{by 1}} { $self instvar n; incr n $by }",
        "set c [new Counter]; $c up; $c up 3",
        'puts "[$c set n] [$c info class] [Counter info instances] [$c info procs]"',
    ),
    ('set script {puts "evaluated [expr 3*4]"}', "eval $script", "uplevel #0 $script"),
    ("if {[catch {$ns nosuchmethod 3} m]} { puts caught }",),
    ("if {[catch {new No/Such/Class} m]} { puts caught }",),
    ("if {[catch {nosuchcommand 3} m]} { puts caught }",),
    ("puts [lsort [Queue info subclass]]",),
    ('puts "[Agent/TCP/Reno info superclass] [Agent/TCP set window_] [Queue/RED set thresh_] [Agent/TCP info class]"',),
    ("array set a {x 1 y 2}", 'foreach k [lsort [array names a]] { puts "$k $a($k)" }', "puts [array size a]"),
    ('for {set i 0} {$i < 3} {incr i} { $ns at [expr 0.1 * $i] "puts tick$i" }',),
    ('$ns at 0.4 {set x 5; puts "x $x [$ns now]"}',),
    ('puts "[string range abcdef 1 end-1] [string toupper x] [regexp {a+} caat m] $m [split a:b:c :] [join {1 2} +]"',),
    ("$ns instproc extra {} { return extra }; catch {$ns extra} m; puts $m",),
    ('$ns proc extra {} { return "extra [$self info class]" }; puts [$ns extra]',),
    ("set d [Simulator instance]; puts [string equal $d $ns]",),
    ('puts "[$n0 set id_] [$n0 node-addr] [$n0 info vars id_]"',),
    (
        'Agent/TCP instproc tell {} { $self instvar window_ cwnd_; return "$window_ $cwnd_" }',
        "puts [[new Agent/TCP] tell]",
    ),
    ('Node instproc greet {} { return "node [$self id]" }', "puts [$n1 greet]"),
    ("Queue/DropTail instproc reset {} { puts reset; $self next }",),
    ('Application/FTP instproc start {} { global ns; puts "starts [$ns now]"; $self next }',),
    ("$ns at 0.0 {puts first}; $ns at 0 {puts second}; $ns at -1 {puts before}",),
    ("puts [expr {round(2.5)}]; puts [expr 1e-7]; puts [expr 100000.0*10]; puts [expr 5/2.]; puts [expr sqrt(2)]",),
    ('puts [format "%5.2f|%-6s|%03d" 3.14159 ab 7]',),
)
