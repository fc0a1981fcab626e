"""A trace file or a run as the page plays it, read in the background."""

from __future__ import annotations

import math
import os
import tempfile
import threading
from collections import Counter
from pathlib import Path
from typing import Any

from ackclock import _native
from ackclock.server.errors import Refusal
from ackclock.server.files import opened, shown
from ackclock.server.layout import placed

#: Packet lines that are read at a time; requests are answered in between.
STEP = 40_000
#: How long a request waits for the first chunk, s.
PATIENCE_S = 20.0
#: A curve of throughput has about so many intervals unless the request says.
INTERVALS = 200

CAN_BE_OPENED = "What can be opened: packet traces of ns-2 (.tr), animations of nam (.nam)"

#: What can be followed over time, and its unit.
SERIES = {
    "throughput": "bit/s",
    "queue": "packets",
    "rtt": "s",
    "in_flight": "packets",
    "drops": "packets",
    "sequence": "packets",
    "cwnd": "packets",
    "ssthresh": "packets",
}

#: Why there is no curve, where nothing else is known.
NOTHING = "Nothing of this happens in this span."

#: Bits of a row's flags, and their words.
FLAGS = {1: "marked", 2: "dropped at the queue", 4: "lost on the link", 8: "retransmitted"}


class Recording:
    """A recording: its head, chunks of its packet table, curves, counters.

    It is read by a thread of its own; everything can be asked for before that has come to the end, and is of what was
    read so far then. Rows are in a temporary file that goes when it is closed.
    """

    #: why nothing is known of what ACKs of two-way TCP acknowledge
    acks_untold = (
        "Two-way TCP's ACKs say how much they acknowledge in its header only, which this file does not have. "
        "`Trace set show_tcphdr_ 1` writes it into a .tr file; .nam files never have it."
    )

    def __init__(self, id: str, name: str, path: Path, scratch: Path | None = None) -> None:
        """Begin to read it. `scratch` is where temporary files go; without it, where the system has them.

        Raises `OSError` when it cannot be opened, also for what is not a regular file.
        """
        self.id = id
        self.name = name
        self.path = path
        self._stamp = stamp(path)
        self._folder = tempfile.TemporaryDirectory(prefix="recording-", dir=scratch)
        self._bytes = path.stat().st_size
        self._damage: str | None = None
        self._done = False
        self._closed = False
        self._began = threading.Condition()
        #: under which name it was opened, which errors have
        self._opened_as = os.fspath(path)
        try:
            self._rows = self._open(os.path.join(self._folder.name, "rows"))
        except BaseException:
            self._folder.cleanup()
            raise
        self._places: tuple[tuple[int, int, int], dict[int, tuple[float, float]]] | None = None
        self._thread = threading.Thread(target=self._read, name=f"reads {name}", daemon=True)
        self._thread.start()

    def _open(self, rows: str) -> _native.Recording:
        return self._open_file(self.path, rows)

    def _open_file(self, path: Path, rows: str) -> _native.Recording:
        with opened(path) as self._opened_as:
            return _native.Recording.of_file(self._opened_as, rows)

    def _read(self) -> None:
        try:
            while not self._closed and self._rows.read_on(STEP):
                if self._rows.chunks():
                    with self._began:
                        self._began.notify_all()
        except (_native.TraceError, OSError) as error:
            self._damage = str(error).replace(self._opened_as, shown(self.path))
        with self._began:
            self._done = True
            self._began.notify_all()

    def is_of(self, path: Path) -> bool:
        """Whether the file is still the one that was opened."""
        return self.path == path and self._stamp == stamp(path)

    def close(self) -> None:
        """Stop reading, and let go of the temporary file."""
        self._closed = True
        self._thread.join()
        self._folder.cleanup()

    def wait(self) -> None:
        """Until there is something to show. `Refusal` when there is nothing in the file that could be shown."""
        with self._began:
            self._began.wait_for(lambda: self._done or self._rows.chunks(), PATIENCE_S)
        if self._damage is not None and self._rows.span_s() is None:
            raise Refusal(422, f"{self._damage}. {CAN_BE_OPENED}")

    def read_all(self) -> None:
        """Until all of the file was read."""
        with self._began:
            self._began.wait_for(lambda: self._done)

    # --- the head ---

    def head(self) -> dict[str, Any]:
        """What the page must know before it can draw; `complete` is false while the file is being read."""
        self.wait()
        complete = self._done  # asked first: what is told below is of all then
        read_bytes, *_ = self._rows.progress()
        begin_s, end_s = self._rows.span_s() or (0.0, 0.0)
        links = self._rows.links()
        flows = self._rows.flows()
        kinds = self._rows.kinds()
        return {
            "id": self.id,
            "name": self.name,
            "kind": self.kind(),
            "begin_s": begin_s,
            "end_s": end_s,
            "complete": complete,
            "read_fraction": 1.0 if complete else min(read_bytes / max(self._bytes, 1), 1.0),
            "nodes": self._nodes(links, flows),
            "links": self._links(links),
            "flows": [
                {
                    "id": number,
                    "name": name,
                    "flow_id": flow[0],
                    "source": flow[1],
                    "destination": flow[3],
                    "kinds": [kinds[kind] for kind in flow[5]],
                }
                for number, (flow, name) in enumerate(zip(flows, self._flow_names(flows), strict=True))
            ],
            "kinds": kinds,
            "chunks": [
                {
                    "n": number,
                    "begin_s": begin,
                    "end_s": end,
                    "reach_s": reach if math.isfinite(reach) else None,
                    "rows": rows,
                }
                for number, (begin, end, reach, rows) in enumerate(self._rows.chunks())
            ],
            "remarks": [{"time_s": time_s, "text": text} for time_s, text in self._rows.remarks()],
            "series": self.series_names(),
            "notes": self.notes(),
            "damage": self._damage,
        }

    def kind(self) -> str:
        """What it is of."""
        return "nam" if self._rows.drawn_links() else "ns2"

    def series_names(self) -> list[str]:
        """What can be followed in it."""
        watched = {name.removesuffix("_") for name in self._rows.variables()}
        return [name for name in SERIES if name not in ("cwnd", "ssthresh") or name in watched]

    def notes(self) -> list[str]:
        """What the file does not say, and what stands in for it."""
        notes = []
        if self._damage is not None:
            notes.append(f"The file is damaged: {self._damage}. What stands in front of the damage is shown.")
        if not self._rows.drawn_links():
            notes.append(
                "A packet trace has no topology: the links are those that packets took, their rates and delays are "
                "estimated from when packets leave and arrive, and the places of the nodes are made up."
            )
        ends = {end for link in self._rows.links() for end in link[:2]}
        if any(flow[1] not in ends or flow[3] not in ends for flow in self._rows.flows()):
            notes.append("The file has not all links: some flows begin or end at nodes that are not shown.")
        if "cwnd" not in self.series_names():
            notes.append(
                "The file does not tell congestion windows: packets in flight, counted from data sent and "
                "acknowledged, stand in for them."
            )
        return notes

    def _nodes(self, links: list[Any], flows: list[Any]) -> list[dict[str, Any]]:
        drawn = {number: (shape, label) for number, shape, label in self._rows.drawn_nodes()}
        wires = self._rows.drawn_links()
        numbers = sorted({*drawn, *(end for link in (*links, *wires) for end in link[:2])})
        key = (len(numbers), len(links), len(wires))
        if self._places is None or self._places[0] != key:
            pairs = [(link[0], link[1]) for link in (*links, *wires)]
            orients = {(wire[0], wire[1]): wire[4] for wire in wires if wire[4]}
            found = placed(numbers, pairs, orients, [(flow[1], flow[3]) for flow in flows])
            self._places = (key, found)
        places = self._places[1]
        return [
            {
                "id": node,
                "name": drawn.get(node, ("", ""))[1] or self.node_name(node),
                "x": places[node][0],
                "y": places[node][1],
                "shape": "box" if drawn.get(node, ("", ""))[0] in ("box", "square") else "circle",
            }
            for node in numbers
        ]

    def node_name(self, node: int) -> str:
        """What stands beside a node."""
        return str(node)

    def link_name(self, a: int, b: int) -> str:
        """What a curve of a link is called."""
        return f"{a} to {b}"

    def _links(self, links: list[Any]) -> list[dict[str, Any]]:
        wires = {(wire[0], wire[1]): wire for wire in self._rows.drawn_links()}
        queues = {(queue[0], queue[1]): queue[2] for queue in self._rows.drawn_queues()}
        found = []
        for number, (a, b, rate_bps, delay_s) in enumerate(links):
            wire, back = wires.get((a, b)), wires.get((b, a))
            drawn = wire or back
            found.append(
                {
                    "id": number,
                    "from": a,
                    "to": b,
                    "rate_bps": drawn[2] if drawn else rate_bps,
                    "delay_s": drawn[3] if drawn else delay_s,
                    "estimated": drawn is None and rate_bps is not None,
                    "orient": (wire[4] or None) if wire else None,
                    "queue_position": queues.get((a, b)),
                    "limit_packets": self.limit_packets(a, b),
                }
            )
        return found

    def limit_packets(self, a: int, b: int) -> int | None:
        """How many packets a link's queue holds, where that is known."""
        del a, b
        return None

    def _flow_names(self, flows: list[Any]) -> list[str]:
        times = Counter(flow[0] for flow in flows)
        return [
            f"{flow[0]}" if times[flow[0]] == 1 else f"{flow[0]}: {flow[1]}.{flow[2]} to {flow[3]}.{flow[4]}"
            for flow in flows
        ]

    # --- what is asked for while it plays ---

    def chunk(self, number: int) -> bytes:
        """A chunk of the packet table, packed."""
        try:
            return self._rows.chunk(number)
        except (KeyError, OverflowError):
            known = len(self._rows.chunks())
            raise Refusal(404, f"no chunk {number} of {self.name}: {known} so far") from None

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
        """Curves over a span of time, thinned so that what stands out is kept."""
        if what not in SERIES:
            raise Refusal(400, f"what={what!r} is none of {', '.join(SERIES)}")
        from_s, to_s = span_of(from_s, to_s, self._rows.span_s() or (0.0, 0.0))
        if interval_s is None:
            interval_s = nice((to_s - from_s) / INTERVALS)
        try:
            curves = self._rows.series(what, from_s, to_s, points, interval_s, flow, link)
        except (ValueError, OverflowError) as error:
            raise Refusal(400, str(error)) from None
        names, links = self._flow_names(self._rows.flows()), self._rows.links()
        columns: list[dict[str, Any]] = []
        for of, on, times, values in curves:
            whose = self.link_name(*links[on][:2]) if on is not None else names[of] if of is not None else "?"
            columns.append(column(what, whose, times, values, flow=of, link=on))
        if what == "sequence":
            in_bytes = {flow for flow, _ in self._rows.byte_flows()}
            columns = [{**one, "unit": "bytes"} if one["flow"] in in_bytes else one for one in columns]
        exact = all(len(one["times"]) < points for one in columns)
        return series_answer(what, (from_s, to_s), {"interval_s": interval_s}, columns, exact, self.lacks(what))

    def lacks(self, what: str) -> str:
        """Why there is no curve of something."""
        if what in ("cwnd", "ssthresh"):
            return f"The file has no {what}. Add `$tcp trace {what}_` to the script."
        if what in ("rtt", "in_flight") and any(not tells for _, tells in self._rows.byte_flows()):
            return self.acks_untold
        if what == "rtt":
            return "No acknowledgement of data that was sent once arrives in this span."
        return NOTHING

    def packet(self, uid: int) -> dict[str, Any]:
        """The way of one packet: each of its events."""
        try:
            hops = self._rows.packet(uid)
        except OverflowError:
            hops = []
        if not hops:
            raise Refusal(404, f"no packet {uid} in {self.name} (in what was read so far)")
        links, kinds, flows = self._rows.links(), self._rows.kinds(), self._rows.flows()
        events: list[dict[str, Any]] = []
        for link, flow, kind, size_bytes, seq, flags, enqueue_s, start_s, arrive_s, drop_s in hops:
            ends = [f"{flows[flow][at]}.{flows[flow][at + 1]}" for at in (1, 3)]
            source, destination = ends[::-1] if links[hops[0][0]][0] != flows[flow][1] else ends
            of = {
                "link": link,
                "kind": kinds[kind],
                "size_bytes": size_bytes,
                "flow": flow,
                "seq": None if seq == 0xFFFFFFFF else seq,
                "flags": [word for bit, word in FLAGS.items() if flags & bit],
                "source": source,
                "destination": destination,
            }
            lost = "drop" if flags & 2 else "loss"
            for what, time_s in (("enqueue", enqueue_s), ("dequeue", start_s), ("receive", arrive_s), (lost, drop_s)):
                if not math.isnan(time_s):
                    events.append({"t": time_s, "what": what, "node": links[link][what == "receive"], **of})
        return {"uid": uid, "events": sorted(events, key=lambda event: event["t"])}

    def state(self, time_s: float) -> dict[str, Any]:
        """Counters of flows and links at a time; what happens at that time counts."""
        flows, links = self._rows.state(time_s)
        of_flow = ("sent", "received", "received_bytes", "dropped", "marked", "retransmitted")
        of_link = ("queue_packets", "queue_bytes", "sent", "dropped", "marked")
        return {
            "t": time_s,
            "flows": [{"id": number, **dict(zip(of_flow, row, strict=True))} for number, row in enumerate(flows)],
            "links": [{"id": number, **dict(zip(of_link, row, strict=True))} for number, row in enumerate(links)],
        }


