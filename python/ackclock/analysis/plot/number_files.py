"""Files of numbers that a script wrote: traced variables of ns-2, columns such as xgraph and gnuplot read."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis.plot.figure import Column, PlotFigure, arrange
from ackclock.analysis.plot.options import Options, PlotError, View
from ackclock.analysis.plot.panel import Course, Curve, Numbers, Panel
from ackclock.analysis.plot.spread import spread
from ackclock.analysis.plot.theme import line

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: Units of ns-2's traced variables; RTTs count ticks of the sender's clock.
UNITS = {"cwnd_": "packets", "ssthresh_": "packets", "maxseq_": "packets", "ack_": "packets", "t_seqno_": "packets",
         "srtt_": "ticks", "rtt_": "ticks", "rttvar_": "ticks", "backoff_": "", "dupacks_": "packets",
         "curq_": "packets or bytes", "ave_": "packets or bytes", "prob1_": "", "queue length": "packets",
         "packets dropped so far": "packets"}  # fmt: skip

#: Variables that stand in one panel: a threshold beside its window.
_TOGETHER = {"ssthresh_": "cwnd_", "curq_": "ave_"}

#: Bytes that are read to see what a file is, and the most that are read of it.
_HEAD_BYTES = 4096
_MOST_BYTES = 1 << 30

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
#: `0.5 0 0 3 0 cwnd_ 2.0`: ns-2's manual, "Tracing TCP variables"; `time saddr sport daddr dport variable value`
_TRACED = re.compile(rf"\s*({_NUMBER})\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+([A-Za-z]\w*)\s+({_NUMBER})\s*$")
#: `Q 0.5 12`: what a RED queue traces of itself (ns-2's manual, "RED queue"): a letter for the variable, time, value
_OF_RED = re.compile(rf"([Qap])\s+({_NUMBER})\s+({_NUMBER})\s*$")
_RED_NAMES = {"Q": "curq_", "a": "ave_", "p": "prob1_"}
#: Columns of a file of `monitor-queue` (ns-2's manual, "Queue Monitoring"): what is in the queue, at the instant or as
#: the mean of an interval, then what arrived, departed and was dropped so far, in packets and in bytes.
_MONITORED = ["time", "from", "to", "size_bytes", "size_packets", "arrived_packets", "departed_packets",
              "dropped_packets", "arrived_bytes", "departed_bytes", "dropped_bytes"]  # fmt: skip
_OF_QUEUE = {"size_packets": "queue length", "dropped_packets": "packets dropped so far"}
_NUMBERS = re.compile(rf"\s*{_NUMBER}(?:[\s,;]+(?:{_NUMBER}|nan|NaN|-?inf|-))+\s*$")
_ONE = re.compile(rf"\s*{_NUMBER}\s*$")
#: What stands in a column for no value.
_NOTHING = ("-", "nan", "NaN")


@dataclass(frozen=True)
class Series:
    """Values over time: `variable` is what they are of, empty for a plain column; `name` tells it from others."""

    variable: str
    name: str
    x: Numbers
    y: Numbers


def is_columns(path: Path) -> bool:
    """Whether a file's first line of numbers is of this kind and not a packet's event."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError:
        return False
    for text in head.decode("utf-8", "replace").splitlines()[:60]:
        if _NUMBERS.match(text) or _TRACED.match(text) or _ONE.match(text) or _OF_RED.match(text):
            return True
        if re.match(r"\s*([-+rdhe]|[vVANnlLcq]) ", text) and not re.match(r"\s*[-+]?\d", text):
            return False
    return False


