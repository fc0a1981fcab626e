"""Queue monitors, their integrals, and the snoops that feed them."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import method, ns2_class
from ackclock.ns2.library.core.engine import EngineObject, real
from ackclock.ns2.library.core.nodes import Connector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native
    from ackclock.ns2.library.core.nodes import PartWorker
    from ackclock.ns2.library.links.links import SimpleLink

_COUNTS = {
    "size_": "bytes",
    "pkts_": "packets",
    "parrivals_": "arrived_packets",
    "barrivals_": "arrived_bytes",
    "pdepartures_": "departed_packets",
    "bdepartures_": "departed_bytes",
    "pdrops_": "dropped_packets",
    "bdrops_": "dropped_bytes",
    "pmarks_": "marked_packets",
    "epdrops_": "early_packets",
    "ebdrops_": "early_bytes",
    "mon_epdrops_": "policed_packets",
    "mon_ebdrops_": "policed_bytes",
    "qs_pkts_": "quick_start_packets",
    "qs_bytes_": "quick_start_bytes",
    "qs_drops_": "quick_start_drops",
    "first_pkt_": "first_packet",
    "last_pkt_": "last_packet",
}


#: how round-trip times and sequence numbers are gathered
_SPREADS = ("keepRTTstats_", "maxRTT_", "binsPerSec_", "keepSeqnoStats_", "maxSeqno_", "SeqnoBinSize_")


@ns2_class("QueueMonitor")
class QueueMonitor(EngineObject):
    """Counts what passes a queue."""

    native: _native.Monitor
    source = target = -1

    def create(self, *args: str) -> None:
        self.native = self.engine.add_monitor()
        self._integrals: dict[str, str] = {}
        self._samples = ""

    def read_bound(self, name: str) -> float:
        if name in _COUNTS:
            return self.native.param(_COUNTS[name])
        return super().read_bound(name)

    def write_bound(self, name: str, value: float) -> None:
        if name in _COUNTS:
            self.native.set_param(_COUNTS[name], value)
        elif name in _SPREADS:
            self.bound[name] = value
        else:
            super().write_bound(name, value)

    def _keep(self, which: str, integrator: str) -> None:
        peer = self.interp.peer_of(integrator, Integrator, "Integrator")
        self._integrals[which] = integrator
        peer.join(self, which)

    @method("set-bytes-integrator")
    def set_bytes_integrator(self, integrator: str) -> None:
        """Keep the integral of the bytes queued."""
        self._keep("bytes", integrator)

    @method("set-pkts-integrator")
    def set_packets_integrator(self, integrator: str) -> None:
        """Keep the integral of the packets queued."""
        self._keep("packets", integrator)

    @method("get-bytes-integrator")
    def get_bytes_integrator(self) -> str:
        """The integral of the bytes queued."""
        return self._integrals.get("bytes", "")

    @method("get-pkts-integrator")
    def get_packets_integrator(self) -> str:
        """The integral of the packets queued."""
        return self._integrals.get("packets", "")

    @method("set-delay-samples")
    def set_delay_samples(self, samples: str) -> None:
        """Keep samples of the queueing delay."""
        from ackclock.ns2.library.monitors.samples import Samples

        peer = self.interp.peer_of(samples, Samples, "Samples")
        self._samples = samples
        peer.join(self)

    @method("get-delay-samples")
    def get_delay_samples(self) -> str:
        """The samples of the queueing delay."""
        return self._samples

    def adopt(self, counted: _native.Monitor) -> None:
        """Take over what the engine has counted of a flow before the script knew of it."""
        self.native.copy_from(counted)
        if not self._samples:
            self.native.drop_delay_samples()

    @method("set-src-dst")
    def set_src_dst(self, source: str, target: str) -> None:
        """The nodes that trace lines name."""
        self.native.set_nodes(int(source), int(target))

    @method()
    def trace(self, channel: str) -> None:
        """Write a line at each change of the queue's length."""
        self.native.trace(self.interp.channels.attach(channel))

    # --- how round-trip times and sequence numbers are spread ---

    def init_bound(self, defaults: dict[str, str]) -> None:
        for name in _SPREADS:
            self.bound[name] = 0
        super().init_bound(defaults)
        self._keep_spreads()

    def _keep_spreads(self) -> None:
        rtt_bins = self.bound["maxRTT_"] * self.bound["binsPerSec_"]
        if self.bound["keepRTTstats_"] and rtt_bins >= 1:
            width_ms = int(1000 / self.bound["binsPerSec_"])
            self.native.keep_histogram("rtts", width_ms, int(rtt_bins))
        if self.bound["keepSeqnoStats_"] and self.bound["SeqnoBinSize_"] >= 1:
            width = int(self.bound["SeqnoBinSize_"])
            self.native.keep_histogram("seqnos", width, int(self.bound["maxSeqno_"]) // width)

    @method("traceDist")
    def trace_distributions(self, channel: str) -> None:
        """Where printRTTs and printSeqnos write."""
        self.vars["distributions_"] = channel

    @method("printRTTs")
    def print_rtts(self) -> None:
        """Write how the round-trip times of segments that left are spread."""
        width = int(1000 / self.bound["binsPerSec_"]) if self.bound["binsPerSec_"] else 1
        self._print_spread("keepRTTstats_", "rtts", "RTTs, {} ms bins", "{} to {} ms", width, width)
        self._print_beyond("rtts", "The last bin might also contain RTTs >= {} ms.", width)

    @method("printSeqnos")
    def print_seqnos(self) -> None:
        """Write how the sequence numbers of segments that left are spread."""
        width = int(self.bound["SeqnoBinSize_"])
        self._print_spread(
            "keepSeqnoStats_", "seqnos", "Seqnos, {} seqnos per bin", "{} to {} seqnos", width, width - 1
        )
        self._print_beyond("seqnos", "The last bin might also contain Seqnos >= {}. ", width)

    def _print_spread(self, flag: str, which: str, title: str, row: str, width: int, to_last: int) -> None:
        if not self.bound[flag] or "distributions_" not in self.vars:
            return
        now = self.engine.now()
        bins = self.native.histogram(which)
        self._write(f"Distribution of {title.format(width)}, time {now:4.2f}")
        for number, count in enumerate(bins):
            if count:
                span = row.format(number * width, number * width + to_last)
                self._write(f"{span}: frac {count / sum(bins):5.3f} num {count} time {now:4.2f}")

    def _print_beyond(self, which: str, text: str, width: int) -> None:
        bins = self.native.histogram(which)
        if bins and bins[-1] and "distributions_" in self.vars:
            self._write(text.format(len(bins) * width))

    def _write(self, line: str) -> None:
        self.interp.call("puts", self.vars["distributions_"], line)

    @method()
    def reset(self) -> None:
        """Count from 0 again."""
        for name in ("parrivals_", "barrivals_", "pdepartures_", "bdepartures_", "pdrops_", "bdrops_"):
            self.set_bound(name, "0")
        for integrator in self._integrals.values():
            self.interp.call(integrator, "reset")
        if self._samples:
            self.interp.call(self._samples, "reset")


@ns2_class("Integrator")
class Integrator(EngineObject):
    """The integral of a queue's length over time."""

    monitor: QueueMonitor | None = None
    native: _native.Integral

    def join(self, monitor: QueueMonitor, which: str) -> None:
        """From now on the monitor feeds it."""
        self.monitor, self.native = monitor, monitor.native.keep_integral(which)

    def read_bound(self, name: str) -> float:
        if self.monitor is None:
            return self.bound.get(name, 0)
        return self.native.param(_INTEGRAL[name])

    def write_bound(self, name: str, value: float) -> None:
        if self.monitor is None:
            self.bound[name] = value
        else:
            self.native.set_param(_INTEGRAL[name], float(value))

    @method()
    def reset(self) -> None:
        """Restart."""
        for name in _INTEGRAL:
            self.set_bound(name, "0.0")

    @method()
    def newpoint(self, at: str, value: str) -> None:
        """The length is `value` from `at` on."""
        at_s, length = real(at, "a time"), real(value, "a length")
        if self.monitor is not None:
            self.native.add_point(at_s, length)
            return
        last_s, last = self.bound.get("lastx_", 0), self.bound.get("lasty_", 0)
        self.bound["sum_"] = self.bound.get("sum_", 0) + (at_s - last_s) * last
        self.bound["lastx_"], self.bound["lasty_"] = at_s, length


_INTEGRAL = {"lastx_": "last_s", "lasty_": "last_value", "sum_": "sum"}


@ns2_class("SnoopQueue")
class SnoopQueue(Connector):
    """A place on a link that a monitor looks at."""

    what = ""
    place = ""

    @method("set-monitor")
    def set_monitor(self, monitor: str) -> None:
        """The monitor that looks."""
        self.vars["monitor_"] = monitor
        if self.part is not None:
            self.part.replace(*self.describe_part())

    def describe_part(self) -> tuple[str, PartWorker]:
        monitor = self.interp.find_peer(self.vars.get("monitor_", ""))
        return (self.what, monitor.native) if isinstance(monitor, QueueMonitor) else ("connector", None)

    def tap(self, link: _native.Link, monitor: _native.Monitor) -> None:
        """Put it on a link."""
        link.add_monitor(self.place, self.what, monitor)


@ns2_class("SnoopQueue/In")
class SnoopIn(SnoopQueue):
    """Arrivals at a queue."""

    what, place = "arrivals", "head"


@ns2_class("SnoopQueue/Out")
class SnoopOut(SnoopQueue):
    """Departures from a queue."""

    what, place = "departures", "dequeued"


@ns2_class("SnoopQueue/Drop")
class SnoopDrop(SnoopQueue):
    """Losses of a queue."""

    what, place = "drops", "dropped"


#: places of snoops that packets pass on their way over a link
_OWN_PLACES = ("head", "dequeued", "dropped")


def _attach_monitors(link: SimpleLink, snoops: dict[str, str], monitor: str) -> None:
    peer = link.interp.peer_of(monitor, QueueMonitor, "queue monitor")
    for variable, handle in snoops.items():
        link.vars[variable] = handle
        snoop = link.interp.peer_of(handle, SnoopQueue, "SnoopQueue")
        if snoop.place in _OWN_PLACES:
            link.put(snoop.place, snoop, snoop.what, peer.native)
        else:
            snoop.tap(link.native, peer.native)
        link.interp.call(handle, "set-monitor", monitor)
    link.vars["qMonitor_"] = monitor


class MonitoredLink:
    """What a SimpleLink can do with monitors."""

    @method("attach-monitors")
    def attach_monitors(self: SimpleLink, came: str, left: str, lost: str, monitor: str) -> None:  # type: ignore[misc]
        """Let a monitor look at the queue through three snoops: arrivals, departures, losses."""
        _attach_monitors(self, {"snoopIn_": came, "snoopOut_": left, "snoopDrop_": lost}, monitor)

    @method("attach-taggers")
    def attach_taggers(self: SimpleLink, came: str, tagger: str) -> None:  # type: ignore[misc]
        """Let a tagger look at what comes to the queue."""
        _attach_monitors(self, {"snoopIn_": came}, tagger)

    @method("init-monitor")
    def init_monitor(self: SimpleLink, simulator: str, channel: str, interval: str) -> str:  # type: ignore[misc]
        """A monitor of the queue with both integrals."""
        self.vars["ns_"] = simulator
        self.vars["qtrace_"] = channel
        self.vars["sampleInterval_"] = interval
        monitor = self.interp.new("QueueMonitor")
        self.vars["qMonitor_"] = monitor
        snoops = [self.interp.new(f"SnoopQueue/{name}") for name in ("In", "Out", "Drop")]
        self.call("attach-monitors", *snoops, monitor)
        self.interp.call(monitor, "set-bytes-integrator", self.interp.new("Integrator"))
        self.interp.call(monitor, "set-pkts-integrator", self.interp.new("Integrator"))
        return monitor

    @method("start-tracing")
    def start_tracing(self: SimpleLink) -> None:  # type: ignore[misc]
        """Write a line at each change of the queue's length."""
        monitor = self.vars["qMonitor_"]
        if self.vars["qtrace_"] != "0":
            self.interp.call(monitor, "trace", self.vars["qtrace_"])
        self.interp.call(monitor, "set-src-dst", self.source.number, self.target.number)

    @method("queue-sample-timeout")
    def queue_sample_timeout(self: SimpleLink) -> str:  # type: ignore[misc]
        """Write the mean length since the last sample and the counts so far, and again after the interval."""
        sample = self.call("sample-queue-size")
        simulator = self.vars["ns_"]
        if self.vars["qtrace_"] != "0":
            now = self.interp.call(simulator, "now")
            line = f"{now} {self.source.number} {self.target.number} {sample}"
            self.interp.call("puts", self.vars["qtrace_"], line)
        expr = f"{self.interp.call(simulator, 'now')} + {self.vars['sampleInterval_']}"
        again = self.interp.call("expr", expr)
        return self.interp.call(simulator, "at", again, f"{self.handle} queue-sample-timeout")

    @method("sample-queue-size")
    def sample_queue_size(self: SimpleLink) -> str:  # type: ignore[misc]
        """Mean bytes and packets since the last sample; then the counts so far.

        The division is Tcl's, on the text of the numbers, as in ns-2: whole numbers divide as such.
        """
        now = self.interp.call(self.vars["ns_"], "now")
        monitor = self.interp.peer(self.vars["qMonitor_"])
        lasted = self.interp.call("expr", f"{now} - {self.vars.get('lastSample_', '0')}")
        integrals = [monitor.call("get-bytes-integrator"), monitor.call("get-pkts-integrator")]
        means = []
        for integral in integrals:
            self.interp.call(integral, "newpoint", now, self.interp.call(integral, "set", "lasty_"))
            total = self.interp.call(integral, "set", "sum_")
            means.append(self.interp.call("expr", f"{total} / {lasted}") if float(lasted) != 0 else "0")
            self.interp.call(integral, "set", "sum_", "0.0")
        self.vars["lastSample_"] = now
        names = ("parrivals_", "pdepartures_", "pdrops_", "barrivals_", "bdepartures_", "bdrops_")
        return " ".join([*means, *(monitor.get_bound(name) for name in names)])
