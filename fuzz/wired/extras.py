"""Losses, monitors and changes in mid-run of a random script."""

from __future__ import annotations

from fuzz.wired.script import Script


def lose(script: Script) -> None:
    """Error models on links."""
    if not script.links or not script.chance(0.35):
        return
    for _ in range(script.rng.randint(1, 2)):
        first, last = script.link()
        if script.chance(0.12):
            _error_module(script, first, last)
            continue
        name = error_model(script)
        how = script.pick(("lossmodel", "link-lossmodel"))
        script.say(f"$ns {how} ${name} $n{first} $n{last}")
        if script.chance(0.2):
            script.say(f"${name} drop-target [new Agent/Null]")
            script.used.add("drop-target of an error model")


def _error_module(script: Script, first: int, last: int) -> None:
    """Error models for some of a link's flows."""
    module = script.fresh("mod")
    kind = script.pick(("Fid", "Fid", "SrcDestFid", "Dest"))
    script.used.add(f"ErrorModule {kind}")
    script.say(f"set {module} [new ErrorModule {kind}]", f"[$ns link $n{first} $n{last}] errormodule ${module}")
    name = error_model(script)
    script.say(f"${module} insert ${name}")
    if kind == "Fid":
        script.say(f"${module} bind ${name} {script.pick(('1', '0 2', '0'))}")
    if script.chance(0.5):
        script.say(f"${module} default {script.pick(('pass', f'${name}'))}")


def error_model(script: Script) -> str:
    """A new error model: its variable."""
    name = script.fresh("em")
    kind = script.pick(("", "", "", "/Uniform", "/List", "/Periodic", "/TwoState", "/Expo", "/TwoStateMarkov", "select",
                        "/MultiState"))  # fmt: skip
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
    elif kind == "select":
        script.say(f"set {name} [new SelectErrorModel]", f"${name} drop-packet {script.pick(('0', '5', '2', 'tcp'))} "
                   f"{script.pick(('5', '20'))} {script.pick(('0', '1', '3'))}")  # fmt: skip
    elif kind == "/MultiState":
        script.say(
            "set st1 [new ErrorModel/Uniform 0 pkt]", "set st2 [new ErrorModel/Uniform 0.5 pkt]",
            f"set {name} [new ErrorModel/MultiState [list $st1 $st2] {{0.3 0.05 0.05}} "
            f"{{{{0.9 0.1}} {{1 0}}}} pkt time 2 $st1]",
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
    if script.links and script.chance(0.08):
        _integrate(script)
    if script.links and script.chance(0.05):
        first, last = script.link()
        script.say("proc seen {line} { puts $line }", f"[$ns link $n{first} $n{last}] trace-callback $ns seen"
                   if script.chance(0.3) else f"$ns trace-queue $n{first} $n{last} stdout")  # fmt: skip
        script.used.add("trace by procedure")
    if script.chance(0.15):
        node, text = script.rng.randrange(script.nodes), script.pick(("here", "a b", "x"))
        draw = script.pick((f"$ns trace-annotate {{{text}}}", f"$n{node} color red", f"$n{node} label {{{text}}}",
                            f"$n{node} shape box", f"$n{node} add-mark m1 blue circle", f"$n{node} label-color green",
                            "$ns set-animation-rate 2ms"))  # fmt: skip
        if script.chance(0.5):
            script.say(draw)
        else:
            script.at(script.time(), draw)
        script.used.add("drawn")


def _integrate(script: Script) -> None:
    """A queue's integral, and the delays of its packets."""
    first, last = script.link()
    name, samples, total = script.fresh("qm"), script.fresh("sam"), script.fresh("int")
    script.say(
        f'set {name} [$ns monitor-queue $n{first} $n{last} ""]',
        f"set {samples} [new Samples]",
        f"${name} set-delay-samples ${samples}",
        f"set {total} [new Integrator]",
        f"${name} {script.pick(('set-bytes-integrator', 'set-pkts-integrator'))} ${total}",
    )
    script.shown += [f"[${samples} cnt]", f"[${samples} mean]", f"[${total} set sum_]"]
    script.used.add("integrator")


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
            kinds += ["bandwidth", "delay", "limit", "queue", "loss", "down", "wire"]
        if tcp:
            kinds += ["window", "packet", "reset", "cwnd"]
        if script.flows:
            kinds += ["detach", "source", "fid", "delete"]
        if not kinds:
            return
        kind = script.pick(kinds)
        script.used.add(f"changes {kind}")
        if kind in ("bandwidth", "delay", "limit", "queue", "loss", "down", "wire"):
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
        elif kind == "fid":
            script.at(
                at_s,
                f"${flow.sender} set {script.pick(('fid_ 4', 'prio_ 3', 'class_ 6', 'ttl_ 3', 'packetSize_ 300'))}",
            )
        elif kind == "delete":
            script.at(at_s, f"${flow.source} stop; $ns detach-agent $n{flow.source_node} ${flow.sender}")
            script.at(at_s + 0.2, f"$ns attach-agent $n{flow.source_node} ${flow.sender}")
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
    elif kind == "wire":
        word = script.pick(("bandwidth_ 0.4Mb", "delay_ 4ms", "bandwidth_ 3e5"))
        script.at(at_s, f"[[$ns link $n{first} $n{last}] link] set {word}")
    elif kind == "down":
        fails = script.chance(0.3) and not script.on_lan
        script.at(
            at_s,
            f"$ns rtmodel-at {at_s + 0.1:g} down $n{first} $n{last}"
            if fails
            else f"[$ns link $n{first} $n{last}] {script.pick(('up', 'up?'))}",
        )
    elif kind == "queue":
        script.at(at_s, f"[[$ns link $n{first} $n{last}] queue] set limit_ {script.pick(('2', '15'))}")
    else:
        name = error_model(script)
        how = script.pick(("lossmodel", "link-lossmodel"))
        script.at(at_s, f"$ns {how} ${name} $n{first} $n{last}")
