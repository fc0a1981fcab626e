"""A scenario as the ns-2 script that gives the same packets."""

from __future__ import annotations

from ackclock.scenario.errors import ScenarioError
from ackclock.scenario.model.apps import Call, Cbr, Exponential, Ftp, Pareto, Requests, Telnet, Video
from ackclock.scenario.model.constants import PACKET_NUMBERS
from ackclock.scenario.model.scenario import Scenario
from ackclock.scenario.model.seed import hashed_seed, ns2_seed
from ackclock.scenario.resolve.network import Network, resolve
from ackclock.scenario.resolve.view import DirectedLink, LinkLoss, ResolvedFlow
from ackclock.scenario.units import rate_bps, size_bytes, time_s

TWO_WAY = {
    "full": "TCP/FullTcp",
    "full_tahoe": "TCP/FullTcp/Tahoe",
    "full_new_reno": "TCP/FullTcp/Newreno",
    "full_sack": "TCP/FullTcp/Sack",
}
SENDERS = {
    "tahoe": "TCP",
    "reno": "TCP/Reno",
    "new_reno": "TCP/Newreno",
    "sack": "TCP/Sack1",
    "fack": "TCP/Fack",
    "reno_rbp": "TCP/Reno/RBP",
    "vegas_rbp": "TCP/Vegas/RBP",
    "sack_rh": "TCP/SackRH",
    "vegas": "TCP/Vegas",
    "linux": "TCP/Linux",
    "rfc793edu": "TCP/RFC793edu",
    "udp": "UDP",
    **TWO_WAY,
}
RECEIVERS = {
    "sink": "TCPSink",
    "sink_del_ack": "TCPSink/DelAck",
    "sink_sack": "TCPSink/Sack1",
    "sink_sack_del_ack": "TCPSink/Sack1/DelAck",
    "null": "Null",
    "loss_monitor": "LossMonitor",
    **TWO_WAY,
}
QUEUES = {
    "drop_tail": "DropTail",
    "red": "RED",
    "rio": "RED/RIO",
    "pi": "PI",
    "rem": "REM",
    "virtual_queue": "Vq",
    "gibbens_kelly": "GK",
    "sfq": "SFQ",
    "drr": "DRR",
    "fq": "FQ",
    "ds_red_core": "dsRED/core",
    "ds_red_edge": "dsRED/edge",
}

#: a class's default for one link
PROCS = """\
set kept {}
proc keep {class name value} {
    global kept
    if {[lsearch [$class info vars] $name] >= 0} {
        lappend kept [list $class set $name [$class set $name]]
    } else {
        lappend kept [list $class unset $name]
    }
    $class set $name $value
}
proc later {delay words} {
    $::ns at [expr [$::ns now] + $delay] $words
}
proc give_back {} {
    global kept
    foreach words $kept {eval $words}
    set kept {}
}
"""


#: fq's parameters that are about the queues of its flows
FLOWS = ("flow_", "red_flows")


def camel(name: str) -> str:
    """ns-2's spelling of a parameter: `window_init` is `windowInit_`, but `q_weight` stays."""
    special = {
        "queue_in_bytes": "queue_in_bytes_",
        "mean_pktsize": "mean_pktsize_",
        "drop_front": "drop_front_",
        "q_weight": "q_weight_",
        "packet_size": "packetSize_",
        "window_init": "windowInit_",
        "ts_reset_rto": "ts_resetRTO_",
        "secs_per_byte": "secsPerByte_",
        "num_queues": "numQueues_",
    }
    return special.get(name, f"{name}_")


