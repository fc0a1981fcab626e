"""`ackclock emulate`: real programs over a described network."""

from __future__ import annotations

import argparse
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock._internal.escape import escaped, tell
from ackclock.cli.print_error import print_error

if TYPE_CHECKING:
    from ackclock.emulate import Emulation
    from ackclock.emulate.signals import HeldSignals

EXAMPLES = """\
examples (Linux, as root):
  ackclock emulate net.toml --between s1 d1 --at d1 'iperf3 -s -1' --at s1 'iperf3 -c {d1} -C bbr'
  ackclock emulate net.toml --for '5 min'     # then, in another terminal: ip netns exec ackclock-s1 ping 10.77.0.2
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument(
        "scenario", type=Path, metavar="SCENARIO.toml", help="the network; its own flows run at the same time"
    )
    parser.add_argument(
        "--between",
        nargs="+",
        metavar="NODE",
        help="nodes where real packets enter and leave (default: the scenario's `external_nodes`)",
    )
    parser.add_argument("--for", dest="duration", metavar="TIME", help="how long (default: the scenario's `duration`)")
    parser.add_argument(
        "--at",
        action="append",
        nargs=2,
        default=[],
        metavar=("NODE", "COMMAND"),
        help="run a command at a node; {NODE} stands for a node's address; the last command ends the emulation",
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="override a key of the scenario"
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="write the tables to this folder, as `ackclock run` does"
    )
    parser.add_argument("--replace", action="store_true", help="replace older results in DIR")
    parser.epilog = EXAMPLES


def run(options: argparse.Namespace) -> int:
    """Run it; the exit status: that of the last program, if any was given."""
    if sys.platform != "linux":
        # Network namespaces and TUN devices are Linux's.
        tell(f"emulate: needs Linux, and this is {sys.platform}")
        return 1
    from ackclock.emulate import EmulationError
    from ackclock.execution.results import ResultsError
    from ackclock.execution.simulate import SimulationError
    from ackclock.scenario import ScenarioError

    try:
        return _run(options)
    except (ScenarioError, SimulationError, EmulationError, ResultsError, OSError) as error:
        print_error(error)
        return 1


def _run(options: argparse.Namespace) -> int:
    from ackclock.cli.run import settings_of, show_summary
    from ackclock.emulate import Emulation
    from ackclock.emulate.signals import HeldSignals
    from ackclock.execution.results import may_save
    from ackclock.scenario import ScenarioError, load

    settings: dict[str, Any] = settings_of(options.set)
    if options.between:
        settings["external_nodes"] = options.between
    if options.duration:
        settings["duration"] = options.duration
    network = Emulation(load(options.scenario, settings))
    for index, (end, _) in enumerate(options.at):
        if end not in network.namespaces:
            known = ", ".join(network.namespaces)
            raise ScenarioError(f"expected one of the external nodes: {known}", key=f"--at {index + 1}", value=end)
    if options.out is not None:
        may_save(options.out, options.replace)
    with HeldSignals() as signals, network:
        status = _programs(network, options.at, signals)
    # First what stays: after SIGHUP there may be no terminal to print to.
    if options.out is not None:
        network.results.save(options.out, replace=options.replace)
    if signals.received is not None:
        tell(f"ended by {signals.received.name}")
    seen = network.seen
    print(
        f"{seen['came_in']:.0f} packets came in, {seen['went_out']:.0f} went out, {seen['marked']:.0f} of them marked; "
        f"{seen['lost']:.0f} lost outside the simulation; 99 % at most {seen['late_99_s'] * 1e3:.2f} ms late, "
        f"the latest {seen['latest_s'] * 1e3:.2f} ms\n"
    )
    show_summary(network.results)
    return status


def _programs(network: Emulation, programs: list[list[str]], signals: HeldSignals) -> int:
    """Start the programs and wait for the end; the exit status.

    Ctrl-C is the usual end of an emulation without programs: status 0. Every other signal is 128 + its number.
    """
    last: subprocess.Popen[str] | None = None
    for end, command in programs:
        for name, namespace in network.namespaces.items():
            command = command.replace("{" + name + "}", namespace.address)
        if signals.received is None:
            last = network.start(end, shlex.split(command))
    if not programs:
        for name, namespace in network.namespaces.items():
            line = f"{name}: {namespace.address}   ip netns exec {namespace.name} COMMAND"
            print(escaped(line), file=sys.stderr)
        print(f"for {network.scenario.duration}; Ctrl-C ends it", file=sys.stderr)
    while (last is None or last.poll() is None) and signals.received is None and not network.wait(0.05):
        pass
    if signals.received is not None:
        is_usual = not programs and signals.received == signal.SIGINT
        return 0 if is_usual else 128 + signals.received
    if last is None:
        return 0
    if last.poll() is None:
        tell(f"the network's {network.scenario.duration} are over; the program is terminated")
        return 1
    network.settle()
    return last.returncode
