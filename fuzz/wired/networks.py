"""Nodes, links, queues, LANs and routing of a random script."""

from __future__ import annotations

from fuzz.wired.script import Script

BANDWIDTHS = ("0.2Mb", "0.5Mb", "1Mb", "1.5Mb", "2Mb", "10Mb", "800kb", "64kb", "1e6", "125kB")
DELAYS = ("1ms", "2ms", "10ms", "20ms", "50ms", "0.005", "100us", "0ms")
QUEUES = (
    *("DropTail",) * 10, *("RED",) * 5, "SFQ", "DRR", "FQ", "PI", "REM", "Vq", "GK", "RED/RIO", "DropTail", "SRR",
    *("DropTail",) * 2,
)  # fmt: skip

#: bound variables of queues and their words
VARIABLES: dict[str, dict[str, tuple[str, ...]]] = {
    "DropTail": {
        "limit_": ("3", "5", "10", "50", "0", "1"),
        "drop_front_": ("true", "false"),
        "summarystats_": ("true",),
        "queue_in_bytes_": ("true", "false"),
        "mean_pktsize_": ("500", "1000", "200"),
    },
    "RED": {
        "limit_": ("5", "10", "20", "50"),
        "thresh_": ("0", "1", "2", "5", "5.5"),
        "maxthresh_": ("0", "3", "6", "15"),
        "q_weight_": ("0", "-1", "0.002", "0.1", "1"),
        "linterm_": ("5", "10", "50"),
        "bytes_": ("true", "false"),
        "queue_in_bytes_": ("true", "false"),
        "mean_pktsize_": ("500", "1000"),
        "setbit_": ("true", "false"),
        "gentle_": ("true", "false"),
        "wait_": ("true", "false"),
        "drop_tail_": ("true", "false"),
        "drop_front_": ("true",),
        "drop_rand_": ("true",),
        "ns1_compat_": ("true",),
        "adaptive_": ("0", "1"),
        "cautious_": ("0", "1", "2", "3"),
        "use_mark_p_": ("true", "false"),
        "idle_pktsize_": ("100", "500"),
        "targetdelay_": ("0.005", "0.02"),
    },
    "SFQ": {"maxqueue_": ("10", "40", "5"), "buckets_": ("16", "4", "1")},
    "DRR": {"buckets_": ("1", "10"), "blimit_": ("5000", "25000"), "quantum_": ("250", "1000"), "mask_": ("0", "1")},
    "PI": {"bytes_": ("false",), "setbit_": ("true", "false"), "qref_": ("5", "50"), "w_": ("170", "20")},
    "REM": {"limit_": ("10", "50"), "pbo_": ("5", "20"), "ptc_": ("100", "1000"), "setbit_": ("true", "false")},
    "Vq": {"ecnlim_": ("0.95", "0.5"), "buflim_": ("1.0", "0.5"), "markpkts_": ("true", "false")},
    "GK": {"ecnlim_": ("0.95", "0.7"), "mean_pktsize_": ("500", "1000")},
}
VARIABLES["RED/RIO"] = VARIABLES["RED"] | {
    "in_thresh_": ("2", "5"),
    "in_maxthresh_": ("5", "15"),
    "priority_method_": ("0", "1"),
}


def build(script: Script) -> None:
    """Nodes and what joins them."""
    shape = script.pick(("chain", "chain", "dumbbell", "dumbbell", "star", "ring", "mesh", "lan"))
    script.used.add(shape)
    script.nodes = script.rng.randint(2 if shape == "chain" else 4, 7)
    for number in range(script.nodes):
        script.say(f"set n{number} [$ns node]")
    if shape == "lan":
        _lan(script)
    for first, last in _pairs(script, shape):
        _link(script, first, last)
    _settings(script)


def _pairs(script: Script, shape: str) -> list[tuple[int, int]]:
    nodes = script.nodes
    if shape == "lan":
        inner = sorted(script.on_lan)[0]
        return [(inner, other) for other in range(nodes) if other not in script.on_lan]
    if shape == "star":
        return [(0, other) for other in range(1, nodes)]
    if shape == "dumbbell":
        right = nodes // 2
        sides = [(other, 0) for other in range(2, right + 1)] + [(1, other) for other in range(right + 1, nodes)]
        return [(0, 1), *sides]
    pairs = [(number, number + 1) for number in range(nodes - 1)]
    if shape == "ring":
        pairs.append((nodes - 1, 0))
    elif shape == "mesh":
        others = [(first, last) for first in range(nodes) for last in range(first + 2, nodes)]
        pairs += script.rng.sample(others, min(2, len(others)))
    return pairs