def number(value: float) -> str:
    """A value as Tcl takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)


def script(scenario: Scenario, trace: str = "out.tr", nam: str | None = None) -> str:
    """The script; its links are traced into the file. `ScenarioError` for what ns-2 has not, with its key."""
    network = resolve(scenario)
    _refuse(network)
    if hashed_seed(scenario.seed) is not None:
        expected = 'ns-2 draws from one stream, which is not hashed; expected "ns2:N" for its seed N, or no seed'
        raise ScenarioError(expected, key="seed", value=scenario.seed)
    lines = [f"set f [open {trace} w]"]
    if scenario.seed is not None:
        lines.insert(0, f"ns-random {ns2_seed(scenario.seed)}")
    lines += ["set ns [new Simulator]", "$ns trace-all $f"]
    if scenario.routing == "session":
        lines.append("$ns rtproto Session")
    if nam:
        lines += [f"set nf [open {nam} w]", "$ns namtrace-all $nf"]
    lines += [f"set n{node} [$ns node]" for node in range(len(network.nodes))]
    lines.append(PROCS)
    for link in network.links:
        lines += _link(link)
    for link in network.links:
        if link.queue.kind == "fq":
            lines += _queues_of_flows(link)
    for index, flow in enumerate(network.flows):
        lines += _flow(index, flow)
    lines.append(f'$ns at {network.duration_s!r} "finish"')
    lines += _events(network, scenario.routing == "session", nam is not None)
    for index, flow in enumerate(network.flows):
        for start_s, stop_s in flow.spans_s:
            lines.append(f'$ns at {start_s!r} "$app{index} start"')
            if stop_s is not None:
                lines.append(f'$ns at {stop_s!r} "$app{index} stop"')
    close = "close $nf; " if nam else ""
    lines += [f"proc finish {{}} {{ global ns f nf; $ns flush-trace; close $f; {close}exit 0 }}", "$ns run"]
    return "\n".join(lines) + "\n"


def _refuse(network: Network) -> None:
    """`ScenarioError` for the first part of a network that no ns-2 has."""
    for index, flow in enumerate(network.flows):
        if isinstance(flow.app, Video):
            raise ScenarioError("ns-2 has no adaptive video", key=f"flows.{index}.app", value="video")
        if isinstance(flow.app, Call):
            raise ScenarioError("ns-2 has no SCReAM and no video of a call", key=f"flows.{index}.app", value="call")
        for what, name, known in (("tcp", flow.sender, SENDERS), ("receiver", flow.receiver, RECEIVERS)):
            if name not in known:
                raise ScenarioError(
                    f"ns-2 has none; it has {', '.join(known)}", key=f"flows.{index}.{what}", value=name
                )
        if flow.sender == "udp" and flow.parameters.get("ecn"):
            raise ScenarioError("ns-2's datagrams have no ECN field", key=f"flows.{index}.parameters.ecn")
        if "dscp" in flow.parameters:
            raise ScenarioError("ns-2's packets have no DSCP", key=f"flows.{index}.dscp")
        if ":" in (flow.control or ""):
            expected = "a congestion control in Python is ackclock's alone"
            raise ScenarioError(expected, key=f"flows.{index}.control", value=flow.control)
    for link in network.links:
        if not isinstance(link.queue.kind, str) or link.queue.kind not in QUEUES:
            expected = f"ns-2 has none; it has {', '.join(QUEUES)}"
            raise ScenarioError(expected, key=f"{link.queue_key}.kind", value=link.queue.name)
        if link.radio_key is not None:
            raise ScenarioError("ns-2's links have neither Wi-Fi nor 5G", key=link.radio_key)
        if link.deliveries is not None:
            raise ScenarioError("ns-2 has no links that send when a recording says so", key=f"{link.key}.deliveries")
        for lossy in link.losses:
            for name in ("max_delay", "in_order", "duplicate"):
                if getattr(lossy.loss, name):
                    raise ScenarioError("ns-2's error models know nothing of it", key=f"{lossy.key}.{name}")


def _link(link: DirectedLink) -> list[str]:
    queue, ends = QUEUES[link.queue.name], f"$n{link.source} $n{link.target}"
    own = {name: value for name, value in link.parameters.items() if not name.startswith(FLOWS)}
    lines = [f"keep Queue/{queue} {camel(name)} {number(value)}" for name, value in own.items()]
    lines.append(f"$ns simplex-link {ends} {link.rate_bps!r} {link.delay_s!r} {queue}")
    lines.append("give_back")
    lines += [f"[[$ns link {ends}] queue] {words}" for words in link.commands]
    if link.cost != 1:
        lines.append(f"$ns cost {ends} {link.cost!r}")
    for lossy in reversed(link.losses):
        lines += _loss(lossy)
        word = "lossmodel" if lossy.loss.place == "queue" else "link-lossmodel"
        lines.append(f"$ns {word} $em {ends}")
    return lines


def _queues_of_flows(link: DirectedLink) -> list[str]:
    """ns-2 makes them when a flow's first packet comes, from what a class says then."""
    kind = "RED" if link.parameters.get("red_flows") else "DropTail"
    names = {name.removeprefix("flow_"): value for name, value in link.parameters.items() if name.startswith("flow_")}
    lines = [f"FQLink set queueManagement_ {kind}"]
    return lines + [f"Queue/{kind} set {camel(name)} {number(value)}" for name, value in names.items()]


