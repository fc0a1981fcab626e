"""`ackclock run`: a scenario from the command line."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock._internal.escape import tell
from ackclock.cli.limit_options import add_limits
from ackclock.cli.print_error import print_error, show, show_json
from ackclock.cli.progress import RunProgress
from ackclock.cli.tables import show_table
from ackclock.execution.shown import (
    calls,
    flows,
    links,
    totals_of_calls,
    totals_of_flows,
    totals_of_links,
    totals_of_videos,
    videos,
)

if TYPE_CHECKING:
    from ackclock.execution.limits import Limits
    from ackclock.execution.results import Results
    from ackclock.scenario.resolve.network import Network


EXAMPLES = """\
examples:
  ackclock run net.toml
  ackclock run net.toml --set flows.0.tcp=vegas --seed 7 --out results
  ackclock run net.toml --trace out.tr --pcapng out.pcapng --set 'record.capture=["left1"]'
  ackclock run net.toml --qlog qlogs --set 'record.qlog=["left1-right1"]'
  ackclock run results --trace out.tr
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument(
        "scenario",
        type=Path,
        metavar="SCENARIO.toml",
        help="a scenario file (`ackclock init` writes one), or a folder of `--out`, to repeat its run",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="override a key of the scenario: flows.0.tcp=vegas",
    )
    parser.add_argument("--seed", metavar="N", help="random seed; ns2:N for ns-2's random numbers of seed N")
    parser.add_argument("--json", action="store_true", help="print flows and links as JSON")
    parser.add_argument(
        "--allow-code",
        action="store_true",
        help="for a folder of `--out`: allow it to import Python code; read that code first",
    )
    about = "limits (a run that exceeds one is stopped and leaves no output)"
    add_limits(parser, lambda options: str(options.scenario), text=about)
    tables = parser.add_argument_group("tables (flows, links, time series, and what the scenario records)")
    tables.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="write Parquet tables and run.json to this folder; `ackclock.open` reads it",
    )
    tables.add_argument("--csv", type=Path, metavar="DIR", help="the same with CSV tables")
    tables.add_argument("--replace", action="store_true", help="replace older results in DIR")
    packets = parser.add_argument_group("packet traces (a file appears when the run is complete)")
    packets.add_argument("--trace", type=Path, metavar="FILE.tr", help="ns-2 packet trace")
    packets.add_argument("--nam", type=Path, metavar="FILE.nam", help="nam animation trace")
    packets.add_argument(
        "--pcapng", type=Path, metavar="FILE.pcapng", help="packet capture for Wireshark, at the sources of the flows"
    )
    packets.add_argument(
        "--qlog",
        type=Path,
        metavar="DIR",
        help="qlog of each flow of today's TCP, for qvis: packets, ACKs, losses, windows, RTTs and states",
    )
    parser.epilog = EXAMPLES


def run(options: argparse.Namespace) -> int:
    """Run the scenario; the exit status."""
    from ackclock.execution.results import ResultsError
    from ackclock.execution.simulate import SimulationError
    from ackclock.scenario import ScenarioError

    try:
        return _run(options, options.limits)
    except (ScenarioError, ResultsError, SimulationError, OSError) as error:
        if isinstance(error, SimulationError) and error.__cause__ is not None:
            import traceback

            traceback.print_exception(error.__cause__)  # of the user's own code
        print_error(error)
        return 1


def _run(options: argparse.Namespace, limits: Limits) -> int:
    from ackclock.execution.results import may_save
    from ackclock.execution.simulate import run_network
    from ackclock.scenario.formats.read import value_of

    settings = settings_of(options.set)
    if options.seed is not None:
        settings["seed"] = value_of(options.seed)
    networks = [_described(options.scenario, settings, allow_code=options.allow_code)]
    for folder in filter(None, (options.out, options.csv)):
        may_save(folder, options.replace)
    progress = RunProgress(str(options.scenario)) if sys.stderr.isatty() else None
    try:
        results = run_network(
            networks.pop(),  # freed there, once the simulation is set up
            trace=options.trace,
            nam=options.nam,
            pcapng=options.pcapng,
            qlog=options.qlog,
            progress=progress,
            events_at_one_time=limits.events_at_one_time,
            # Of thousands of flows the series are most of the memory.
            series=options.out is not None or options.csv is not None,
        )
    finally:
        if progress is not None:
            progress.clear()
    if options.out is not None:
        results.save(options.out, replace=options.replace)
    if options.csv is not None:
        results.save(options.csv, replace=options.replace, form="csv")
    if options.json:
        tables = {name: results.rows(name) for name in ("flows", "calls", "videos", "links") if name in results}
        show_json({**results.description(), **tables})
    else:
        show_summary(results)
        for note in results.notes:
            tell(note)
        if results.own_code:
            print()
        for code in results.own_code:
            show(f"own code  {code['class']}  sha256 {code['source_sha256']}")
    return 0


def _described(path: Path, settings: dict[str, Any], *, allow_code: bool) -> Network:
    """The network of a file, or of a folder of saved results, whose code is imported only where that is allowed.

    It is said where that code has changed since.
    """
    from ackclock.execution.results import RUN_FILE, open_results
    from ackclock.execution.simulate import network_to_run
    from ackclock.scenario.formats.read import load, network_of_file, put

    if not (path / RUN_FILE).is_file():
        return network_of_file(path, settings) or network_to_run(load(path, settings))
    from ackclock.scenario.model.scenario import Scenario
    from ackclock.scenario.resolve.plugins import import_own, own_code

    results = open_results(path, allow_code=allow_code)
    table = results.scenario.table()
    for key, value in settings.items():
        put(table, key, value)
    scenario = Scenario.of(table)
    import_own(scenario, Path.cwd())
    stored = {code["class"]: code["source_sha256"] for code in results.own_code}
    for code in own_code(scenario):
        if stored.get(code["class"], code["source_sha256"]) != code["source_sha256"]:
            print(f"ackclock: {code['class']}: its source has changed since {path} was run", file=sys.stderr)
    return network_to_run(scenario)


def settings_of(words: list[str]) -> dict[str, Any]:
    """What `--set` says: values by their keys. `ScenarioError` for what is not KEY=VALUE."""
    from ackclock.scenario import ScenarioError
    from ackclock.scenario.formats.read import value_of

    settings: dict[str, Any] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or not key:
            raise ScenarioError("expected KEY=VALUE, such as flows.0.tcp=vegas", key="--set", value=word)
        if any("\ud800" <= letter <= "\udfff" for letter in word):
            raise ScenarioError("expected text in UTF-8", key="--set", value=word)
        settings[key.strip()] = value_of(text.strip())
    return settings


#: Tables of more rows than `MANY` are printed as a line of totals and their first rows.
MANY, FIRST = 100, 20


def show_summary(results: Results) -> None:
    """Print flows and busy links as two tables for people; of many, totals and the first ones."""
    parts = [(flows(results), totals_of_flows), (links(results), totals_of_links)]
    for name, show_them, totals_of_them in (
        ("calls", calls, totals_of_calls),
        ("videos", videos, totals_of_videos),
    ):
        if name in results:
            parts.insert(-1, (show_them(results), totals_of_them))
    for number, (shown, totals) in enumerate(parts):
        if number:
            print()
        if len(shown.rows) <= MANY:
            show_table(shown.head, shown.rows, least=shown.least)
            continue
        show(f"{totals(results)}\n")
        show_table(shown.head, shown.rows[:FIRST], least=shown.least)
        show(f"and {len(shown.rows) - FIRST:,} more; --out DIR or --csv DIR writes all")
