"""Losses, monitors, changes in mid-run, link parts, odd words and odd Tcl of a random script."""

from __future__ import annotations

from fuzz.wired.script import Script


def lose(script: Script) -> None:
    """Error models on links."""
    if not script.links or not script.chance(0.35):
        return
    for _ in range(script.rng.randint(1, 2)):
        name = _error_model(script)
        first, last = script.link()
        how = script.pick(("lossmodel", "link-lossmodel"))
        script.say(f"$ns {how} ${name} $n{first} $n{last}")
        if script.chance(0.2):
            script.say(f"${name} drop-target [new Agent/Null]")
            script.used.add("drop-target of an error model")


def _error_model(script: Script) -> str:
    name = script.fresh("em")
    kind = script.pick(("", "", "", "/Uniform", "/List", "/Periodic", "/TwoState", "/Expo", "/TwoStateMarkov"))
    script.used.add(f"ErrorModel{kind}")
    rate = script.pick(("0.01", "0.05", "0.2"))
    unit = script.pick(("pkt", "pkt", "byte", "time"))
    if kind == "/Uniform":
        script.say(f"set {name} [new ErrorModel/Uniform {rate} {script.pick(('pkt', 'byte'))}]")
    elif kind == "/List":
        drops = " ".join(str(script.rng.randint(0, 60)) for _ in range(3))
        script.say(f"set {name} [new ErrorModel/List]", f"${name} droplist {{{drops}}}")
    elif kind == "/Periodic":
        script.say(
            f"set {name} [new ErrorModel/Periodic]", f"${name} unit pkt",
            f"${name} set offset_ {script.pick(('1.0', '5', '0'))}",
            f"${name} set period_ {script.pick(('20.0', '7'))}",
        )  # fmt: skip
    elif kind == "/TwoState":
        script.say(
            "set good [new RandomVariable/Exponential]", "set bad [new RandomVariable/Constant]",
            "$good set avg_ 20", "$bad set val_ 1", f"set {name} [new ErrorModel/TwoState $good $bad pkt]",
        )  # fmt: skip
    elif kind in ("/Expo", "/TwoStateMarkov"):
        means = script.pick(("{20 1}", "{0.5 0.02}", "{1 0.1}"))
        script.say(f"set {name} [new ErrorModel{kind} {means} {script.pick(('pkt', 'time', ''))}]")
    else:
        script.say(f"set {name} [new ErrorModel]", f"${name} unit {unit}", f"${name} set rate_ {rate}")
        if script.chance(0.7):
            variable = script.pick(("Uniform", "Uniform", "Exponential"))
            script.say(f"${name} ranvar [new RandomVariable/{variable}]")
    return name


def watch(script: Script) -> None:
    """Monitors of queues and flows, traces of variables, polled values."""
    if script.links and script.chance(0.25):
        _monitor(script)
    if script.links and script.chance(0.15):
        _flow_monitor(script)
    if script.links and script.chance(0.15):
        first, last = script.link()
        file = script.fresh("q")
        script.say(f"set {file} [open {file}.tr w]", f"$ns trace-queue $n{first} $n{last} ${file}")
        script.used.add("trace-queue")
    reds = [ends for ends, queue in script.links.items() if queue in ("RED", "PI", "REM", "RED/RIO", "Vq")]
    if reds and script.chance(0.3):
        first, last = script.rng.choice(reds)
        file, queue = script.fresh("r"), script.fresh("queue")
        script.say(
            f"set {queue} [[$ns link $n{first} $n{last}] queue]", f"set {file} [open {file}.tr w]",
            f"${queue} trace {script.pick(('curq_', 'ave_', 'prob1_', 'curq_'))}", f"${queue} attach ${file}",
        )  # fmt: skip
        script.used.add("queue's variable traced")
    senders = [flow for flow in script.flows if flow.kind.startswith("Agent/TCP")]
    for flow in senders:
        if script.chance(0.2):
            file = script.fresh("v")
            script.say(
                f"set {file} [open {file}.tr w]", f"${flow.sender} attach ${file}",
                f"${flow.sender} {script.pick(('trace', 'tracevar'))} {script.pick(_TRACED)}",
            )  # fmt: skip
            script.used.add("variable traced")
        if script.chance(0.25):
            _poll(script, flow.sender)
        for name in script.rng.sample(_SHOWN, script.rng.randint(0, 3)):
            script.shown.append(f"[${flow.sender} set {name}]")
    if script.flows and script.chance(0.08):
        flow = script.rng.choice(script.flows)
        script.say(f"$ns add-agent-trace ${flow.sender} x", f"$ns monitor-agent-trace ${flow.sender}")
        script.used.add("agent trace")
    if script.chance(0.05):
        script.say("set ev [open event.tr w]", "$ns eventtrace-all $ev")
        script.used.add("event trace")


