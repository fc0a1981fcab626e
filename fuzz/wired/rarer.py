"""Senders and sources that few scripts use: agents of the old style, messages, recordings, the web, groups."""

from __future__ import annotations

from fuzz.wired.script import Flow, Script


def add_rarer_flows(script: Script) -> None:
    """Some of them, in some scripts."""
    if not script.chance(0.35):
        return
    for _ in range(script.rng.randint(1, 2)):
        kind = script.rng.choice(list(_KINDS))
        script.used.add(f"rarer: {kind}")
        _KINDS[kind](script)


def _nodes(script: Script) -> tuple[int, int]:
    first, last = script.rng.sample(range(script.nodes), 2)
    return first, last


def _old_agent(script: Script) -> None:
    first, last = _nodes(script)
    name = script.fresh("a")
    kind = script.pick(("CBR", "CBR", "CBR/UDP"))
    receiver = script.pick(("Null", "LossMonitor"))
    script.say(f"set {name} [$ns create-connection {kind} $n{first} {receiver} $n{last} {script.rng.randint(0, 3)}]")
    if kind == "CBR":
        for variable, words in (
            ("packetSize_", ("210", "500")),
            ("interval_", ("5ms", "0.02")),
            ("random_", ("0", "1")),
            ("maxpkts_", ("20",)),
        ):
            if script.chance(0.5):
                script.say(f"${name} set {variable} {script.pick(words)}")
    else:
        source = script.fresh("f")
        script.say(
            f"set {source} [new Application/Traffic/{script.pick(('Exponential', 'CBR', 'Pareto'))}]",
            f"${name} attach-traffic ${source}",
        )
    script.at(script.time(0.0, 0.4), f"${name} start")
    if script.chance(0.5):
        script.at(script.time(0.5, 0.9), f"${name} stop")
    script.flows.append(Flow(name, "", name, first, last, "Agent/CBR", 0.0))


def _old_source(script: Script) -> None:
    first, last = _nodes(script)
    name, source = script.fresh("a"), script.fresh("f")
    tcp = script.pick(("TCP", "TCP/Reno", "TCP/Newreno", "TCP/Sack1"))
    sink = script.pick(("TCPSink", "TCPSink/DelAck", "TCPSink/Sack1"))
    script.say(f"set {name} [$ns create-connection {tcp} $n{first} {sink} $n{last} {script.rng.randint(0, 3)}]")
    kind = script.pick(("Source/FTP", "Source/Telnet", "attach-source Telnet", "attach-app FTP", "attach-app Telnet"))
    if kind.startswith("Source"):
        script.say(
            f"set {source} [new {kind}]",
            f"${source} attach ${name}" if script.chance(0.2) else f"${source} attach-agent ${name}",
        )
    else:
        script.say(f"set {source} [${name} {kind}]")
    if "Telnet" in kind:
        script.say(f"${source} set interval_ {script.pick(('0', '0.02', '0.1'))}")
    elif script.chance(0.3):
        script.say(f"${source} set maxpkts_ {script.pick(('15', '40'))}")
    script.at(script.time(0.0, 0.4), f"${source} {script.pick(('start', 'start', 'start', 'produce 30'))}")
    script.flows.append(Flow(name, "", source, first, last, f"Agent/{tcp}", 0.0))


def _message(script: Script) -> None:
    first, last = _nodes(script)
    kind = script.pick(("Message", "UDP", "Ping", "MessagePassing"))
    one, other = script.fresh("a"), script.fresh("s")
    script.say(
        f"set {one} [new Agent/{kind}]",
        f"$ns attach-agent $n{first} ${one}",
        f"set {other} [new Agent/{kind}]",
        f"$ns attach-agent $n{last} ${other}",
        f"$ns connect ${one} ${other}",
    )
    said = {
        "Message": 'Agent/Message instproc handle words { global ns; puts "[$ns now] $words" }',
        "UDP": 'Agent/UDP instproc process_data {from words} { global ns; puts "[$ns now] $from $words" }',
        "Ping": 'Agent/Ping instproc recv {from rtt} { $self instvar node_; puts "[$node_ id] $from $rtt" }',
        "MessagePassing": (
            'Agent/MessagePassing instproc recv {source port size words} { puts "$source $port $size $words" }'
        ),
    }[kind]
    script.say(said)
    words = {
        "Message": ("send hello", "send {two words}", "send {}"),
        "UDP": ("send 100", "send 200 text", "send 3000", "sendmsg 300 abc NEW_BURST", "sendmsg 90"),
        "Ping": ("send",),
        "MessagePassing": (f"sendto 100 words $n{last} 0", "send 80 {some words}", f"sendto 60 x {last} 1"),
    }[kind]
    for _ in range(script.rng.randint(1, 4)):
        script.at(script.time(0.0, 0.9), f"${one} {script.pick(words)}")


