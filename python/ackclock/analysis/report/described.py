"""What a report is about, and the descriptions of its runs as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ackclock.analysis.report.page import Column, Table
from ackclock.execution.results import Results
from ackclock.scenario.resolve.network import resolve


@dataclass(frozen=True)
class Reported:
    """A run, its name in the report, and its folder if it is saved."""

    label: str
    results: Results
    folder: Path | None = None


def settings(runs: Sequence[Reported]) -> Table:
    """The settings of each run besides its network and flows, and the version that ran it."""
    found = []
    for run in runs:
        scenario = run.results.scenario
        found.append(
            {
                "network": scenario.topology.kind.replace("_", " "),
                "duration": scenario.duration,
                "default set": scenario.defaults,
                "seed": "none: as ns-2 begins" if scenario.seed is None else str(scenario.seed),
                "tables": ", ".join(name.replace("_", " ") for name in run.results.tables),
                "run by": f"ackclock {run.results.version}",
            }
        )
    rows = [[key, *(one[key] for one in found)] for key in found[0]]
    heads = ["value"] if len(runs) == 1 else [run.label for run in runs]
    return Table("How it was run", [Column("setting"), *map(Column, heads)], rows)


def differences(runs: Sequence[Reported]) -> Table:
    """The keys in which the descriptions differ, and what each run has there."""
    flat = [_flat(run.results.scenario.table(), "") for run in runs]
    keys = [key for key in dict.fromkeys(key for one in flat for key in one) if key != "name"]
    rows = [[key, *(one.get(key, "") for one in flat)] for key in keys if len({one.get(key) for one in flat}) > 1]
    return Table("Differences between the runs", [Column("key"), *(Column(run.label) for run in runs)], rows)


def _flat(value: Any, path: str) -> dict[str, str]:
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        items = {str(number): item for number, item in enumerate(value)}.items()
    else:
        return {path: ", ".join(map(str, value)) if isinstance(value, list) else str(value)}
    return {key: text for name, part in items for key, text in _flat(part, f"{path}.{name}".lstrip(".")).items()}


def links_described(results: Results) -> Table:
    """Rate, delay, queue and losses of each link, both directions in one row where they are alike."""
    links = resolve(results.scenario, to_run=False).links
    nodes = results.nodes
    texts = []
    for link in links:
        limit = link.parameters.get("limit")
        texts.append(
            [
                f"{link.rate_bps / 1e6:g}",
                f"{link.delay_s * 1e3:g}",
                link.queue.name,
                "" if limit is None else f"{limit:g}",
                ", ".join(one.loss.kind for one in link.losses),
            ]
        )
    number = {(link.source, link.target): place for place, link in enumerate(links)}
    rows = []
    for place, link in enumerate(links):
        back = number.get((link.target, link.source))
        alike = back is not None and texts[back] == texts[place]
        if alike and back is not None and back < place:
            continue
        rows.append([f"{nodes[link.source]} {'↔' if alike else '→'} {nodes[link.target]}", *texts[place]])
    columns = [
        Column("link", name=True),
        Column("rate", "Mb/s", number=True),
        Column("delay", "ms", number=True),
        Column("queue"),
        Column("limit", "packets, if given", number=True),
        Column("losses"),
    ]
    return Table("Links", columns, rows)


def flows_described(results: Results) -> Table:
    """Source, destination, variant and times of each flow."""
    network = resolve(results.scenario, to_run=False)
    rows = []
    for flow in network.flows:
        window, packet = flow.parameters.get("window"), flow.parameters.get("packet_size")
        spans = [f"{start_s:g} to {'the end' if stop_s is None else f'{stop_s:g}'}" for start_s, stop_s in flow.spans_s]
        variant = flow.sender + (f" ({flow.control})" if flow.control else "")
        fed = flow.app.table()
        source = " ".join([fed.pop("kind", ""), *(f"{name} {value}," for name, value in fed.items())]).rstrip(",")
        rows.append(
            [
                flow.name,
                f"{network.nodes[flow.source]} → {network.nodes[flow.destination]}",
                variant,
                flow.receiver,
                source.strip(),
                "" if window is None or not flow.is_tcp else f"{window:g}",
                "" if packet is None else f"{packet:g}",
                "; ".join(spans),
            ]
        )
    columns = [
        Column("flow", name=True),
        Column("way", name=True),
        Column("sender"),
        Column("receiver"),
        Column("source"),
        Column("receiver's window", "packets", number=True),
        Column("packet", "bytes", number=True),
        Column("fed", "s"),
    ]
    return Table("Flows of the scenario", columns, rows)