_TRACED = ("cwnd_", "ssthresh_", "t_seqno_", "ack_", "rtt_", "srtt_", "rttvar_", "maxseq_", "dupacks_", "backoff_")
_SHOWN = ("cwnd_", "ack_", "t_seqno_", "ndatapack_", "nrexmit_", "ssthresh_", "rtt_", "srtt_", "window_", "maxseq_",
          "ndatabytes_", "nackpack_", "nrexmitpack_", "ncwndcuts_", "awnd_", "backoff_")  # fmt: skip


def _monitor(script: Script) -> None:
    first, last = script.link()
    name, file = script.fresh("qm"), script.fresh("qf")
    script.say(
        f"set {file} [open {file}.tr w]",
        f"set {name} [$ns monitor-queue $n{first} $n{last} ${file} {script.pick(('0.1', '0.05'))}]",
    )
    if script.chance(0.5):
        script.say(f"[$ns link $n{first} $n{last}] {script.pick(('queue-sample-timeout', 'start-tracing'))}")
    if script.chance(0.2):
        script.at(script.time(), f"${name} reset")
    names = ("parrivals_", "pdepartures_", "pdrops_", "barrivals_", "bdepartures_", "bdrops_", "size_", "pkts_")
    script.shown += [f"[${name} set {shown}]" for shown in script.rng.sample(names, 3)]
    script.used.add("monitor-queue")


def _flow_monitor(script: Script) -> None:
    first, last = script.link()
    name, file = script.fresh("fm"), script.fresh("ff")
    script.say(
        f"set {name} [$ns makeflowmon {script.pick(('Fid', 'Fid', 'SrcDestFid', 'SrcDest', 'Dest'))}]",
        f"set {file} [open {file}.tr w]", f"${name} attach ${file}",
        f"$ns attach-fmon [$ns link $n{first} $n{last}] ${name}",
    )  # fmt: skip
    script.at(script.time(0.5, 0.9), f"${name} dump")
    script.shown += [f"[${name} set {shown}]" for shown in ("parrivals_", "pdrops_")]
    script.used.add("flow monitor")


def _poll(script: Script, sender: str) -> None:
    name = script.fresh("poll")
    variable = script.pick(_SHOWN)
    script.say(
        f"set {name}_f [open {name}.tr w]",
        f"proc {name} {{}} {{",
        f"    global ns {sender} {name}_f",
        f'    puts ${name}_f "[$ns now] [${sender} set {variable}]"',
        f'    $ns at [expr [$ns now] + 0.1] "{name}"',
        "}",
        f'$ns at 0.0 "{name}"',
    )
    script.used.add("polled")