def _shaped(script: Script) -> None:
    first, last = _nodes(script)
    bucket, udp, null, cbr = (script.fresh(stem) for stem in ("b", "a", "s", "f"))
    script.say(
        f"set {bucket} [new TBF]",
        f"${bucket} set bucket_ {script.pick(('1024', '8000'))}",
        f"${bucket} set rate_ {script.pick(('32k', '0.1Mb'))}",
        f"${bucket} set qlen_ {script.pick(('5', '50'))}",
        f"set {udp} [new Agent/UDP]",
        f"$ns attach-tbf-agent $n{first} ${udp} ${bucket}",
        f"set {null} [new Agent/Null]",
        f"$ns attach-agent $n{last} ${null}",
        f"$ns connect ${udp} ${null}",
        f"set {cbr} [new Application/Traffic/CBR]",
        f"${cbr} set rate_ 200kb",
        f"${cbr} attach-agent ${udp}",
    )
    script.at(script.time(0.0, 0.4), f"${cbr} start")


def _recorded(script: Script) -> None:
    first, last = _nodes(script)
    pairs = " ".join(f"{script.rng.randint(0, 40000)} {script.rng.randint(1, 2500)}" for _ in range(5))
    file, trace = script.fresh("rec"), script.fresh("t")
    script.say(
        f"set {file} [open {file}.bin w]",
        f"fconfigure ${file} -translation binary",
        f"foreach {{wait size}} {{{pairs}}} {{ puts -nonewline ${file} [binary format II $wait $size] }}",
        f"close ${file}",
        f"set {trace} [new Tracefile]",
        f"${trace} filename {file}.bin",
    )
    for _ in range(script.rng.randint(1, 2)):
        source = script.fresh("f")
        over = script.fresh("a")
        agent, sink = script.pick(("UDP Null", "UDP Null", "TCP TCPSink")).split()
        script.say(
            f"set {over} [$ns create-connection {agent} $n{first} {sink} $n{last} 1]",
            f"set {source} [new Application/Traffic/Trace]",
            f"${source} attach-tracefile ${trace}",
            f"${source} attach-agent ${over}",
        )
        script.at(script.time(0.0, 0.5), f"${source} start")
        if script.chance(0.5):
            script.at(script.time(0.5, 0.9), f"${source} stop")


def _web(script: Script) -> None:
    first, last = _nodes(script)
    pool = script.fresh("pool")
    lines = [
        f"set {pool} [new PagePool/WebTraf]",
        f"${pool} set-num-client 1",
        f"${pool} set-num-server 1",
        f"${pool} set-client 0 $n{first}",
        f"${pool} set-server 0 $n{last}",
        f"${pool} set-num-session 1",
    ]
    words = []
    for stem, kind, variable, value in (
        ("pages", "Exponential", "avg_", "0.3"),
        ("objects", "Constant", "val_", "2"),
        ("between", "Exponential", "avg_", "0.05"),
        ("size", script.pick(("Constant", "Exponential")), "", ""),
    ):
        name = script.fresh(stem)
        lines.append(f"set {name} [new RandomVariable/{kind}]")
        variable, value = variable or ("val_" if kind == "Constant" else "avg_"), value or "8"
        lines.append(f"${name} set {variable} {value}")
        words.append(f"${name}")
    script.say(*lines, f"${pool} create-session 0 4 {script.time(0.0, 0.4):g} {' '.join(words)}")


def _made_later(script: Script) -> None:
    first, last = _nodes(script)
    name = script.fresh("later")
    tcp = script.pick(("TCP", "TCP/Reno", "TCP/Newreno", "TCP/Sack1", "TCP/Vegas", "UDP"))
    sink = "Null" if tcp == "UDP" else "TCPSink/Sack1" if "Sack" in tcp else "TCPSink"
    source = "Traffic/CBR" if tcp == "UDP" else "FTP"
    script.say(
        f"proc {name} {{}} {{",
        f"    global ns n{first} n{last} {name}_a",
        f"    set {name}_a [$ns create-connection {tcp} $n{first} {sink} $n{last} 5]",
        f"    set f [${name}_a attach-app {source}]",
        f'    $ns at [expr [$ns now] + {script.pick(("0", "0.1"))}] "$f start"',
        "}",
    )
    script.at(script.time(0.1, 0.7), name)


def _new_peer(script: Script) -> None:
    first, last = _nodes(script)
    third = script.rng.randrange(script.nodes)
    udp, one, other, cbr = (script.fresh(stem) for stem in ("a", "s", "s", "f"))
    kind = script.pick(("Null", "LossMonitor", "UDP"))
    script.say(
        f"set {udp} [new Agent/UDP]",
        f"$ns attach-agent $n{first} ${udp}",
        f"set {one} [new Agent/{kind}]",
        f"$ns attach-agent $n{last} ${one}",
        f"set {other} [new Agent/Null]",
        f"$ns attach-agent $n{third} ${other}",
        f"$ns connect ${udp} ${one}",
        f"set {cbr} [new Application/Traffic/CBR]",
        f"${cbr} attach-agent ${udp}",
    )
    script.at(script.time(0.0, 0.3), f"${cbr} start")
    if third == first:
        return
    script.at(script.time(0.3, 0.8), f"$ns connect ${udp} ${other}")


_KINDS = {
    "old agent": _old_agent,
    "old source": _old_source,
    "message": _message,
    "shaped": _shaped,
    "recorded": _recorded,
    "web": _web,
    "made later": _made_later,
    "new peer": _new_peer,
}