def read(path: str | os.PathLike[str]) -> list[Series]:
    """The series in a file, in order of appearance: of each traced variable and connection, or each column after the
    first. Comments (`#`, `%`), words of xgraph's and empty lines are passed over; what xgraph writes between quotes
    names what follows.

    `OSError` if it cannot be read, `PlotError` with file and line for other lines, and where there are no numbers.
    """
    file = Path(path)
    if file.stat().st_size > _MOST_BYTES:
        raise PlotError(f"{file}: more than 1 GB; reduce it first")
    traced: dict[tuple[str, str], tuple[list[float], list[float]]] = {}
    blocks: list[tuple[str, list[list[float]]]] = []
    heads: list[str] = []
    name, is_new = "", True
    with file.open(encoding="utf-8", errors="replace") as lines:
        for number, text in enumerate(lines, 1):
            stripped = text.strip()
            if not stripped:
                is_new = True  # gnuplot begins another curve
                continue
            if stripped[0] in "#%":
                heads = re.split(r"[\s,;]+", stripped.lstrip("#% ").strip())
                continue
            if match := _TRACED.match(stripped):
                ends = f"{match[2]}.{match[3]} to {match[4]}.{match[5]}"
                x, y = traced.setdefault((match[6], ends), ([], []))
                x.append(float(match[1]))
                y.append(float(match[7]))
                continue
            if match := _OF_RED.match(stripped):
                x, y = traced.setdefault((_RED_NAMES[match[1]], "the queue"), ([], []))
                x.append(float(match[2]))
                y.append(float(match[3]))
                continue
            words = [word for word in re.split(r"[\s,;]+", stripped) if word]
            values = [_value(word) for word in words]
            if None not in values:
                row = [value for value in values if value is not None]
                if is_new or not blocks or len(blocks[-1][1][-1]) != len(row):
                    blocks.append((name, []))
                    is_new = False
                blocks[-1][1].append(row)
                continue
            if stripped.startswith('"'):
                name, is_new = stripped.strip('"'), True
                continue
            if not blocks and not traced and number <= 60:
                heads = [] if ":" in stripped else words  # a line of names, or of xgraph's settings
                continue
            if re.match(r"(move|draw|next)\b|[A-Za-z_.]+:", stripped):
                # xgraph's: a point to move to begins a curve.
                is_new = is_new or words[0] in ("move", "next")
                values = [_value(word) for word in words[1:]]
                if words[0] in ("move", "draw") and len(values) == 2 and None not in values:
                    if is_new or not blocks:
                        blocks.append((name, []))
                        is_new = False
                    blocks[-1][1].append([value for value in values if value is not None])
                continue
            raise PlotError(f"{file}:{number}: expected numbers, as in the lines above, not {stripped[:40]!r}")
    series = [Series(variable, ends, np.array(x), np.array(y)) for (variable, ends), (x, y) in traced.items()]
    for title, rows in blocks:
        table = np.array(rows, dtype=float)
        if table.shape[1] == 1:
            series.append(Series("", title, np.arange(1.0, len(table) + 1), table[:, 0]))
            continue
        if _is_of_queue(table):
            link = f"{table[0, 1]:g} to {table[0, 2]:g}"
            for count, variable in _OF_QUEUE.items():
                series.append(Series(variable, link, table[:, 0], table[:, _MONITORED.index(count)]))
            continue
        for column in range(1, table.shape[1]):
            named = heads[column] if len(heads) == table.shape[1] else ""
            of = f"column {column + 1}" if table.shape[1] > 2 else ""
            series.append(Series("", " ".join(filter(None, (title, named or of))), table[:, 0], table[:, column]))
    if not series:
        raise PlotError(f"{file}: no numbers to plot: expected lines of a time and values, or traced variables of ns-2")
    return series


def _is_of_queue(table: Numbers) -> bool:
    """Whether rows are a queue monitor's: of one link, and counts by which no more leaves the queue than arrives."""
    if table.shape[1] != len(_MONITORED) or not np.all(table[:, 1:3] == table[0, 1:3]):
        return False
    counts = table[:, 5:]
    arrived, left = counts[:, [0, 3]], counts[:, [1, 4]] + counts[:, [2, 5]]
    return bool(np.all(counts % 1 == 0) and np.all(np.diff(counts, axis=0) >= 0) and np.all(arrived >= left))


def _value(word: str) -> float | None:
    """A number; NaN for a missing one; None for a word."""
    if word in _NOTHING:
        return math.nan
    try:
        return float(word) if re.fullmatch(_NUMBER, word) else None
    except ValueError:
        return None