def change(script: Script) -> None:
    """Changes in mid-run."""
    for _ in range(script.rng.choice((0, 0, 1, 1, 2, 3))):
        at_s = script.time()
        tcp = [flow for flow in script.flows if flow.kind.startswith("Agent/TCP")]
        kinds = []
        if script.links:
            kinds += ["bandwidth", "delay", "limit", "queue", "loss"]
        if tcp:
            kinds += ["window", "packet", "reset", "cwnd"]
        if script.flows:
            kinds += ["detach", "source"]
        kind = script.pick(kinds)
        script.used.add(f"changes {kind}")
        if kind in ("bandwidth", "delay", "limit", "queue", "loss"):
            _change_link(script, kind, at_s)
            continue
        flow = script.rng.choice(tcp if kind in ("window", "packet", "reset", "cwnd") else script.flows)
        if kind == "window":
            script.at(at_s, f"${flow.sender} set window_ {script.pick(('2', '40', '7.5'))}")
        elif kind == "packet":
            script.at(at_s, f"${flow.sender} set packetSize_ {script.pick(('500', '1200'))}")
        elif kind == "cwnd":
            script.at(at_s, f"${flow.sender} set {script.pick(('cwnd_ 3', 'ssthresh_ 4', 'maxcwnd_ 6', 'cwnd_ 1.5'))}")
        elif kind == "reset":
            script.at(at_s, f"${flow.sender} reset")
        elif kind == "detach":
            script.at(at_s, f"$ns detach-agent $n{flow.source_node} ${flow.sender}")
        else:
            script.at(at_s, f"${flow.source} {script.pick(('stop', 'start'))}")


def _change_link(script: Script, kind: str, at_s: float) -> None:
    first, last = script.link()
    if kind in ("bandwidth", "delay"):
        words = ("0.3Mb", "2Mb", "64kb") if kind == "bandwidth" else ("1ms", "30ms")
        both = script.pick(("simplex", "duplex"))
        script.at(at_s, f"$ns {kind} $n{first} $n{last} {script.pick(words)} {both}")
    elif kind == "limit":
        script.at(at_s, f"$ns queue-limit $n{first} $n{last} {script.pick(('1', '4', '30'))}")
    elif kind == "queue":
        script.at(at_s, f"[[$ns link $n{first} $n{last}] queue] set limit_ {script.pick(('2', '15'))}")
    else:
        name = _error_model(script)
        how = script.pick(("lossmodel", "link-lossmodel"))
        script.at(at_s, f"$ns {how} ${name} $n{first} $n{last}")


def take_apart(script: Script) -> None:
    """Links whose parts are connected by hand."""
    if not script.links or not script.chance(0.3):
        return
    for _ in range(script.rng.randint(1, 2)):
        first, last = script.link()
        link = script.fresh("l")
        script.say(f"set {link} [$ns link $n{first} $n{last}]")
        kind = script.pick(tuple(_WAYS))
        script.used.add(f"parts: {kind}")
        lines = [line.format(l=f"${link}", o=script.fresh("o"), p=script.fresh("p")) for line in _WAYS[kind]]
        if "{em}" in "".join(lines):
            name = _error_model(script)
            lines = [line.replace("{em}", f"${name}") for line in lines]
        if script.chance(0.2) and kind not in ("read",):
            script.at(script.time(), "; ".join(lines).replace('"', '\\"').replace("$o", "\\$o").replace("$p", "\\$p"))
            script.used.add("parts: in mid-run")
        else:
            script.say(*lines)


