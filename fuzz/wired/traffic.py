"""Senders, receivers and sources of a random script."""

from __future__ import annotations

from fuzz.wired.script import Flow, Script

TCP = (
    "Agent/TCP", "Agent/TCP", "Agent/TCP/Reno", "Agent/TCP/Newreno", "Agent/TCP/Sack1", "Agent/TCP/Fack",
    "Agent/TCP/Vegas", "Agent/TCP/RFC793edu", "Agent/TCP/SackRH", "Agent/TCP/Linux", "Agent/TCP/Reno/RBP",
    "Agent/TCP/Vegas/RBP",
)  # fmt: skip
FULL = ("Agent/TCP/FullTcp", "Agent/TCP/FullTcp/Sack", "Agent/TCP/FullTcp/Newreno", "Agent/TCP/FullTcp/Tahoe")
SINKS = ("Agent/TCPSink", "Agent/TCPSink/DelAck", "Agent/TCPSink/Sack1", "Agent/TCPSink/Sack1/DelAck")
#: senders that need a receiver with SACK
SELECTIVE = ("Agent/TCP/Sack1", "Agent/TCP/Fack", "Agent/TCP/SackRH", "Agent/TCP/Linux")
BOTH = ("true", "false")

VARIABLES: dict[str, tuple[str, ...]] = {
    "window_": ("8", "20", "20.5", "50", "4", "1"),
    "windowInit_": ("1", "2", "2.5", "4"),
    "windowInitOption_": ("1", "2"),
    "windowOption_": ("0", "1", "2", "3", "5"),
    "maxcwnd_": ("0", "12", "5"),
    "packetSize_": ("1000", "512", "1460", "100", "40"),
    "syn_": BOTH,
    "delay_growth_": BOTH,
    "overhead_": ("0", "0.001", "0.01"),
    "maxburst_": ("0", "2", "4"),
    "tcpTick_": ("0.01", "0.001", "0.1", "0.5"),
    "minrto_": ("0.2", "0", "1"),
    "maxrto_": ("60", "2"),
    "rtxcur_init_": ("3", "0.5"),
    "rfc2988_": BOTH,
    "timestamps_": BOTH,
    "ecn_": ("0", "1"),
    "bugFix_": BOTH,
    "slow_start_restart_": BOTH,
    "singledup_": ("0", "1"),
    "numdupacks_": ("3", "2", "5"),
    "max_ssthresh_": ("0", "6"),
    "fid_": ("0", "1", "2", "7"),
    "class_": ("1", "2", "3"),
    "prio_": ("1", "15"),
    "ttl_": ("32", "2", "1"),
    "useHeaders_": BOTH,
    "LimTransmitFix_": BOTH,
    "frto_enabled_": ("1", "2"),
    "control_increase_": ("1",),
    "tcpip_base_hdr_size_": ("40", "20"),
    "EnblRTTCtr_": ("1",),
    "cwnd_": ("2", "5.5"),
    "ssthresh_": ("10",),
    "qs_enabled_": BOTH,
}
SINK_VARIABLES = {
    "packetSize_": ("40", "100"),
    "interval_": ("0.1", "0.05", "100ms"),
    "maxSackBlocks_": ("3", "1"),
    "generateDSacks_": BOTH,
    "ts_echo_rfc1323_": BOTH,
    "ts_echo_bugfix_": BOTH,
    "bytes_": ("0",),
    "fid_": ("1", "3"),
    "ecn_syn_": BOTH,
    "SYN_immediate_ack_": BOTH,
}
SOURCE_VARIABLES: dict[str, dict[str, tuple[str, ...]]] = {
    "Application/Traffic/CBR": {
        "rate_": ("100kb", "400Kb", "1Mb", "50000"),
        "interval_": ("0.01", "20ms", "0.005"),
        "packetSize_": ("210", "500", "1000", "48"),
        "random_": ("0", "1", "true"),
        "maxpkts_": ("20", "100"),
    },
    "Application/Traffic/Exponential": {
        "rate_": ("200kb", "64k"),
        "burst_time_": ("100ms", "0.5", "0"),
        "idle_time_": ("100ms", "0.3", "0"),
        "packetSize_": ("210", "500"),
    },
    "Application/Traffic/Pareto": {
        "rate_": ("200kb", "64k"),
        "burst_time_": ("100ms", "0.5"),
        "idle_time_": ("100ms", "0.3"),
        "packetSize_": ("210", "500"),
        "shape_": ("1.5", "1.2"),
    },
    "Application/Telnet": {"interval_": ("0", "0.01", "0.1")},
    "Application/FTP": {},
}
DATAGRAM_SOURCES = ("Application/Traffic/CBR", "Application/Traffic/Exponential", "Application/Traffic/Pareto")


def add_flows(script: Script) -> None:
    """Some flows between random nodes."""
    for _ in range(script.rng.randint(1, 4)):
        kind = script.rng.random()
        if kind < 0.62:
            _tcp(script)
        elif kind < 0.72:
            _full(script)
        elif kind < 0.93:
            _datagrams(script)
        else:
            _rate_based(script)


def _ends(script: Script) -> tuple[int, int]:
    # Two nodes: between agents of one node ns-2 delivers at once, in the midst of what the sender does.
    first, last = script.rng.sample(range(script.nodes), 2)
    return first, last


def _set(script: Script, handle: str, variables: dict[str, tuple[str, ...]], most: int) -> None:
    for name in script.rng.sample(sorted(variables), min(len(variables), script.rng.randint(0, most))):
        script.say(f"${handle} set {name} {script.pick(variables[name])}")


