"""`ackclock run`: a scenario from the command line."""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock.cli.complain import complain
from ackclock.limits import OPTIONS, given, watched

if TYPE_CHECKING:
    from ackclock.limits import Limits
    from ackclock.results import Results

#: Seconds before progress is shown, and between two looks at it.
PATIENCE_S = 1.0
EVERY_S = 0.2


EXAMPLES = """\
examples:
  ackclock run net.toml
  ackclock run net.toml --set flows.0.tcp=vegas --seed 7 --out results
  ackclock run net.toml --trace out.tr --pcapng out.pcapng --set 'record.capture=["left1"]'
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument(
        "scenario", type=Path, metavar="SCENARIO.toml", help="the description (`ackclock init` writes one)"
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="a key counts so instead: flows.0.tcp=vegas"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="seed of the random numbers")
    parser.add_argument("--json", action="store_true", help="print flows and links as JSON")
    bounds = parser.add_argument_group("limits: a run that takes more is stopped, and leaves nothing")
    for option, (what, meaning) in OPTIONS.items():
        bounds.add_argument(option, metavar=what, help=meaning)
    tables = parser.add_argument_group("tables: flows, links, series and what the scenario's `record` asks for")
    tables.add_argument(
        "--out", type=Path, metavar="DIR", help="a folder of Parquet and run.json, which Python opens again"
    )
    tables.add_argument("--csv", type=Path, metavar="DIR", help="the same folder with the tables as CSV")
    tables.add_argument("--replace", action="store_true", help="where DIR holds older results, replace them")
    packets = parser.add_argument_group("packets, as they pass; each file gets its name when the run is over")
    packets.add_argument("--trace", type=Path, metavar="FILE.tr", help="ns-2's packet trace")
    packets.add_argument("--nam", type=Path, metavar="FILE.nam", help="nam's animation")
    packets.add_argument(
        "--pcapng", type=Path, metavar="FILE.pcapng", help="a capture for Wireshark, at the nodes that flows start from"
    )
    parser.epilog = EXAMPLES


def run(options: argparse.Namespace) -> int:
    """Run the scenario; the exit status."""
    from ackclock.results import ResultsError
    from ackclock.scenario import ScenarioError
    from ackclock.simulate import SimulationError

    try:
        limits = given({option: getattr(options, option[2:].replace("-", "_")) for option in OPTIONS})
    except ValueError as error:
        print(f"ackclock: {error}", file=sys.stderr)
        return 2
    status = 1

    def go() -> None:
        nonlocal status
        status = _run(options, limits)

    try:
        limits.impose()
        reason = watched(limits, go)
        if reason is not None:
            print(f"ackclock: {options.scenario}: stopped: {reason}", file=sys.stderr)
            return 1
        return status
    except (ScenarioError, ResultsError, SimulationError, OSError) as error:
        if isinstance(error, SimulationError) and error.__cause__ is not None:
            traceback.print_exception(error.__cause__)  # of the user's own code
        complain(error)
        return 1


def _run(options: argparse.Namespace, limits: Limits) -> int:
    from ackclock.results import may_save
    from ackclock.scenario import load
    from ackclock.simulate import run as simulate

    settings = settings_of(options.set)
    if options.seed is not None:
        settings["seed"] = options.seed
    scenario = load(options.scenario, settings)
    for folder in filter(None, (options.out, options.csv)):
        may_save(folder, options.replace)
    progress = Progress(str(options.scenario)) if sys.stderr.isatty() else None
    try:
        results = simulate(
            scenario,
            trace=options.trace,
            nam=options.nam,
            pcapng=options.pcapng,
            progress=progress,
            events_at_one_time=limits.events_at_one_time,
        )
    finally:
        if progress is not None:
            progress.clear()
    if options.out is not None:
        results.save(options.out, replace=options.replace)
    if options.csv is not None:
        results.save(options.csv, replace=options.replace, form="csv")
    if options.json:
        tables = {name: results.rows(name) for name in ("flows", "links")}
        print(json.dumps({**results.description(), **tables}, ensure_ascii=False))
    else:
        print(summary(results))
        if results.own_code:
            print()
        for code in results.own_code:
            print(f"own code  {code['class']}  sha256 {code['source_sha256']}")
    return 0


def settings_of(words: list[str]) -> dict[str, Any]:
    """What `--set` says: values by their keys. `ScenarioError` for what is not KEY=VALUE."""
    from ackclock.scenario import ScenarioError
    from ackclock.scenario.read import value_of

    settings: dict[str, Any] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or not key:
            raise ScenarioError("expected KEY=VALUE, such as flows.0.tcp=vegas", key="--set", value=word)
        settings[key.strip()] = value_of(text.strip())
    return settings


class Progress:
    """A line on stderr with the simulated time and the time left, for runs that take a while."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.began = time.monotonic()
        self.shown = 0.0

    def __call__(self, now_s: float, duration_s: float) -> None:
        """The simulation has come to `now_s`."""
        clock = time.monotonic()
        lasted = clock - self.began
        if lasted < PATIENCE_S or clock - self.shown < EVERY_S:
            return
        self.shown = clock
        left = f", {lasted * (duration_s - now_s) / now_s:.0f} s left" if now_s > 0 else ""
        print(
            f"\r\x1b[K{self.what}: {now_s:.1f} of {duration_s:g} s simulated{left}", end="", file=sys.stderr, flush=True
        )

    def clear(self) -> None:
        """Take the line away."""
        if self.shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def summary(results: Results) -> str:
    """Flows and busy links as two tables for people."""
    flows = [
        (
            results.names["flows"][row["flow"] - 1],
            _shown(row["goodput_bps"], 1e6, 3),
            str(row["sent_packets"]),
            str(row["dropped_packets"]),
            "" if row["retransmitted_packets"] is None else str(row["retransmitted_packets"]),
            "" if row["timeouts"] is None else str(row["timeouts"]),
            _shown(row["delay_mean_s"], 1e-3, 2),
            _shown(row["completion_s"], 1.0, 3),
        )
        for row in results.rows("flows")
    ]
    links = [
        (
            results.names["links"][row["link"]],
            _shown(row["utilisation"], 0.01, 1),
            str(row["arrived_packets"]),
            str(row["dropped_packets"]),
            str(row["lost_packets"]),
            str(row["marked_packets"]),
            _shown(row["queue_mean_packets"], 1.0, 2),
            _shown(row["queueing_delay_mean_s"], 1e-3, 2),
        )
        for row in results.rows("links")
        if row["offered_packets"]
    ]
    head = ("flow", "goodput Mb/s", "sent", "dropped", "again", "timeouts", "delay ms", "complete s")
    also = ("link", "used %", "arrived", "dropped", "lost", "marked", "queue", "wait ms")
    return f"{_table([head, *flows])}\n\n{_table([also, *links])}"


def _shown(value: float | None, unit: float, digits: int) -> str:
    return "" if value is None else f"{value / unit:.{digits}f}"


def _table(rows: list[tuple[str, ...]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