def stamp(path: Path) -> tuple[int, int]:
    """What changes when a file is written; of a folder's, with what is in it."""
    try:
        found = path.stat()
    except OSError:
        return (0, 0)
    return found.st_size, found.st_mtime_ns


def span_of(from_s: float | None, to_s: float | None, known_s: tuple[float, float]) -> tuple[float, float]:
    """The span of a request, s: all that is known unless it says otherwise. `Refusal` for one that ends too early."""
    begin_s, end_s = known_s[0] if from_s is None else from_s, known_s[1] if to_s is None else to_s
    if not end_s >= begin_s:
        raise Refusal(400, f"from={begin_s:g} to={end_s:g} is not a valid interval")
    return begin_s, end_s


def column(
    what: str, whose: str, times: list[float], values: list[float], *, flow: int | None, link: int | None
) -> dict[str, Any]:
    """A curve as the page takes it."""
    name = f"{what.replace('_', ' ')} {whose}"
    return {"name": name, "unit": SERIES[what], "flow": flow, "link": link, "times": times, "values": values}


def series_answer(
    what: str,
    span_s: tuple[float, float],
    source: dict[str, Any],
    columns: list[dict[str, Any]],
    exact: bool,
    lacks: str,
) -> dict[str, Any]:
    """Curves as the page takes them: `source` says where they are from, `lacks` why there are none."""
    head = {"what": what, "unit": SERIES[what], "from_s": span_s[0], "to_s": span_s[1], **source}
    return {**head, "columns": columns, "exact": exact, **({} if columns else {"note": lacks})}


def nice(interval_s: float) -> float:
    """The next 1, 2 or 5 times a power of ten."""
    if interval_s <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(interval_s))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= interval_s * (1 - 1e-9))