def _pair(script: Script, sender: str, receiver: str) -> tuple[str, str, int, int]:
    first, last = _ends(script)
    one, other = script.fresh("a"), script.fresh("s")
    script.used |= {sender, receiver}
    if sender.startswith("Agent/TCP") and "Full" not in sender and script.chance(0.2):
        fid = script.rng.randint(0, 3)
        script.say(
            f"set {one} [$ns create-connection {sender.removeprefix('Agent/')} $n{first} "
            f"{receiver.removeprefix('Agent/')} $n{last} {fid}]"
        )
        return one, "", first, last
    script.say(f"set {one} [new {sender}]", f"$ns attach-agent $n{first} ${one}")
    script.say(f"set {other} [new {receiver}]", f"$ns attach-agent $n{last} ${other}")
    script.say(f"$ns connect ${one} ${other}")
    return one, other, first, last


def _feed(script: Script, sender: str, receiver: str, ends: tuple[int, int], kind: str, source_kind: str) -> None:
    source = script.fresh("f")
    if source_kind == "Application/FTP" and script.chance(0.3):
        script.say(f"set {source} [${sender} attach-source FTP]")
    else:
        script.say(f"set {source} [new {source_kind}]", f"${source} attach-agent ${sender}")
    script.used.add(source_kind)
    _set(script, source, SOURCE_VARIABLES[source_kind], 3)
    if source_kind == "Application/FTP" and script.chance(0.2):
        script.say(f"${source} set maxpkts_ {script.pick(('10', '100'))}")
    start = script.time(0.0, 0.4)
    script.at(start, f"${source} start")
    if script.chance(0.35):
        script.at(script.time(0.4, 0.9), f"${source} stop")
    if script.chance(0.1):
        script.at(script.time(0.5, 0.95), f"${source} start")
    if source_kind == "Application/FTP" and script.chance(0.1):
        script.at(script.time(0.2, 0.9), f"${source} {script.pick(('produce 20', 'producemore 10'))}")
    script.flows.append(Flow(sender, receiver, source, *ends, kind, start))


def _tcp(script: Script) -> None:
    kind = script.pick(TCP)
    sink = script.pick(SINKS[2:] if kind in SELECTIVE and script.chance(0.8) else SINKS)
    one, other, *ends = _pair(script, kind, sink)
    _set(script, one, VARIABLES, 4)
    if kind == "Agent/TCP/Linux":
        law = script.pick(("reno", "cubic", "bic", "vegas", "htcp", "scalable", "westwood", "highspeed", "illinois"))
        script.at(0, f"${one} select_ca {law}")
    if other:
        _set(script, other, SINK_VARIABLES, 2)
    source = script.pick(("Application/FTP",) * 8 + ("Application/Telnet",) * 2 + DATAGRAM_SOURCES)
    _feed(script, one, other, (ends[0], ends[1]), kind, source)


def _full(script: Script) -> None:
    kind = script.pick(FULL)
    one, other, *ends = _pair(script, kind, kind)
    script.say(f"${other} listen")
    names = ("window_", "ecn_", "tcpTick_", "fid_", "windowInit_", "minrto_")
    full = {name: VARIABLES[name] for name in names}
    full |= {"segsize_": ("536", "1460"), "segsperack_": ("1", "2"), "interval_": ("0.1", "0.02"), "nodelay_": BOTH}
    _set(script, one, full, 3)
    _set(script, other, full, 2)
    if script.chance(0.3):
        script.at(script.time(0.1, 0.5), f"${one} send {script.rng.randint(1, 40000)}")
    if script.chance(0.2):
        script.at(script.time(0.2, 0.6), f"${other} send {script.rng.randint(1, 20000)}")
    if script.chance(0.15):
        script.at(script.time(0.5, 0.9), f"${one} close")
    _feed(script, one, other, (ends[0], ends[1]), kind, "Application/FTP")


def _datagrams(script: Script) -> None:
    receiver = script.pick(("Agent/Null", "Agent/LossMonitor", "Agent/UDP"))
    one, other, *ends = _pair(script, "Agent/UDP", receiver)
    udp = {"packetSize_": ("1000", "100", "1500"), "fid_": ("1", "2", "5"), "ttl_": ("32", "2"), "class_": ("2",)}
    _set(script, one, udp, 2)
    source = script.pick(DATAGRAM_SOURCES)
    _feed(script, one, other, (ends[0], ends[1]), "Agent/UDP", source)
    if receiver == "Agent/LossMonitor":
        script.shown += [
            f"[${other} set {name}]" for name in ("bytes_", "npkts_", "nlost_", "lastPktTime_", "expected_")
        ]
    if script.chance(0.1):
        script.at(script.time(), f"${one} send {script.rng.randint(1, 3000)}")


def _rate_based(script: Script) -> None:
    first, last = _ends(script)
    one, other = script.fresh("a"), script.fresh("s")
    kinds = ("Agent/RAP", "Agent/RAP") if script.chance(0.3) else ("Agent/TFRC", "Agent/TFRCSink")
    script.used.add(kinds[0])
    script.say(f"set {one} [new {kinds[0]}]", f"$ns attach-agent $n{first} ${one}")
    script.say(f"set {other} [new {kinds[1]}]", f"$ns attach-agent $n{last} ${other}")
    script.say(f"$ns connect ${one} ${other}")
    if script.chance(0.5):
        script.say(f"${one} set packetSize_ {script.pick(('500', '1000'))}")
    script.at(script.time(0.0, 0.4), f"${one} start")
    if script.chance(0.5):
        script.at(script.time(0.5, 0.9), f"${one} stop")
