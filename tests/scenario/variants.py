"""Scenarios in which each control, sender, queue discipline, source of traffic and kind of loss takes part."""

from __future__ import annotations

from typing import Any

from ackclock import _native

#: Bursts beyond the bottleneck's rate.
BURSTS = {"pair": 2, "app": {"kind": "exponential", "rate": "2 Mb/s", "packet_size": "500 B", "burst": "0.2 s"}}


def scenario(flows: list[dict[str, Any]], queue: str = "drop_tail", **more: Any) -> dict[str, Any]:
    """Two pairs over a bottleneck that datagrams fill now and then, so that queues drop and senders recover."""
    bottleneck = {"rate": "1 Mb/s", "delay": "10 ms", "queue": {"kind": queue}} | more.pop("bottleneck", {})
    return {
        "duration": "6 s",
        "topology": {"kind": "dumbbell", "bottleneck": bottleneck},
        "flows": [*flows, BURSTS],
        "seed": 7,
        **more,
    }


def cases() -> dict[str, dict[str, Any]]:
    """Each control, each sender of ns-2, each queue discipline, each source of traffic, each kind of loss."""
    found = {}
    beside = {"pair": 2, "tcp": "cubic", "start_jitter": "100 ms"}
    for name, _ in _native.congestion_controls("tcp"):
        found[f"control {name}"] = scenario([{"pair": 1, "tcp": "tcp", "control": name}, beside], defaults="linux")
    for sender in ("linux", "ns3"):
        for name, _ in _native.congestion_controls(sender):
            found[f"{sender} {name}"] = scenario([{"pair": 1, "tcp": sender, "control": name}, beside])
    for name, _ in [*_native.tcp_senders(), *_native.tcp_two_way()]:
        if name not in ("xcp", "full_xcp"):
            found[f"sender {name}"] = scenario([{"pair": 1, "tcp": name}, beside])
    for name, _ in _native.queue_disciplines():
        if name not in ("ds_red_core", "ds_red_edge"):
            found[f"queue {name}"] = scenario([{"pair": 1, "tcp": "reno"}, beside], name)
    for app in ("cbr", "exponential", "pareto"):
        found[f"app {app}"] = scenario([{"pair": 1, "app": app}, beside])
    found["app telnet"] = scenario([{"pair": 1, "tcp": "reno", "app": "telnet"}, beside])
    found["app call"] = scenario([{"pair": 1, "app": "call"}, beside])
    found["app video"] = scenario([{"pair": 1, "tcp": "cubic", "app": "video"}, beside])
    web = {"pair": 1, "tcp": "cubic", "app": "requests", "arrivals": {"interval": "200 ms", "size": "12 kB"}}
    found["web"] = scenario([web, beside])
    for loss in (
        {"kind": "uniform", "rate": 0.02},
        {"kind": "two_state", "good": 50, "bad": 2},
        {"kind": "gilbert_elliott", "p": 0.02, "r": 0.3},
    ):
        found[f"loss {loss['kind']}"] = scenario([{"pair": 1, "tcp": "sack"}, beside], bottleneck={"loss": loss})
    return found
