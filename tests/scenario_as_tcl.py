"""The ns-2 script that an equal scenario must match packet by packet."""

from __future__ import annotations

from ackclock.scenario import Cbr, Exponential, Ftp, Loss, Pareto, Scenario
from ackclock.scenario.layout import LinkLoss, OneWay
from ackclock.scenario.loss import PACKET_NUMBERS
from ackclock.scenario.network import Conversation, Network, resolve
from ackclock.scenario.units import rate_bps, size_bytes, time_s

SENDERS = {
    "tahoe": "TCP",
    "reno": "TCP/Reno",
    "new_reno": "TCP/Newreno",
    "sack": "TCP/Sack1",
    "fack": "TCP/Fack",
    "vegas": "TCP/Vegas",
    "linux": "TCP/Linux",
    "rfc793edu": "TCP/RFC793edu",
    "udp": "UDP",
}
RECEIVERS = {
    "sink": "TCPSink",
    "sink_del_ack": "TCPSink/DelAck",
    "sink_sack": "TCPSink/Sack1",
    "sink_sack_del_ack": "TCPSink/Sack1/DelAck",
    "null": "Null",
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
}


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
    }
    return special.get(name, f"{name}_")


def number(value: float) -> str:
    """A value as Tcl takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)


def script(scenario: Scenario, trace: str, nam: str | None = None) -> str:
    """The script; its links are traced into the file."""
    network = resolve(scenario)
    lines = [f"set f [open {trace} w]"]
    if scenario.seed is not None:
        lines.insert(0, f"ns-random {scenario.seed}")
    lines += ["set ns [new Simulator]", "$ns trace-all $f"]
    if nam:
        lines += [f"set nf [open {nam} w]", "$ns namtrace-all $nf"]
    lines += [f"set n{node} [$ns node]" for node in range(len(network.nodes))]
    for link in network.links:
        lines += _link(link)
    for index, flow in enumerate(network.flows):
        lines += _flow(index, flow)
    lines.append(f'$ns at {network.duration_s!r} "finish"')
    lines += _events(network)
    for index, flow in enumerate(network.flows):
        for start_s, stop_s in flow.spans_s:
            lines.append(f'$ns at {start_s!r} "$app{index} start"')
            if stop_s is not None:
                lines.append(f'$ns at {stop_s!r} "$app{index} stop"')
    close = "close $nf; " if nam else ""
    lines += [f"proc finish {{}} {{ global ns f nf; $ns flush-trace; close $f; {close}exit 0 }}", "$ns run"]
    return "\n".join(lines) + "\n"


def _link(link: OneWay) -> list[str]:
    queue, ends = QUEUES[link.queue.kind], f"$n{link.source} $n{link.target}"
    lines = [f"Queue/{queue} set {camel(name)} {number(value)}" for name, value in link.parameters.items()]
    lines.append(f"$ns simplex-link {ends} {link.rate_bps!r} {link.delay_s!r} {queue}")
    if link.cost != 1:
        lines.append(f"$ns cost {ends} {link.cost!r}")
    for lossy in reversed(link.losses):
        lines += _loss(lossy)
        word = "lossmodel" if lossy.loss.place == "queue" else "link-lossmodel"
        lines.append(f"$ns {word} $em {ends}")
    return lines


def _loss(lossy: LinkLoss) -> list[str]:
    loss = lossy.loss
    lines = _error_model(loss)
    unit = {"packets": "pkt", "bytes": "byte", "seconds": "time"}[loss.unit]
    if loss.kind in ("uniform", "periodic", "list"):
        lines.append(f"$em unit {unit}")
    if loss.mark:
        lines.append("$em set markecn_ true")
    if loss.hold is not None:
        lines += ["$em set delay_pkt_ true", f"$em set delay_ {time_s(loss.hold)!r}"]
    if lossy.flow_ids is not None:
        lines += ["set module [new ErrorModule Fid]", "$module insert $em"]
        lines += [f"$module bind $em {flow_id}" for flow_id in lossy.flow_ids]
        lines += ["$module default pass", "set em $module"]
    return lines


def _error_model(loss: Loss) -> list[str]:
    unit = {"packets": "pkt", "bytes": "byte", "seconds": "time"}[loss.unit]
    if loss.kind == "uniform":
        return ["set em [new ErrorModel]", f"$em set rate_ {loss.rate}"]
    if loss.kind == "periodic":
        lines = ["set em [new ErrorModel/Periodic]", f"$em set period_ {loss.period}"]
        keys = {"offset": "offset_", "burst": "burstlen_", "spares": "default_drop_"}
        for key, name in keys.items():
            if getattr(loss, key) is not None:
                lines.append(f"$em set {name} {float(getattr(loss, key)):g}")
        return lines
    if loss.kind == "list":
        return ["set em [new ErrorModel/List]", f"$em droplist {{{' '.join(map(str, loss.packets or []))}}}"]
    if loss.kind == "select":
        assert loss.period is not None
        words = f"{PACKET_NUMBERS[loss.carries or '']} {loss.period:g} {loss.offset or 0:g}"
        return ["set em [new SelectErrorModel]", f"$em drop-packet {words}"]
    lines = []
    if loss.kind == "multi_state":
        states = loss.states or []
        for index, state in enumerate(states):
            lines += [f"set state{index} [new ErrorModel]", f"$state{index} set rate_ {state.rate}"]
        names = " ".join(f"$state{index}" for index in range(len(states)))
        periods = " ".join(repr(time_s(state.lasts or "0 s")) for state in states)
        rows = " ".join("{" + " ".join(map(str, state.next)) + "}" for state in states)
        count = len(states)
        made = f"new ErrorModel/MultiState [list {names}] {{{periods}}} {{{rows}}} pkt {unit} {count} $state0"
        return [*lines, f"set em [{made}]"]
    for name, mean in (("good", loss.good), ("bad", loss.bad)):
        lines += [f"set {name} [new RandomVariable/Exponential]", f"${name} set avg_ {mean}"]
    return [*lines, f"set em [new ErrorModel/TwoState $good $bad {unit}]"]


def _flow(index: int, flow: Conversation) -> list[str]:
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
    return [*lines, *_app(index, flow), f"$app{index} attach-agent $s{index}"]


def _app(index: int, flow: Conversation) -> list[str]:
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
    mean = time_s(app.interval) if app.interval else 0.0
    return [f"set {name} [new Application/Telnet]", f"${name} set interval_ {mean!r}"]


def _events(network: Network) -> list[str]:
    lines = []
    for event in network.events:
        link = network.links[event.link]
        ends = f"$n{link.source} $n{link.target}"
        if event.what in ("rate", "delay"):
            word = {"rate": "bandwidth", "delay": "delay"}[event.what]
            lines.append(f'$ns at {event.at_s!r} "$ns {word} {ends} {event.value!r}"')
        else:
            lines.append(f'$ns at {event.at_s!r} "[$ns link {ends}] {event.what}"')
    failing = {event.link for event in network.events if event.what in ("up", "down")}
    for number_ in sorted(failing):
        link = network.links[number_]
        lines.append(f"[$ns link $n{link.source} $n{link.target}] dynamic")
        lines.append(f"[$ns link $n{link.source} $n{link.target}] trace-dynamics $ns $f")
    return lines
