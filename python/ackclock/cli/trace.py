"""`ackclock trace`: numbers from trace files, and trace files in other formats."""

from __future__ import annotations

import argparse
import os
import sys
import warnings

from ackclock._internal.escape import escaped, tell
from ackclock.cli.limit_options import OF_READING, add_limits
from ackclock.cli.print_error import print_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from ackclock.trace import Table, Trace

#: Columns that name one end: joined to node.port where people read.
ENDS = ("source", "destination")

EXAMPLES = """\
examples:
  ackclock trace stats out.tr
  ackclock trace stats out.tr.gz --kind tcp --start 5 --of flows --format csv
  ackclock trace series out.tr --what queue --interval 0.1 --out queue.parquet
  ackclock trace throughput out.tr 4 0.0 4.0 0.5
  ackclock trace convert out.tr out.pcapng --at-node 0

docs/trace-tools.md defines each metric.
"""


def add_arguments(trace: argparse.ArgumentParser) -> None:
    """What `trace` can do, and what each takes."""
    trace.epilog = EXAMPLES
    verbs = trace.add_subparsers(dest="verb", metavar="VERB", required=True, prog="ackclock trace")

    stats = _verb(verbs, "stats", "throughput, delay, jitter, drops and loss of each flow and each link")
    stats.add_argument("--of", choices=("flows", "links"), help="only this table (default: both)")
    _add_filters(stats)
    _add_output(stats)

    series = _verb(verbs, "series", "a metric over time")
    series.add_argument("--what", required=True, choices=("throughput", "queue", "delay", "loss"), help="the metric")
    series.add_argument("--interval", type=_seconds, default=1.0, metavar="S", help="interval in seconds (default: 1)")
    _add_filters(series)
    _add_output(series)

    throughput = _verb(verbs, "throughput", "throughput in Mbit/s by interval, as the common awk script prints it")
    throughput.add_argument("node", type=int, metavar="DESTINATION_NODE", help="the node that receives, such as 4")
    throughput.add_argument("source", metavar="SOURCE_NODE.PORT", help="sender, such as 0.0")
    throughput.add_argument("destination", metavar="DESTINATION_NODE.PORT", help="receiver, such as 4.0")
    throughput.add_argument(
        "granularity", type=_seconds, nargs="?", default=1.0, metavar="GRANULARITY", help="seconds (default: 1)"
    )
    throughput.add_argument("--kind", type=_word, default="tcp", metavar="WORD", help="packet type (default: tcp)")

    convert = _verb(verbs, "convert", "packets as CSV, Parquet or a capture for Wireshark")
    convert.add_argument("output", metavar="OUTPUT", help="a name that ends in .csv, .parquet or .pcapng")
    place = convert.add_mutually_exclusive_group()
    place.add_argument("--at-node", type=int, metavar="N", help="for .pcapng: capture at this node")
    place.add_argument(
        "--at-link",
        type=_link,
        metavar="A-B",
        help="for .pcapng: capture on this link, both directions (default: at the senders)",
    )
    _add_filters(convert)


def _verb(verbs: argparse._SubParsersAction[argparse.ArgumentParser], name: str, text: str) -> argparse.ArgumentParser:
    verb = verbs.add_parser(name, help=text, description=text)
    verb.add_argument("file", metavar="FILE", help="a .tr or .nam file, plain or gzipped")
    verb.add_argument("--partial", action="store_true", help="read a damaged file up to the damage")
    add_limits(verb, lambda options: str(options.file), OF_READING)
    return verb


def _add_filters(parser: argparse.ArgumentParser) -> None:
    filters = parser.add_argument_group("packet filters")
    filters.add_argument("--flow", type=int, metavar="ID", help="only this flow id")
    filters.add_argument("--kind", type=_word, metavar="WORD", help="only this packet type, such as tcp, ack, cbr")
    filters.add_argument("--node", type=int, metavar="N", help="only flows from or to this node, and its links")
    filters.add_argument("--start", type=float, metavar="S", help="start time, seconds")
    filters.add_argument("--end", type=float, metavar="S", help="end time, seconds")


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("table", "csv", "parquet"), help="output format (default: table)")
    parser.add_argument("--out", metavar="OUTPUT", help="write to this file; .csv and .parquet set the format")


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"a positive number of seconds, not {text}")
    return value


def _word(text: str) -> str:
    if escaped(text) != text:
        raise argparse.ArgumentTypeError(f"a packet type of a trace, such as tcp, not {escaped(text)}")
    return text


def _link(text: str) -> tuple[int, int]:
    left, _, right = text.partition("-")
    if not (left.isdecimal() and right.isdecimal()):
        raise argparse.ArgumentTypeError(f"a link is two nodes, such as 2-3, not {text!r}")
    return int(left), int(right)