def _loss(lossy: LinkLoss) -> list[str]:
    loss = lossy.loss
    lines = _error_model(lossy)
    unit = {"packets": "pkt", "bytes": "byte", "seconds": "time"}[loss.unit]
    if loss.kind in ("uniform", "periodic", "list"):
        lines.append(f"$em unit {unit}")
    if loss.mark:
        lines.append("$em set markecn_ true")
    if loss.delay is not None:
        lines += ["$em set delay_pkt_ true", f"$em set delay_ {time_s(loss.delay)!r}"]
    if lossy.flow_ids is not None:
        lines += ["set module [new ErrorModule Fid]", "$module insert $em"]
        lines += [f"$module bind $em {flow_id}" for flow_id in lossy.flow_ids]
        lines += ["$module default pass", "set em $module"]
    return lines


def _error_model(lossy: LinkLoss) -> list[str]:
    loss = lossy.loss
    unit = {"packets": "pkt", "bytes": "byte", "seconds": "time"}[loss.unit]
    if loss.kind == "uniform":
        return ["set em [new ErrorModel]", f"$em set rate_ {loss.rate}"]
    if loss.kind == "periodic":
        lines = ["set em [new ErrorModel/Periodic]", f"$em set period_ {loss.period}"]
        keys = {"offset": "offset_", "burst": "burstlen_", "invert": "default_drop_"}
        for key, name in keys.items():
            if getattr(loss, key) is not None:
                lines.append(f"$em set {name} {float(getattr(loss, key)):g}")
        return lines
    if loss.kind == "list":
        return ["set em [new ErrorModel/List]", f"$em droplist {{{' '.join(map(str, loss.packets or []))}}}"]
    if loss.kind == "select":
        assert loss.period is not None
        words = f"{PACKET_NUMBERS[loss.packet_type or '']} {loss.period:g} {loss.offset or 0:g}"
        return ["set em [new SelectErrorModel]", f"$em drop-packet {words}"]
    lines = []
    if loss.kind in ("multi_state", "gilbert_elliott"):
        for index, (rate, _, _) in enumerate(lossy.states):
            lines += [f"set state{index} [new ErrorModel]", f"$state{index} set rate_ {rate}"]
        count = len(lossy.states)
        names = " ".join(f"$state{index}" for index in range(count))
        periods = " ".join(repr(duration_s) for _, _, duration_s in lossy.states)
        rows = " ".join("{" + " ".join(map(str, row)) + "}" for _, row, _ in lossy.states)
        made = f"new ErrorModel/MultiState [list {names}] {{{periods}}} {{{rows}}} pkt {unit} {count} $state0"
        return [*lines, f"set em [{made}]"]
    for name, mean in (("good", loss.good), ("bad", loss.bad)):
        lines += [f"set {name} [new RandomVariable/Exponential]", f"${name} set avg_ {mean}"]
    return [*lines, f"set em [new ErrorModel/TwoState $good $bad {unit}]"]


def _flow(index: int, flow: ResolvedFlow) -> list[str]:
    lines = [f"set s{index} [new Agent/{SENDERS[flow.sender]}]", f"set r{index} [new Agent/{RECEIVERS[flow.receiver]}]"]
    for agent, parameters in (("s", flow.parameters), ("r", flow.receiver_parameters)):
        lines.append(f"${agent}{index} set fid_ {flow.flow_id}")
        lines += [f"${agent}{index} set {camel(name)} {number(value)}" for name, value in parameters.items()]
    if flow.control is not None:
        lines.append(f'$ns at 0 "$s{index} select_ca {flow.control}"')
    lines += [
        f"$ns attach-agent $n{flow.source} $s{index}",
        f"$ns attach-agent $n{flow.destination} $r{index}",
        f"$ns connect $s{index} $r{index}",
    ]
    if flow.is_two_way:
        lines.append(f"$r{index} listen")
    if isinstance(flow.app, Requests):
        return lines + _exchange(index, flow.app)
    return [*lines, *_app(index, flow), f"$app{index} attach-agent $s{index}"]


