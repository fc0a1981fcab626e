"""A saved run as the page plays it: packets from its table or trace, curves from its tables."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ackclock import _native
from ackclock.execution.results import RUN_FILE, ResultsError, open_results
from ackclock.scenario.resolve.network import resolve
from ackclock.scenario.resolve.plugins import code_named
from ackclock.scenario.resolve.trial_engine import trial_link
from ackclock.server.errors import Refusal
from ackclock.server.files import is_regular, opened, shown
from ackclock.server.recording import NOTHING, SERIES, Recording, column, series_answer, span_of
from ackclock.server.run import Run
from ackclock.server.validate import described
from ackclock.server.worker import RESULTS, SCENARIO, TRACE
from ackclock.server.workers import Limits, Workers

#: What is followed -> the run's tables that have it, the first of them that was kept counts, and the column.
TABLES = {
    "cwnd": (("window_changes", "flow_series"), "cwnd_packets"),
    "ssthresh": (("window_changes", "flow_series"), "ssthresh_packets"),
    "rtt": (("rtt_changes", "flow_series"), "rtt_s"),
    "throughput": (("flow_series",), "throughput_bps"),
    "queue": (("queue_changes", "link_series"), "queue_packets"),
}

#: A saved run's folder has no more files: its tables, and what was exported beside them.
MOST_FILES = 200
#: These refusals are of the moment: asked again later, it may be run again.
BUSY = (429, 503)


class RunRecording(Recording):
    """The recording of a folder that `Results.save` wrote; if it kept no packets, it is run again, within `limits`."""

    def __init__(
        self,
        id: str,
        name: str,
        path: Path,
        scratch: Path | None = None,
        limits: Limits | None = None,
        workers: Workers | None = None,
    ) -> None:
        self._limits, self._workers = limits or Limits(), workers or Workers()
        super().__init__(id, name, path, scratch)

    def _open(self, rows: str) -> _native.Recording:
        try:
            with linked(self.path, Path(self._folder.name, "saved")) as folder:
                self.results = open_results(folder)
        except (ResultsError, ValueError) as error:
            raise Refusal(422, str(error).replace(os.fspath(folder), shown(self.path))) from None
        self.network = resolve(self.results.scenario, to_run=False)
        self._columns: dict[tuple[str, str], NDArray[np.float64]] = {}
        self._again: str | None = None
        if "packets" in self.results.tables:
            return _native.Recording.of_packets(self.results.tables["packets"], rows)
        trace = self.path / TRACE
        if not is_regular(trace):
            trace = self._run_again()
        self._bytes = trace.stat().st_size
        return self._open_file(trace.resolve(), rows)

    def _run_again(self) -> Path:
        """The packets that the run did not keep: the same description gives them again. `Refusal` if it does not.

        A description that names the user's own code is not run: whoever wrote the folder chose that code.
        """
        if named := code_named(self.results.scenario):
            raise Refusal(
                422,
                f"{self.name}: the run kept no packets, and running it again would import {named[0]}, which its"
                f" {RUN_FILE} names; if you trust that code: ackclock run {shlex.quote(str(self.path))} --allow-code"
                " --trace out.tr && ackclock view out.tr",
            )
        folder = Path(self._folder.name, "again")
        folder.mkdir()
        run = None
        try:
            # What a page may not ask for, a file that somebody sent may not either.
            (folder / SCENARIO).write_text(described(self.results.scenario.table()), encoding="utf-8")
            run = Run(self.id, "scenario", folder, self._limits, self._workers)
            run.begin()
            run.check()
            run.watch()
            why = run.why()
        except Refusal as refusal:
            if refusal.status in BUSY:
                raise
            why = refusal.sentence
        finally:
            if run is not None:
                run.cancel()
        if why:
            raise Refusal(422, f"{self.name}: the run kept no packets, and cannot be run again: {why}")
        self._again = (
            f"The run kept no packets, so ackclock {_native.__version__} has run its description again for them."
        )
        return folder / RESULTS / TRACE

    def kind(self) -> str:
        """What it is of."""
        return "run"

    def head(self) -> dict[str, Any]:
        """With the description, which the playground takes."""
        known = {(link.source, link.target): link for link in self.network.links}
        for number, (a, b, *_) in enumerate(self._rows.links()):
            if (a, b) in known:
                self._rows.set_link(number, known[a, b].rate_bps, known[a, b].delay_s)
        found = super().head()
        for link in found["links"]:
            link["estimated"] = False
        return {
            **found,
            "end_s": max(found["end_s"], self.network.duration_s),
            "scenario": self.results.scenario.table(),
        }

    acks_untold = "The table of packets does not say how much the ACKs of two-way TCP acknowledge."

    def series_names(self) -> list[str]:
        """What can be followed in it."""
        return [name for name in SERIES if name not in ("cwnd", "ssthresh") or self._table(name) is not None]

    def notes(self) -> list[str]:
        """What the folder does not have."""
        notes = [] if self._again is None else [self._again]
        if self.results.version != _native.__version__:
            notes.append(f"ackclock {self.results.version} made its tables; this is {_native.__version__}.")
        if "window_changes" not in self.results.tables and "flow_series" in self.results.tables:
            sample = self.results.scenario.record.sample
            notes.append(f"Windows and queues are samples, one each {sample}: Record(changes=True) keeps each change.")
        return notes

    def node_name(self, node: int) -> str:
        """As the scenario names it."""
        return self.results.nodes[node] if node < len(self.results.nodes) else str(node)

    def link_name(self, a: int, b: int) -> str:
        """By the names of its nodes, as the tables have it."""
        return f"{self.node_name(a)}->{self.node_name(b)}"

    def limit_packets(self, a: int, b: int) -> int | None:
        """As the scenario says."""
        for link in self.network.links:
            if (link.source, link.target) == (a, b) and not link.parameters.get("queue_in_bytes"):
                limit = link.parameters.get("limit", usual_limit(link.queue.name))
                return None if limit is None else int(limit)
        return None

    def _flow_names(self, flows: list[Any]) -> list[str]:
        usual = super()._flow_names(flows)
        numbers = self._numbers(flows)
        return [usual[k] if n is None else self.results.names["flows"][n] for k, n in enumerate(numbers)]

    def _numbers(self, flows: list[Any]) -> list[int | None]:
        """Each flow's place among the scenario's."""
        own = {(flow.flow_id, flow.source, flow.destination): n for n, flow in enumerate(self.network.flows)}
        return [own.get((flow[0], flow[1], flow[3])) for flow in flows]

    def _table(self, what: str) -> str | None:
        tables, _ = TABLES.get(what, ((), ""))
        return next((table for table in tables if table in self.results.tables), None)

    def _column(self, table: str, name: str) -> NDArray[np.float64]:
        if (table, name) not in self._columns:
            self._columns[table, name] = np.array(self.results.tables[table].column(name), dtype=float)
        return self._columns[table, name]

    def series(
        self,
        what: str,
        from_s: float | None,
        to_s: float | None,
        points: int,
        *,
        interval_s: float | None = None,
        flow: int | None = None,
        link: int | None = None,
    ) -> dict[str, Any]:
        """From the run's tables where they have it, value by value; else from its packets."""
        table = self._table(what)
        if table is None or (what == "throughput" and interval_s is not None):
            return super().series(what, from_s, to_s, points, interval_s=interval_s, flow=flow, link=link)
        begin_s, end_s = span_of(from_s, to_s, (0.0, self.network.duration_s))
        flows, links = self._rows.flows(), self._rows.links()
        if what == "queue":
            own = {(one.source, one.target): n for n, one in enumerate(self.network.links)}
            rows = {k: own.get((one[0], one[1])) for k, one in enumerate(links) if link in (None, k)}
            names = {k: self.network.link_name(n) for k, n in rows.items() if n is not None}
        else:
            rows = {
                k: n + 1 if n is not None else None for k, n in enumerate(self._numbers(flows)) if flow in (None, k)
            }
            names = dict(enumerate(self._flow_names(flows)))
        by = "link" if what == "queue" else "flow"
        keys, times, values = (self._column(table, name) for name in (by, "time_s", TABLES[what][1]))
        columns: list[dict[str, Any]] = []
        exact = True
        for k, number in rows.items():
            # A threshold is infinite until the first loss: no point of a curve.
            kept = (keys == number) & np.isfinite(values)
            own_times, own_values = times[kept], values[kept]
            # The point before the span says how a step begins.
            first = max(int(np.searchsorted(own_times, begin_s)) - 1, 0)
            last = int(np.searchsorted(own_times, end_s, "right"))
            times_s, values_then = own_times[first:last].tolist(), own_values[first:last].tolist()
            curve = _native.thin_curve(times_s, values_then, points)
            exact = exact and len(curve[0]) == last - first
            if curve[0] and (what != "queue" or link is not None or own_values.any()):
                of_flow, of_link = (k, None) if by == "flow" else (None, k)
                columns.append(column(what, names[k], *curve, flow=of_flow, link=of_link))
        return series_answer(what, (begin_s, end_s), {"table": table}, columns, exact, NOTHING)


@contextmanager
def linked(saved: Path, folder: Path) -> Iterator[Path]:
    """A new folder with links to what was opened of a saved run's: its regular files.

    What is read through it can neither be a FIFO, which would never end, nor become one meanwhile. `Refusal` where
    `run.json` or a table is not a regular file; `OSError` when one cannot be opened.
    """
    folder.mkdir()
    with ExitStack() as files:
        for entry in list(os.scandir(saved))[:MOST_FILES]:
            if is_regular(entry):
                name = files.enter_context(opened(os.path.realpath(entry)))
                os.symlink(name, folder / entry.name)
            elif entry.name == RUN_FILE or entry.name.endswith(".parquet"):
                raise Refusal(422, f"{shown(saved)}: {shown(entry.name)} is not a regular file")
        yield folder


@cache
def usual_limit(discipline: str) -> float | None:
    """The packets that a queue holds if nothing is said; None for a discipline without such a limit."""
    try:
        return trial_link(1e6, 0.01, discipline).queue.param("limit")
    except (KeyError, _native.SimulationError):
        return None
