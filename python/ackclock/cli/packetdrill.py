"""`ackclock packetdrill`: packetdrill scripts against the simulated TCP socket."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ackclock.cli.print_error import print_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_EXAMPLES = """\
examples:
  ackclock packetdrill handshake.pkt
  ackclock packetdrill --verbose --tolerance_usecs=10000 fast_retransmit.pkt
  ackclock packetdrill gtests/net/tcp

Time is virtual: a script of minutes takes milliseconds. One script prints nothing if it passes, and otherwise the first
packet, result or assertion that differs. Several scripts, or a folder of them, print a line each. Exit status: 1 if a
script differs or cannot be read.
"""

#: packetdrill's options that a simulation has, with the placeholder of the value and the help
_OPTIONS = {
    "tolerance_usecs": ("US", "how far times may differ, microseconds (default: 4000)"),
    "tolerance_percent": ("P", "the same in percent of the time since the previous event (default: 12.5)"),
    "mss": ("BYTES", "inbound packets that are longer are joined segments of this size"),
    "mtu": ("BYTES", "MTU of the interface (default: 1500)"),
    "ip_version": ("VERSION", "ipv4, ipv4-mapped-ipv6 or ipv6 (default: ipv4)"),
    "tcp_ts_tick_usecs": ("US", "check timestamps with this tick, microseconds"),
    "tick_phase_usecs": ("US", "let timers expire at ticks, as a kernel's do; the first is so long after the start"),
    "seed": ("N", "seed of what a congestion control draws, such as BBR the phase in which it begins to probe"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.epilog = _EXAMPLES
    parser.add_argument("scripts", type=Path, nargs="+", metavar="SCRIPT", help="a script, or a folder of .pkt files")
    parser.add_argument("-v", "--verbose", action="store_true", help="print all packets")
    parser.add_argument(
        "-D",
        "--define",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="what a symbol of the scripts stands for",
    )
    for name, (value, text) in _OPTIONS.items():
        parser.add_argument(f"--{name}", metavar=value, help=text.replace("%", "%%"))
    for name, text in (
        ("tcp_ts_ecr_scaled", "interpolate echoes of timestamps that no packet had"),
        ("strict_segments", "do not join segments to the size that the script shows"),
    ):
        parser.add_argument(f"--{name}", action="store_true", help=text)


def run(options: argparse.Namespace) -> int:
    """Run the scripts; the exit status."""
    given = [(name, value) for name in _OPTIONS if (value := getattr(options, name)) is not None]
    given += [(name, "") for name in ("tcp_ts_ecr_scaled", "strict_segments") if getattr(options, name)]
    definitions = []
    for definition in options.define:
        name, equals, value = definition.partition("=")
        if not (name and equals):
            print(f"ackclock: --define {definition}: expected NAME=VALUE", file=sys.stderr)
            return 2
        definitions.append((name, value))
    try:
        files = list(_files(options.scripts))
    except OSError as error:
        print_error(error)
        return 1
    is_one = len(files) == 1 and options.scripts == files
    counts = {"passes": 0, "differs": 0, "not applicable": 0, "unreadable": 0}
    for file in files:
        verdict, message, packets = _run_file(file, given, definitions)
        counts[verdict] += 1
        if options.verbose:
            for micros, is_outbound, text in packets:
                print(f"{'outbound' if is_outbound else 'inbound'} packet: {micros / 1e6:9.6f} {text}")
        if not is_one:
            print(f"{verdict:<14}  {_line(file, verdict, message)}")
        elif message:
            text = f"{file}: not applicable: {message}" if verdict == "not applicable" else message
            print(text, file=sys.stderr)
    if not is_one:
        print(", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count))
    return int(counts["differs"] + counts["unreadable"] > 0)


def _line(file: Path, verdict: str, message: str) -> str:
    """A script's line in the table; messages of differences begin with its name."""
    if verdict in ("differs", "unreadable"):
        return message.splitlines()[0]
    return f"{file}: {message}" if message else str(file)


def _files(given: list[Path]) -> Iterator[Path]:
    """The scripts, those in folders in the order of their names."""
    for path in given:
        if path.is_dir():
            found = sorted(path.rglob("*.pkt"))
            if not found:
                raise FileNotFoundError(2, "no .pkt files in this folder", str(path))
            yield from found
        else:
            yield path


def _run_file(
    file: Path, given: list[tuple[str, str]], definitions: list[tuple[str, str]]
) -> tuple[str, str, list[tuple[int, bool, str]]]:
    """Verdict, message and packets of one script."""
    from ackclock._native import run_packetdrill

    try:
        text = file.read_text(encoding="utf-8", errors="replace")
        verdict, message, packets, _ = run_packetdrill(str(file), text, given, definitions)
    except OSError as error:
        return "unreadable", f"{file}: {error.strerror}", []
    except ValueError as error:
        return "unreadable", str(error), []
    return verdict, message, packets