def draw(
    paths: Sequence[str | os.PathLike[str]],
    *,
    labels: Sequence[str] | None = None,
    variables: Sequence[str] | None = None,
    x_label: str = "time (s)",
    y_label: str = "",
    **options: Unpack[Options],
) -> PlotFigure:
    """Files of numbers in one figure: a panel for each variable, a curve for each connection or column and file.

    - `paths`: files of ns-2's traced variables, or of columns.
    - `labels`: a name for each file; by default its name, where there are several.
    - `variables`: only these traced variables.
    - `x_label`, `y_label`: axis titles, quantity and unit.
    - `options`: the keywords of `Plots`; `flows` and `links` do not apply.

    Raises `OSError` for a file that cannot be read, `PlotError` for one that holds something else.
    """
    for name in ("flows", "links"):
        if options.get(name) is not None:
            raise PlotError(f"{name}: a file of numbers has none; they are of runs and packet traces")
    view = View.of(options)
    files = [(Path(path), read(path)) for path in paths]
    if labels is not None and len(labels) != len(files):
        raise PlotError(f"expected {len(files)} labels, one for each file, not {len(labels)}")
    given = list(labels) if labels is not None else [path.name for path, _ in files]
    panels: dict[str, list[Curve]] = {}
    known: dict[str, None] = {}
    variables_of: dict[str, dict[str, None]] = {}
    for label, (_, series) in zip(given, files, strict=True):
        for one in series:
            known[one.variable] = None
            if variables is not None and one.variable not in variables:
                continue
            place = _TOGETHER.get(one.variable, one.variable)
            place = place if any(other.variable == place for other in series) else one.variable
            curves = panels.setdefault(place, [])
            variables_of.setdefault(place, {})[one.variable] = None
            last_s = max(float(np.max(other.x)) for other in series)
            curves.append(_curve(one, _named(one, series, label, len(files), labels), len(curves), view, last_s))
    if not panels:
        listed = ", ".join(filter(None, known)) or "columns without names"
        raise PlotError(f"no variable {', '.join(variables or ())} in {files[0][0]}; it has {listed}")
    end_s = max(float(np.max(one.x)) for _, series in files for one in series)
    if view.start_s >= end_s:
        raise PlotError(f"nothing lies after start_s = {view.start_s:g}: it ends at {end_s:g} s")
    courses: list[Panel] = []
    for variable, curves in panels.items():
        unit = UNITS.get(variable, "")
        named = ", ".join(variables_of[variable])
        space = "\n" if "," in named else " "
        shown = y_label or (f"{named}{space}({unit})" if unit else named or "value")
        title = f"{variable or 'Columns'} of {', '.join(path.name for path, _ in files[:3])}"
        low = min((float(np.nanmin(one.y)) for one in curves if not np.all(np.isnan(one.y))), default=0.0)
        courses.append(spread(Course(title, shown, curves, x=x_label, from_zero=low >= 0), view, end_s))
    return arrange([Column("", courses)], view, end_s)


def _curve(one: Series, name: str, number: int, view: View, end_s: float) -> Curve:
    look = line(number)
    if one.variable and np.all(np.diff(one.x) >= 0):
        # It keeps its last value while others of the file still change.
        curve = Curve(name, np.append(one.x, end_s), np.append(one.y, one.y[-1]), "held", look)
    elif np.all(np.diff(one.x) >= 0):
        curve = Curve(name, one.x, one.y, "line", look)
    else:
        # Not over time: points, as they stand.
        return Curve(name, one.x, one.y, "marks", {"color": look["color"], "marker": ".", "markersize": 3.0})
    return curve if view.interval_s is None else curve.smoothed(view.interval_s, float(one.x[-1]))


def _named(one: Series, series: Sequence[Series], label: str, files: int, labels: Sequence[str] | None) -> str:
    """What tells a curve from the others of its panel."""
    alike = [
        other
        for other in series
        if _TOGETHER.get(other.variable, other.variable) == _TOGETHER.get(one.variable, one.variable)
    ]
    several = len({other.name for other in alike}) > 1
    variables = len({other.variable for other in alike}) > 1
    words = [one.variable if variables else "", one.name if several or (one.name and not one.variable) else ""]
    if files > 1 or labels is not None:
        words.insert(0, label)
    return " ".join(filter(None, words)) or one.name