def _exchange(index: int, app: Requests) -> list[str]:
    """Two applications that tell each other what to do when all bytes have come; each acts in an event of its own."""
    request, response = size_bytes(app.request), size_bytes(app.response)
    close = f"$s{index} close" if app.closes else ""
    return [
        f"set app{index} [new Application/TcpApp $s{index}]",
        f"set server{index} [new Application/TcpApp $r{index}]",
        f"$app{index} connect $server{index}",
        f"set asked{index} 0",
        f"$app{index} proc start {{}} {{",
        f"    incr ::asked{index}",
        f"    $self send {request} {{later {time_s(app.server_delay)!r} answer{index}}}",
        "}",
        f"proc answer{index} {{}} {{",
        f"    $::server{index} send {response} {{answered{index}}}",
        "}",
        f"proc answered{index} {{}} {{",
        f"    if {{$::asked{index} == {app.times}}} {{",
        f'        later 0 "{close}"'.replace("$s", "$::s"),
        "    } else {",
        f'        later {time_s(app.think_time)!r} "$::app{index} start"',
        "    }",
        "}",
    ]


def _app(index: int, flow: ResolvedFlow) -> list[str]:
    app, name = flow.app, f"app{index}"
    if isinstance(app, Ftp):
        if flow.packets is None:
            return [f"set {name} [new Application/FTP]"]
        return [f"set {name} [new Application/FTP]", f"${name} proc start {{}} {{ $self produce {flow.packets} }}"]
    if isinstance(app, (Cbr, Exponential, Pareto)):
        kind = {"cbr": "CBR", "exponential": "Exponential", "pareto": "Pareto"}[app.kind]
        lines = [
            f"set {name} [new Application/Traffic/{kind}]",
            f"${name} set rate_ {rate_bps(app.rate)!r}",
            f"${name} set packetSize_ {size_bytes(app.packet_size)}",
        ]
        if isinstance(app, Cbr):
            lines.append(f"${name} set random_ {int(app.dither)}")
            if app.packets is not None:
                lines.append(f"${name} set maxpkts_ {app.packets}")
        else:
            lines += [f"${name} set burst_time_ {time_s(app.burst)!r}", f"${name} set idle_time_ {time_s(app.idle)!r}"]
        if isinstance(app, Pareto):
            lines.append(f"${name} set shape_ {app.shape}")
        return lines
    assert isinstance(app, Telnet)
    mean = time_s(app.interval) if app.interval else 0.0
    return [f"set {name} [new Application/Telnet]", f"${name} set interval_ {mean!r}"]


def _events(network: Network, reroutes: bool, nam: bool) -> list[str]:
    lines = []
    for event in network.events:
        link = network.links[event.link]
        ends = f"$n{link.source} $n{link.target}"
        if event.what in ("rate", "delay"):
            word = {"rate": "bandwidth", "delay": "delay"}[event.what]
            lines.append(f'$ns at {event.at_s!r} "$ns {word} {ends} {event.value!r}"')
        elif event.what == "cost":
            lines.append(f'$ns at {event.at_s!r} "$ns cost {ends} {event.value!r}; $ns compute-routes"')
        else:
            lines.append(f'$ns at {event.at_s!r} "[$ns link {ends}] {event.what}"')
        if reroutes and event.what in ("up", "down"):
            lines.append(f'$ns at {event.at_s!r} "$ns compute-routes"')
    failing = {event.link for event in network.events if event.what in ("up", "down")}
    for number_ in sorted(failing):
        link = network.links[number_]
        lines.append(f"[$ns link $n{link.source} $n{link.target}] dynamic")
        lines.append(f"[$ns link $n{link.source} $n{link.target}] trace-dynamics $ns $f")
        if nam:
            lines.append(f"[$ns link $n{link.source} $n{link.target}] trace-dynamics $ns $nf nam")
    return lines