#: ways to take a link apart: `{l}` is the link, `{o}` and `{p}` are new variables, `{{em}}` is an error model
_WAYS: dict[str, tuple[str, ...]] = {
    "connector at the head": (
        "set {o} [new Connector]", "${o} target [[{l} head] target]", "[{l} head] target ${o}",
    ),
    "error model behind the queue": (
        "{{em}} drop-target [{l} set drophead_]", "{{em}} target [[{l} queue] target]", "[{l} queue] target {{em}}",
    ),
    "error model before the transmitter": (
        "{{em}} target [{l} link]", "{{em}} drop-target [new Agent/Null]", "[{l} queue] target {{em}}",
    ),
    "error model behind the wire": (
        "{{em}} target [[{l} link] target]", "[{l} link] target {{em}}", "{{em}} drop-target [{l} set drophead_]",
    ),
    "error model without drop-target": ("{{em}} target [[{l} head] target]", "[{l} head] target {{em}}"),
    "trace by hand": (
        "set {o} [new Trace/Enque]", "${o} set src_ 5", "set {p} [open {p}.tr w]", "${o} attach ${p}",
        "${o} target [[{l} head] target]", "[{l} head] target ${o}",
    ),
    "monitor by hand": (
        "set {o} [new QueueMonitor]", "{l} attach-monitors [new SnoopQueue/In] [new SnoopQueue/Out] "
        "[new SnoopQueue/Drop] ${o}",
    ),
    "drops to a trace": (
        "set {o} [new Trace/Drop]", "set {p} [open {p}.tr w]", "${o} attach ${p}", "${o} target [$ns set nullAgent_]",
        "[{l} queue] drop-target ${o}",
    ),
    "drops to nowhere": ("[{l} queue] drop-target [$ns set nullAgent_]",),
    "hop limit removed": ("[{l} link] target [[{l} set ttl_] target]",),
    "second drop head": (
        "set {o} [new Connector]", "${o} target [{l} set drophead_]", "[{l} queue] drop-target ${o}",
    ),
    "read": (
        'puts "[[{l} queue] target] [[{l} link] target] [[{l} head] target] [[{l} set ttl_] target]"',
        'puts "[[{l} queue] drop-target] [[{l} set ttl_] drop-target] [[{l} set drophead_] target]"',
    ),
    "add-to-head": ("set {o} [new Connector]", "{l} add-to-head ${o}"),
    "own drop of an error module": (
        "{l} errormodule {{em}}", "{{em}} drop-target [$ns set nullAgent_]",
    ),
}  # fmt: skip

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
    ('puts [format "%5.2f|%-6s|%03d" 3.14159 ab 7]',),
)


def head(script: Script) -> None:
    """The simulator, and settings of classes."""
    if script.chance(0.12):
        name, value = script.pick(
            ("Agent/TCP|tcpTick_ 0.1", "Agent/TCP|window_ 30", "Queue|limit_ 8", "Agent/TCP|minrto_ 0.2",
             "Agent/TCP|oldCode_ true", "Queue/RED|gentle_ false", "Trace|show_tcphdr_ 1", "Agent|ttl_ 5",
             "Agent/TCP|useHeaders_ false", "Queue/RED|bytes_ false", "DelayLink|avoidReordering_ true",
             "Agent/TCP|timestamps_ true", "Node|multiPath_ 1", "Agent/TCP|ecn_ 1", "Application/Traffic/CBR|random_ 1")
        ).split("|")  # fmt: skip
        script.say(f"{name} set {value}")
        script.used.add("class default")
    script.say("set ns [new Simulator]")
    if script.chance(0.08):
        script.say(f"$ns use-scheduler {script.pick(('List', 'Heap', 'Calendar', 'Splay', 'Map'))}")
    if script.chance(0.15):
        script.say(f"{script.pick(('ns-random', '$defaultRNG seed'))} {script.rng.randint(1, 99999)}")
    if script.chance(0.75):
        script.traces = True
        script.say("set tf [open out.tr w]", "$ns trace-all $tf")
    if script.chance(0.35):
        script.animates = True
        script.say("set nf [open out.nam w]", "$ns namtrace-all $nf")
        if script.chance(0.3):
            script.say(f"$ns color {script.rng.randint(0, 4)} {script.pick(('blue', 'red'))}")
    if script.chance(0.04):
        script.say("$ns use-taggedtrace")


def foot(script: Script) -> None:
    """The end of the run."""
    lines = ["proc finish {} {", "    global " + " ".join(["ns", *sorted(_names(script))]), "    $ns flush-trace"]
    lines += [f'    puts "{" ".join(script.shown)}"'] if script.shown else []
    script.say(*lines, f"    {script.pick(('exit 0', 'exit 0', '$ns halt'))}", "}")
    script.at(script.end_s, "finish")
    script.say("$ns run")


def _names(script: Script) -> set[str]:
    words = " ".join(script.shown).replace("[", " ").replace("]", " ").split()
    return {word[1:] for word in words if word.startswith("$")}
