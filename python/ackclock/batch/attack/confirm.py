"""Runs a witness in real time, with the kernel's own congestion control in place of the simulated one.

The network stays ackclock's: `ackclock emulate` passes the kernel's packets through it. The columns that a property's
figure is computed from are measured at the kernel's sockets and at the bottleneck, so the figure is the same one.
"""

from __future__ import annotations

import copy
import json
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from ackclock.batch.attack.properties import PROPERTIES, TRANSFER_BYTES
from ackclock.batch.attack.space import BOTTLENECK, Table, rounded
from ackclock.batch.attack.witness import Witness, shown
from ackclock.scenario import Scenario
from ackclock.scenario.units import rate_bps, size_bytes, time_s

CONTROLS = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
#: Simulated time before the witness begins, for the programs to start, s.
LEAD_S = 4.0
#: What one core can carry (docs/guide/emulate.md), bit/s.
MOST_BPS = 50e6
#: Later than this, and the machine was too busy to say anything, s.
MOST_LATE_S = 0.005
#: Sockets' buffers, bytes: windows shall be the path's.
BUFFERS = "4096 4194304 67108864"
PORT = 5001


class ConfirmError(Exception):
    """A witness that cannot be run with the kernel's control, or not here."""


@dataclass(frozen=True)
class Confirmation:
    """What the kernel's control did in a witness's network. `late_s`: how late an event was handled at most."""

    control: str
    kernel: str
    figure: float | None
    fails: bool
    late_s: float

    @property
    def text(self) -> str:
        """A sentence."""
        said = f"Linux {self.kernel}'s {self.control} in real time: {shown(self.figure)}, "
        said += "which fails, too." if self.fails else "which keeps the bound."
        if self.late_s > MOST_LATE_S:
            said += f" Events were up to {1000 * self.late_s:.0f} ms late: repeat this on an idle machine."
        return said


class _Columns(dict[str, list[Any]]):
    """Columns of a table, as far as they were measured."""

    def column(self, name: str) -> list[Any]:
        """The values of a column."""
        return self[name]


@dataclass(frozen=True)
class RealRun:
    """What a property's figure reads of a run, measured in real time."""

    scenario: Scenario
    names: Mapping[str, Sequence[str]]
    tables: Mapping[str, Any]


def kernels_name(control: str) -> str:
    """The kernel's name of a control of ackclock's. `ConfirmError` if this kernel does not have it."""
    name = control.partition(":")[2] if control.startswith("kernel:") else control
    name = name.rpartition("/")[2].removeprefix("linux_")
    if not CONTROLS.exists():
        raise ConfirmError("only Linux's congestion controls can confirm a witness")
    known = CONTROLS.read_text(encoding="ascii").split()
    if name not in known:
        raise ConfirmError(
            f"this kernel has no congestion control {name}: it has {', '.join(known)} (modprobe tcp_{name})"
        )
    return name


def check(control: str) -> None:
    """Raises `ConfirmError` where this machine can confirm no witness of a control."""
    from ackclock.emulate.namespaces import missing

    kernels_name(control)
    if (lacks := missing()) is not None:
        raise ConfirmError(lacks)


def confirm(witness: Witness, sysctls: Mapping[str, str] | None = None) -> Confirmation:
    """Run a witness's network in real time with the kernel's control as the subject, and as the peer if it has it.

    `sysctls` are settings of the kernel at the flows' ends, by name (`net.ipv4.tcp_frto`).

    Raises `ConfirmError` for a crash, a property that is an expression, jitter of one flow alone, a control that the
    kernel does not have, and a rate of more than 50 Mb/s; `NamespaceError` where namespaces cannot be made. Linux,
    as root.
    """
    from ackclock.emulate import Emulation

    asked = witness.asked
    if witness.crash is not None:
        raise ConfirmError("a crash of the simulated control is nothing that the kernel's can do")
    if PROPERTIES.get(asked.name) is None or PROPERTIES[asked.name].figure is not asked.figure:
        raise ConfirmError(f"expected one of {', '.join(PROPERTIES)}: an expression's columns are not measured")
    if "own_jitter" in witness.candidate.features:
        raise ConfirmError("own_jitter delays one of the flows, and the kernel's packets are not told apart by flow")
    senders = {flow["name"]: kernels_name(witness.subject) for flow in witness.table["flows"] if _is_subject(flow)}
    for flow in witness.table["flows"]:
        if flow["name"] == "peer":
            senders["peer"] = kernels_name(str(flow.get("control", flow.get("tcp"))))
    table = _table(witness.table, senders)
    fastest_bps = max(rate_bps(rate) for rate in _rates(table))
    if fastest_bps > MOST_BPS:
        raise ConfirmError(
            f"the bottleneck has {fastest_bps / 1e6:g} Mb/s; in real time it may have {MOST_BPS / 1e6:g}"
        )
    with tempfile.TemporaryDirectory() as folder, Emulation(Scenario.of(table)) as network:
        flows = [flow for flow in witness.table["flows"] if flow["name"] in senders]
        programs = _start(network, flows, senders, witness.candidate.duration_s, Path(folder), sysctls or {})
        network.wait(LEAD_S + witness.candidate.duration_s + 1)
        arrivals = [_arrivals(path) for path in programs]
    measured = _measured(witness, flows, arrivals, network.results)
    figure = asked.figure(measured, witness.candidate)
    late_s = network.seen["latest_s"]
    return Confirmation(senders["subject1"], platform.release(), figure, asked.fails(figure), late_s)