def run(options: argparse.Namespace) -> int:
    """Do what was asked; the exit status."""
    from ackclock.trace import TraceError, read

    verb = {"stats": _stats, "series": _series, "throughput": _throughput, "convert": _convert}[options.verb]
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            return verb(options, read(options.file, partial=options.partial))
    except BrokenPipeError:
        raise
    except (TraceError, OSError, ValueError) as error:
        print_error(error)
        return 1


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    tell(str(message))


def _stats(options: argparse.Namespace, trace: Trace) -> int:
    form = _form(options)
    if form != "table" and options.of is None:
        raise ValueError("CSV and Parquet hold one table: --of flows or --of links")
    stats = trace.stats(**_filters(options))
    tables = {"flows": stats.flows, "links": stats.links}
    if options.of is not None:
        _write(tables[options.of], form, options.out)
        return 0
    note = f", {stats.other_lines} lines of other kinds" if stats.other_lines else ""
    parts = [f"{name}:\n{aligned(table)}" for name, table in tables.items()]
    _put("\n".join([*parts, f"{stats.packet_lines} packet events{note}\n"]), options.out)
    return 0


def _series(options: argparse.Namespace, trace: Trace) -> int:
    form = _form(options)
    _write(trace.series(options.what, options.interval, **_filters(options)), form, options.out)
    return 0


def _throughput(options: argparse.Namespace, trace: Trace) -> int:
    text, mean = trace.throughput(
        options.node, options.source, options.destination, options.granularity, kind=options.kind
    )
    sys.stdout.write(text)
    sys.stdout.flush()
    print(f"Avg throughput {options.source} - {options.destination} = {mean:.15g} Mbit/s", file=sys.stderr)
    return 0


def _convert(options: argparse.Namespace, trace: Trace) -> int:
    trace.write(options.output, at_node=options.at_node, at_link=options.at_link, **_filters(options))
    return 0


def _filters(options: argparse.Namespace) -> dict[str, Any]:
    return {
        "flow": options.flow,
        "kind": options.kind,
        "node": options.node,
        "start_s": options.start,
        "end_s": options.end,
    }


def _form(options: argparse.Namespace) -> str:
    """The format asked for, or told by the file's name."""
    ending = os.path.splitext(options.out)[1].removeprefix(".") if options.out else ""
    form: str = options.format or (ending if ending in ("csv", "parquet") else "table")
    if form == "parquet" and options.out is None:
        raise ValueError("Parquet goes to a file: --out NAME.parquet")
    return form


def _put(text: str, path: str | None) -> None:
    """Text to a file, or to stdout where there is none."""
    if path is None:
        sys.stdout.write(text)
        return
    from ackclock._internal.atomic_file import atomic_write

    with atomic_write(path) as name, open(name, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def _write(table: Table, form: str, path: str | None) -> None:
    if form == "table":
        _put(aligned(table), path)
    elif path is None:
        _put(table.csv(), None)
    else:
        from ackclock._internal.atomic_file import atomic_write

        with atomic_write(path) as name:
            (table.write_csv if form == "csv" else table.write_parquet)(name)


#: columns of a line that most terminals show
WIDTH = 120


def aligned(table: Table) -> str:
    """A table for people: numbers to the right in six digits, an end as node.port, - for what is missing.

    One that is wider than a line has its rows beside each other, as many as a line holds, and then the next.
    """
    names = table.column_names()
    columns: dict[str, Sequence[object]] = {name: table.column(name) for name in names}
    for end in ENDS:
        if f"{end}_node" in columns:
            parts = (columns[f"{end}_node"], columns[f"{end}_port"])
            columns = {
                end if name == f"{end}_node" else name: values
                for name, values in columns.items()
                if name != f"{end}_port"
            }
            columns[end] = [f"{node}.{port}" for node, port in zip(*parts, strict=True)]
    shown = [[name, *map(_shown, values)] for name, values in columns.items()]
    rows = list(zip(*shown, strict=True))
    if sum(max(map(len, column)) + 2 for column in shown) - 2 <= WIDTH:
        return _lines(_side_by_side(rows))
    names_of, *rest = rows
    if not rest:
        return "no rows\n"
    each = 2 + max(len(cell) for row in rest for cell in row)
    count = max(1, (WIDTH - max(map(len, names_of))) // each)
    groups = [rest[first : first + count] for first in range(0, len(rest), count)]
    return "\n".join(_lines(_side_by_side(list(zip(names_of, *group, strict=True)), left=True)) for group in groups)


def _side_by_side(rows: Sequence[Sequence[str]], *, left: bool = False) -> Iterable[str]:
    """Lines of cells, each column as wide as its widest; the first one to the left if wanted, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        head = first.ljust(widths[0]) if left else first.rjust(widths[0])
        yield "  ".join([head, *(cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))]).rstrip()


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _shown(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else escaped(value)
