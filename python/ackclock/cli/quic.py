"""`ackclock quic`: a QUIC stack over a scenario's network."""

from __future__ import annotations

import argparse
import errno
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock.cli.print_error import print_error, show, show_json

if TYPE_CHECKING:
    from ackclock.execution.quic import Course, Transfer
    from ackclock.scenario import Scenario

_EXAMPLES = """\
examples:
  ackclock quic quinn net.toml --from right1 --to left1
  ackclock quic quinn net.toml --from right1 --to left1 --size '10 MB' --cc new_reno --out results
  ackclock quic noq net.toml --from left1 --to right1 --upload --pcapng out.pcapng

Both ends of the stack run in virtual time, with its own congestion control; the scenario's flows compete. The same
command gives the same bytes. Stacks: quinn and noq, and quiche where it is built in (docs/guide/library.md). They are
in a program of their own, ackclock-quic. In a checkout:

  cargo build --release --manifest-path crates/quic/Cargo.toml
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.epilog = _EXAMPLES
    parser.add_argument("stack", metavar="STACK", help="a QUIC stack, such as quinn")
    parser.add_argument("scenario", type=Path, metavar="SCENARIO.toml", help="the network, and the flows that compete")
    parser.add_argument(
        "--from",
        dest="source",
        metavar="NODE",
        help="the node that sends the data (default: the first of the scenario's `external_nodes`)",
    )
    parser.add_argument(
        "--to", dest="destination", metavar="NODE", help="the node that gets the data (default: the second of them)"
    )
    parser.add_argument("--upload", action="store_true", help="the sender of the data is the client, not the server")
    parser.add_argument("--size", metavar="SIZE", help="transfer so much, such as '10 MB' (default: until the end)")
    parser.add_argument("--cc", metavar="NAME", help="the stack's congestion control (default: its own default)")
    parser.add_argument("--start", metavar="TIME", default="0 s", help="when the client connects (default: 0 s)")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="override a key of the scenario"
    )
    parser.add_argument("--seed", metavar="N", help="random seed, of the network and of the stack")
    parser.add_argument("--json", action="store_true", help="print the transfer, flows and links as JSON")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="write the tables to this folder, as `ackclock run` does"
    )
    parser.add_argument("--csv", type=Path, metavar="DIR", help="the same with CSV tables")
    parser.add_argument("--replace", action="store_true", help="replace older results in DIR")
    parser.add_argument(
        "--pcapng", type=Path, metavar="FILE.pcapng", help="capture for Wireshark at the sender, with the stack's bytes"
    )
    parser.add_argument("--program", type=Path, metavar="FILE", help="the program ackclock-quic, if it is elsewhere")


def run(options: argparse.Namespace) -> int:
    """Run it; the exit status."""
    from ackclock.execution.quic import QuicError
    from ackclock.execution.results import ResultsError
    from ackclock.execution.simulate import SimulationError
    from ackclock.scenario import ScenarioError

    try:
        return _run(options)
    except (ScenarioError, SimulationError, QuicError, ResultsError, OSError) as error:
        print_error(error)
        return 1


def _run(options: argparse.Namespace) -> int:
    from ackclock._internal.atomic_file import atomic_write
    from ackclock.cli.run import show_summary
    from ackclock.execution.quic import find_program, run_quic
    from ackclock.execution.results import may_save

    program = options.program or find_program()
    scenario = _scenario(options)
    transfer = _transfer(options, scenario)
    for folder in filter(None, (options.out, options.csv)):
        may_save(folder, options.replace)
    if options.pcapng is not None:
        if not options.pcapng.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(options.pcapng))
        with atomic_write(options.pcapng) as path:
            results, course = _located(
                options.scenario, run_quic, scenario, transfer, pcapng=Path(path), program=program
            )
    else:
        results, course = _located(options.scenario, run_quic, scenario, transfer, program=program)
    if options.out is not None:
        results.save(options.out, replace=options.replace)
    if options.csv is not None:
        results.save(options.csv, replace=options.replace, form="csv")
    if options.json:
        tables = {name: results.rows(name) for name in ("flows", "calls", "links") if name in results}
        show_json({**results.description(), "transfer": asdict(course), **tables})
        return 0
    show(f"{_told(transfer, course)}\n")
    show_summary(results)
    return 0


def _scenario(options: argparse.Namespace) -> Scenario:
    from ackclock.cli.run import settings_of
    from ackclock.scenario import ScenarioError, load
    from ackclock.scenario.formats.read import value_of

    settings: dict[str, Any] = settings_of(options.set)
    if options.seed is not None:
        settings["seed"] = value_of(options.seed)
    if (options.source is None) != (options.destination is None):
        raise ScenarioError("expected both --from and --to", key="--to" if options.source else "--from")
    if options.source == options.destination and options.source is not None:
        raise ScenarioError("the data go from one node to another", key="--to", value=options.destination)
    if options.source is not None:
        settings["external_nodes"] = [options.source, options.destination]
    try:
        return load(options.scenario, settings)
    except ScenarioError as error:
        if options.source is not None and error.key.startswith("external_nodes."):
            option = "--from" if error.key == "external_nodes.0" else "--to"
            raise ScenarioError(error.expected, key=option, value=error.value, nearest=error.nearest) from None
        raise


def _transfer(options: argparse.Namespace, scenario: Scenario) -> Transfer:
    from ackclock.execution.quic import Transfer
    from ackclock.scenario import ScenarioError
    from ackclock.scenario.resolve.network import resolve
    from ackclock.scenario.units import size_bytes, time_s

    ends = scenario.external_nodes
    if len(ends) != 2:
        known = ", ".join(resolve(scenario, to_run=False).nodes[:12])
        raise ScenarioError(
            f"expected --from NODE and --to NODE, or two external_nodes in the scenario; nodes: {known}"
        )

    def number(option: str, given: str, read: Any) -> Any:
        try:
            return read(given)
        except ScenarioError as error:
            raise ScenarioError(error.expected, key=option, value=given, nearest=error.nearest) from None

    size = None if options.size is None else number("--size", options.size, size_bytes)
    start_s = number("--start", options.start, time_s)
    source, destination = ends
    return Transfer(options.stack, source, destination, options.upload, size, options.cc, start_s)


def _located(file: Path, act: Any, *args: Any, **how: Any) -> Any:
    """Call a function; its `ScenarioError` gets the scenario's file and line."""
    from ackclock.scenario import ScenarioError
    from ackclock.scenario.formats.read import line_of

    try:
        return act(*args, **how)
    except ScenarioError as error:
        raise error.at(file, line_of(file.read_text(encoding="utf-8"), error.key)) from None


def _told(transfer: Transfer, course: Course) -> str:
    """A line about the transfer."""
    way = "upload" if transfer.upload else "download"
    parts = [f"{transfer.stack} ({course.control}), {transfer.source} -> {transfer.destination}, {way}"]
    if course.connected_s is None:
        return f"{parts[0]}: no handshake"
    parts.append(f"handshake {(course.connected_s - transfer.start_s) * 1e3:.1f} ms")
    read = f"{course.read_bytes / 1e6:.3f} MB"
    if course.received_s is not None:
        parts.append(f"{read} in {course.received_s - transfer.start_s:.3f} s")
    else:
        parts.append(f"{read} until the end")
    return ", ".join(parts)