def _is_subject(flow: Table) -> bool:
    return bool(flow["name"].startswith("subject"))


def _later(text: str) -> str:
    return f"{rounded(time_s(text) + LEAD_S, 6):g} s"


def _table(witness: Table, senders: Mapping[str, str]) -> Table:
    """The witness's network without the flows that the kernel sends, all of it later."""
    table = copy.deepcopy(witness)
    pairs = [flow["pair"] for flow in table["flows"] if flow["name"] in senders]
    table["external_nodes"] = [f"{side}{pair}" for pair in pairs for side in ("left", "right")]
    table["flows"] = [flow for flow in table["flows"] if flow["name"] not in senders]
    table["duration"] = f"{time_s(table['duration']) + LEAD_S + 1:g} s"
    table["record"] = {"sample": "0 s"}
    for change in table.get("changes", []):
        change["at"] = _later(change["at"])
    for flow in table["flows"]:
        for span in flow.get("spans", []):
            span.update({key: _later(at) for key, at in span.items()})
    return table


def _rates(table: Table) -> list[str]:
    changed = [change["rate"] for change in table.get("changes", []) if "rate" in change]
    return [table["topology"]["bottleneck"]["rate"], *changed]


def _start(
    network: Any,
    flows: Sequence[Table],
    senders: Mapping[str, str],
    duration_s: float,
    folder: Path,
    sysctls: Mapping[str, str],
) -> list[Path]:
    """Start a receiver and a sender a flow; the files that the receivers write."""
    from ackclock.emulate import transfer

    python = [sys.executable, "-I", "-S", transfer.__file__]
    files = []
    for flow in flows:
        left, right = f"left{flow['pair']}", f"right{flow['pair']}"
        settings = {"net.ipv4.tcp_rmem": BUFFERS, "net.ipv4.tcp_wmem": BUFFERS, **sysctls}
        words = ["sysctl", "-qw", *(f"{key}={value}" for key, value in settings.items())]
        for setting in [network.start(end, words) for end in (left, right)]:
            if setting.wait() != 0:
                raise ConfirmError(f"this kernel refuses {' '.join(words)}")
        epoch = ["--epoch", repr(network.began_s() + LEAD_S)]
        files.append(folder / flow["name"])
        out: TextIO
        with files[-1].open("w", encoding="utf-8") as out:
            network.start(right, [*python, *epoch, "receive", network.address(right), str(PORT)], stdout=out)
        words = ["send", network.address(right), str(PORT), senders[flow["name"]], str(duration_s)]
        spans = flow.get("spans") or [{"start": flow.get("start", "0 s"), "stop": f"{duration_s} s"}]
        words += ["--spans", ",".join(f"{time_s(span['start'])}-{time_s(span['stop'])}" for span in spans)]
        if "size" in flow.get("app", {}):
            words += ["--size", str(int(size_bytes(flow["app"]["size"])))]
        network.start(left, [*python, *epoch, *words], stdout=subprocess.DEVNULL)
    if time.monotonic() > network.began_s() + LEAD_S:
        raise ConfirmError(f"the programs did not start within {LEAD_S:g} s: repeat this on an idle machine")
    return files


def _arrivals(path: Path) -> list[tuple[float, int]]:
    lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    told = [json.loads(line) for line in lines if line]
    return [(line["at_s"], line["bytes"]) for line in told if "at_s" in line]


def _bytes_until(arrivals: Sequence[tuple[float, int]], at_s: float) -> int:
    return max((count for when_s, count in arrivals if when_s <= at_s), default=0)


def _measured(
    witness: Witness, flows: Sequence[Table], arrivals: Sequence[list[tuple[float, int]]], run: Any
) -> RealRun:
    """The columns, from what arrived, and from the bottleneck's row of the emulation's tables."""
    duration_s = witness.candidate.duration_s
    scenario = Scenario.of(witness.table)
    starts_s = [time_s(flow.get("start", "0 s")) for flow in flows]
    delivered = [_bytes_until(came, duration_s) for came in arrivals]
    took = [next((at_s for at_s, count in came if count >= TRANSFER_BYTES), None) for came in arrivals]
    row = run.names["links"].index(BOTTLENECK)
    links = run.tables["links"]
    offered, dropped = (links.column(name)[row] for name in ("offered_packets", "dropped_packets"))
    count = len(flows)
    table = _Columns(
        delivered_bytes=delivered,
        goodput_bps=[8 * got / (duration_s - at_s) for got, at_s in zip(delivered, starts_s, strict=True)],
        completion_s=[None if at_s is None else at_s - start for at_s, start in zip(took, starts_s, strict=True)],
        # The only waiting is the bottleneck's: what a packet's delay has beyond the least.
        delay_min_s=[0.0] * count,
        delay_p95_s=[links.column("queueing_delay_p95_s")[row]] * count,
        loss_ratio=[dropped / offered if offered else 0.0] * count,
    )
    sample_s = time_s(scenario.record.sample)
    times = [sample_s * (step + 1) for step in range(round(duration_s / sample_s) if sample_s else 0)]
    rows = [
        (at_s, flow, 8 * (_bytes_until(came, at_s) - _bytes_until(came, at_s - sample_s)) / sample_s)
        for at_s in times
        for flow, came in enumerate(arrivals, 1)
    ]
    series = _Columns(zip(("time_s", "flow", "throughput_bps"), map(list, zip(*rows, strict=True)), strict=False))
    names = {"flows": [flow["name"] for flow in flows]}
    return RealRun(scenario, names, {"flows": table, "flow_series": series})
