"""Taggers: what tells packets that keep to their flow's profile from those that do not."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import method, ns2_class
from ackclock.ns2.library.core.engine import real
from ackclock.ns2.library.monitors.flow_monitors import FlowCounts, FlowMonitor
from ackclock.ns2.library.monitors.monitors import SnoopQueue

#: a bucket's variables, in the engine's order
_BUCKET = ("target_rate_", "bucket_depth_", "tbucket_")


@ns2_class("QueueMonitor/ED/Flow/TB")
class BucketFlow(FlowCounts):
    """Counts one flow, and tags its packets by a token bucket."""

    def create(self, *args: str) -> None:
        super().create(*args)
        self._bucket = dict.fromkeys(_BUCKET, 0.0)

    def read_bound(self, name: str) -> float:
        if name not in _BUCKET:
            return super().read_bound(name)
        found = self.native.tagger()
        return self._bucket[name] if found is None else found[_BUCKET.index(name)]

    def write_bound(self, name: str, value: float) -> None:
        if name not in _BUCKET:
            super().write_bound(name, value)
            return
        self._bucket = {bound: self.read_bound(bound) for bound in _BUCKET}
        self._bucket[name] = value
        self.native.set_tagger(False, *(self._bucket[bound] for bound in _BUCKET))


@ns2_class("QueueMonitor/ED/Tagger")
class TaggingMonitor(FlowMonitor):
    """Counts all packets, and has each flow's tagged."""

    # ns-2 derives it from another class, so that each method has to be named.
    flows, attach, dump = FlowMonitor.flows, FlowMonitor.attach, FlowMonitor.dump

    @method()
    def classifier(self, classifier: str = "") -> str:
        """What tells flows apart; told or asked."""
        if classifier:
            rate, depth, tokens = (self.interp.call("QueueMonitor/ED/Flow/TB", "set", name) for name in _BUCKET)
            rate_bps = real(self.interp.call("bw_parse", rate), "target_rate_")
            self.native.set_tagger(True, rate_bps, real(depth, "bucket_depth_"), real(tokens, "tbucket_"))
        return super().classifier(classifier)


@ns2_class("SnoopQueue/Tagger")
class SnoopTagger(SnoopQueue):
    """Where packets are tagged."""

    what, place = "arrivals", "head"
