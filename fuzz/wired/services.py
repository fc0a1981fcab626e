"""Queues that need more than a name: classes, policies, precedence, routers of XCP."""

from __future__ import annotations

from fuzz.wired.script import Script


def serve(script: Script) -> None:
    """Sometimes two links of a service of their own between two new nodes and the network."""
    if not script.chance(0.08):
        return
    kind = script.rng.choice(list(_KINDS))
    script.used.add(f"service: {kind}")
    _KINDS[kind](script)


def _two_nodes(script: Script) -> tuple[int, int]:
    """Two nodes more: the first hangs on a node that there was."""
    hangs_on = script.rng.randrange(script.nodes)
    first = script.nodes
    script.nodes += 2
    script.say(
        f"set n{first} [$ns node]",
        f"set n{first + 1} [$ns node]",
        f"$ns duplex-link $n{hangs_on} $n{first} 2Mb 2ms DropTail",
    )
    script.links[hangs_on, first] = script.links[first, hangs_on] = "DropTail"
    return first, first + 1


def _classes(script: Script) -> None:
    first, last = _two_nodes(script)
    kind = script.pick(("CBQ", "CBQ/WRR"))
    algorithm = script.pick(("ancestor-only", "top-level", "formal"))
    lines = [
        f"$ns simplex-link $n{last} $n{first} 1Mb 5ms DropTail",
        f"$ns simplex-link $n{first} $n{last} 1Mb 5ms {kind}",
        f"[[$ns link $n{first} $n{last}] queue] algorithm {algorithm}",
    ]
    for name, parent, share, priority, level in (
        ("top", "none", "0.97", 8, 2),
        ("left", "$top", "0.5", script.rng.randint(1, 2), 1),
        ("right", "$top", "0.4", 1, 1),
    ):
        borrows = script.pick(("1", "true", "0"))
        idle = script.pick(("auto", "0.01", "0"))
        lines += [
            f"set {name} [new CBQClass]",
            f"${name} setparams {parent} {borrows} {share} {idle} {priority} {level} 0",
        ]
        if level == 1:
            queue = script.pick(("DropTail", "DropTail", "DropTail", "RED"))
            lines += [
                f"set q_{name} [new Queue/{queue}]",
                f"$q_{name} set limit_ 15",
                f"${name} install-queue $q_{name}",
            ]
    lines += [f"[$ns link $n{first} $n{last}] insert ${name}" for name in ("top", "left", "right")]
    lines += [f"[$ns link $n{first} $n{last}] bind $left 0 1", f"[$ns link $n{first} $n{last}] bind $right 2 9"]
    script.say(*lines)


def _differentiated(script: Script) -> None:
    first, last = _two_nodes(script)
    policy = script.pick(("TSW2CM", "TSW3CM", "TokenBucket", "srTCM", "trTCM", "Null"))
    numbers = {
        "TSW2CM": "300000",
        "TSW3CM": "300000 500000",
        "TokenBucket": "300000 5000",
        "srTCM": "300000 5000 8000",
        "trTCM": "300000 5000 500000 8000",
        "Null": "",
    }[policy]
    lines = [
        f"$ns simplex-link $n{first} $n{last} 1Mb 5ms dsRED/edge",
        f"$ns simplex-link $n{last} $n{first} 1Mb 5ms dsRED/core",
    ]
    for one, other in ((first, last), (last, first)):
        queue = script.fresh("ds")
        lines += [
            f"set {queue} [[$ns link $n{one} $n{other}] queue]",
            f"${queue} meanPktSize 1000",
            f"${queue} set numQueues_ 1",
            f"${queue} setNumPrec 2",
            f"${queue} addPHBEntry 10 0 0",
            f"${queue} addPHBEntry 11 0 1",
            f"${queue} configQ 0 0 10 20 0.02",
            f"${queue} configQ 0 1 4 10 0.2",
        ]
        if script.chance(0.5):
            lines.append(f"${queue} setMREDMode {script.pick(('RIO-C', 'RIO-D', 'WRED', 'DROP'))} 0")
        if one == first:
            for there in range(script.nodes - 1):
                words = f"[$n{there} id] [$n{last} id]" if script.chance(0.8) else f"{there} {last}"
                lines.append(f"${queue} addPolicyEntry {words} {policy} 10 {numbers}".rstrip())
                lines.append(f"${queue} addPolicyEntry {last} {there} {policy} 10 {numbers}".rstrip())
            if policy != "Null":
                lines.append(
                    f"${queue} addPolicerEntry {policy} 10 11" + (" 11" if policy[-3:] in ("3CM", "TCM") else "")
                )
            if script.chance(0.5):
                lines += [f"${queue} print{table}Table" for table in ("Policy", "Policer", "PHB")]
        script.shown.append(
            f"[${queue} {script.pick(('getAverage 0', 'getCurrent 0', 'getStat drops', 'getStat pkts'))}]"
        )
    script.say(*lines)
    if script.chance(0.5):
        script.at(script.time(0.5, 0.9), f"[[$ns link $n{first} $n{last}] queue] printStats")


def _policed(script: Script) -> None:
    first, last = _two_nodes(script)
    script.say(
        f"$ns simplex-link $n{first} $n{last} 0.8Mb 10ms RED/PD",
        f"$ns simplex-link $n{last} $n{first} 0.8Mb 10ms DropTail",
        f"$ns queue-limit $n{first} $n{last} 20",
        f"set pd [[$ns link $n{first} $n{last}] queue]",
        f"set pdm [$pd makeflowmon [$ns link $n{first} $n{last}] {script.pick(('Fid', 'SrcDestFid'))}]",
    )
    script.shown += ["[$pdm set pdrops_]", "[$pdm set mon_epdrops_]"]


def _explicit(script: Script) -> None:
    first, last = _two_nodes(script)
    lines = [f"$ns duplex-link $n{first} $n{last} 1Mb 10ms XCP", f"$ns queue-limit $n{first} $n{last} 20"]
    for one, other in ((first, last), (last, first)):
        lines.append(
            f"[[$ns link $n{one} $n{other}] queue] set-link-capacity "
            f"[[[$ns link $n{one} $n{other}] link] set bandwidth_]"
        )
    name, sink = script.fresh("a"), script.fresh("s")
    script.say(*lines)
    script.say(
        f"set {name} [new Agent/TCP/Reno/XCP]",
        f"$ns attach-agent $n{first} ${name}",
        f"set {sink} [new Agent/TCPSink/XCPSink]",
        f"$ns attach-agent $n{last} ${sink}",
        f"$ns connect ${name} ${sink}",
        f"set f_{name} [new Application/FTP]",
        f"$f_{name} attach-agent ${name}",
    )
    script.at(script.time(0.0, 0.4), f"$f_{name} start")


_KINDS = {
    "classes": _classes,
    "differentiated": _differentiated,
    "policed": _policed,
    "explicit": _explicit,
}