def _queue(script: Script) -> str:
    return script.pick(QUEUES) if script.chance(0.5) else "DropTail"


def _link(script: Script, first: int, last: int) -> None:
    queue = _queue(script)
    words = f"{script.pick(BANDWIDTHS)} {script.pick(DELAYS)}"
    if script.chance(0.12):
        back = _queue(script)
        script.say(
            f"$ns simplex-link $n{first} $n{last} {words} {queue}",
            f"$ns simplex-link $n{last} $n{first} {script.pick(BANDWIDTHS)} {script.pick(DELAYS)} {back}",
        )
    else:
        back = queue
        script.say(f"$ns duplex-link $n{first} $n{last} {words} {queue}")
    script.links[first, last], script.links[last, first] = queue, back
    script.used |= {queue, back}
    if script.chance(0.4):
        script.say(f"$ns queue-limit $n{first} $n{last} {script.pick(('3', '5', '10', '20', '50', '2'))}")
    if script.chance(0.2):
        where = script.pick(
            ("orient right", "orient left-down", "queuePos 0.5", "color red", "label x", "orient 45deg")
        )
        script.say(f"$ns duplex-link-op $n{first} $n{last} {where}")


def _lan(script: Script) -> None:
    size = script.rng.randint(2, script.nodes)
    script.on_lan = set(script.rng.sample(range(script.nodes), size))
    names = " ".join(f"$n{number}" for number in sorted(script.on_lan))
    maker = script.pick(("newLan", "make-lan"))
    script.say(f'set lan [$ns {maker} "{names}" {script.pick(("1Mb", "10Mb"))} {script.pick(("1ms", "10ms"))} '
               "LL Queue/DropTail Mac/802_3 Channel]")  # fmt: skip


def _settings(script: Script) -> None:
    for (first, last), queue in list(script.links.items()):
        variables = VARIABLES.get(queue, {})
        if not variables or not script.chance(0.35):
            continue
        handle = f"[[$ns link $n{first} $n{last}] queue]"
        for name in script.rng.sample(sorted(variables), min(len(variables), script.rng.randint(1, 3))):
            script.say(f"{handle} set {name} {script.pick(variables[name])}")


def route(script: Script) -> None:
    """A routing protocol, costs, and links that fail."""
    kind = script.pick(("", "", "", "", "", "Static", "Session", "DV", "DV", "LS"))
    if kind:
        script.used.add(kind)
        some = f" $n0 $n{script.nodes - 1}" if kind == "DV" and script.chance(0.15) else ""
        script.say(f"$ns rtproto {kind}{some}")
    links = list(script.links)
    if links and script.chance(0.15):
        first, last = script.link()
        script.say(f"$ns cost $n{first} $n{last} {script.pick(('2', '5', '0.5'))}")
        script.used.add("cost")
    if links and not script.on_lan and script.chance(0.25):
        script.used.add("failure")
        first, last = script.link()
        down, up = sorted((script.time(0.1, 0.5), script.time(0.4, 0.9)))
        script.say(f"$ns rtmodel-at {down:g} down $n{first} $n{last}")
        if script.chance(0.8):
            script.say(f"$ns rtmodel-at {up:g} up $n{first} $n{last}")
    if links and not script.on_lan and script.chance(0.05):
        script.used.add("node fails")
        node, down = script.rng.randrange(script.nodes), script.time(0.1, 0.6)
        script.say(f"$ns rtmodel-at {down:g} down $n{node}")
        script.say(f"$ns rtmodel-at {down + 0.3:g} up $n{node}")
    if links and not script.on_lan and script.chance(0.04):
        first, last = script.link()
        script.say(f"$ns rtmodel {script.pick(('Exponential', 'Deterministic'))} {{}} $n{first} $n{last}")
        script.used.add("failure model")
