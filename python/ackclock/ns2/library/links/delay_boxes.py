"""Nodes that delay the flows that pass them: `$ns DelayBox`, `$ns Tmix_DelayBox`."""

from __future__ import annotations

import sys

from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.core.classifiers import Classifier
from ackclock.ns2.library.core.engine import whole
from ackclock.ns2.library.core.nodes import Node
from ackclock.ns2.library.core.randomness import RandomVariable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

#: bytes per second of a megabit per second
_BYTES_PER_MEGABIT = 125000


@ns2_class("Classifier/DelayBox")
class DelayBoxClassifier(Classifier):
    """What stands at the node's door."""


class DelayingNode(Node):
    """What nodes with a box at the door share."""

    #: the class of what stands at the door
    door = "Classifier/DelayBox"

    def create(self, *args: str) -> None:
        super().create(*args)
        self.box = self.native.add_delay_box()
        self._file: IO[str] | None = None
        before = self.vars["classifier_"]
        classifier = self.interp.new(self.door)
        self.interp.call(classifier, "install", "0", before)
        peer = self.interp.peer(classifier)
        assert isinstance(peer, Classifier)
        peer.node = self.number
        self.vars["db_classifier_"] = self.vars["classifier_"] = classifier

    @method("create-classifier")
    def create_classifier(self) -> None:
        """The door is there already."""

    @method("set-debug")
    def set_debug(self, level: str) -> None:
        """Messages about single packets, on standard error: there are none."""
        if whole(level, "a level") != 0:
            self.interp.warn("ns-2's DelayBox tells of single packets (set-debug); ackclock's does not")

    @method("set-delay-file")
    def set_delay_file(self, name: str) -> None:
        """Where the delays of flows are written down."""
        self._write_met()
        self._file = open(self.interp.file(name), "w", encoding="ascii")  # noqa: SIM115  (open for the whole run)
        self.box.set_flag("keeps_record", True)
        self.interp.at_flush.append(self._write_met)

    def _write_met(self) -> None:
        if self._file is None:
            return
        for (source, destination, fid), delay_s in self.box.take_met_flows():
            self._file.write(f"{source:<3d} {destination:<3d} {fid:<5d} {delay_s * 1000.0:8.3f} ms\n")
        self._file.flush()

    def close_delay_file(self) -> None:
        """No more delays are written down."""
        self._write_met()
        self.box.set_flag("keeps_record", False)
        if self._file is not None:
            self._file.close()
            self._file = None

    @method("output-delay")
    def output_delay(self, source: str, destination: str, fid: str) -> None:
        """Write down a flow's delay, that of both ways together."""
        if self._file is None:
            raise NsError(f"node {self.number}: output-delay needs a file: set-delay-file comes first")
        first, last, flow = (whole(text, "a flow") for text in (source, destination, fid))
        delays = {ends: delay_s for ends, delay_s, _, _ in self.box.flows()}
        both = delays.get((first, last, flow)), delays.get((last, first, flow))
        if both[0] is not None and both[1] is not None:
            self._write_met()
            self._file.write(f"{flow}  {both[0] + both[1]:f}\n")

    @method("list-flows")
    def list_flows(self) -> None:
        """Tell of all flows and how they are treated."""
        flows = []
        for (source, destination, fid), delay_s, loss, rate in self.box.flows():
            line = f"{source} > {destination}: {fid} {delay_s * 1000.0:8.3f} ms delay  {loss:5.2f}% loss"
            flows.append(line + (f"  {rate / _BYTES_PER_MEGABIT:8.3f} Mbps" if rate > 0 else ""))
        self._tell("Flows", "Flows:   (%d elements)", flows, 0)

    def _tell(self, what: str, heading: str, lines: list[str], first: int) -> None:
        place = f"\nClass {self.vars['classifier_']}> "
        if not lines:
            print(f"{place}{what} table is empty", file=sys.stderr)
            return
        numbered = (f"{number:4d}) {line}\n" for number, line in enumerate(lines, first))
        print(place + heading % len(lines) + "\n" + "".join(numbered), file=sys.stderr)


@ns2_class("Classifier/Tmix_DelayBox")
class TmixClassifier(Classifier):
    """What stands at the door of a node between ends of Tmix."""


@ns2_class("Node/Tmix_DelayBox")
class TmixNode(DelayingNode):
    """Flows have the delay and the loss ratios of their connection vectors."""

    door = "Classifier/Tmix_DelayBox"

    def create(self, *args: str) -> None:
        super().create(*args)
        self.box.set_flag("is_symmetric", False)

    @method("set-lossless")
    def set_lossless(self) -> None:
        """Nothing is lost, whatever the vectors say."""
        self.box.set_flag("is_lossless", True)

    @method("close-delayfile")
    def close_delay_file(self) -> None:
        super().close_delay_file()

    @method("set-cvfile")
    def set_cv_file(self, name: str, initiator: str, acceptor: str) -> None:
        """The connection vectors of the flows between two nodes. The flow ids are their numbers in the file, from 1."""
        ends = whole(initiator, "a node"), whole(acceptor, "a node")
        fid, delay_s = 0, 0.0
        with open(self.interp.file(name), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                words = line.split()
                what = words[0] if words else ""
                if what[:1] in ("S", "C"):
                    fid += 1
                elif what == "r":
                    delay_s = _number(name, number, words, 1) / 1_000_000
                elif what == "l":
                    losses = (_number(name, number, words, 1), _number(name, number, words, 2))
                    for (first, last), loss in zip((ends, ends[::-1]), losses, strict=True):
                        self.box.add_flow((first, last, fid), delay_s / 2, loss)


def _number(name: str, line: int, words: list[str], place: int) -> float:
    try:
        return float(words[place])
    except (IndexError, ValueError):
        expected = {"r": "r and a round-trip time in microseconds", "l": "l and two loss ratios"}[words[0]]
        raise NsError(f'{name}:{line}: "{" ".join(words)}" in a connection vector; expected {expected}') from None


@ns2_class("Node/DelayBox")
class DelayBoxNode(DelayingNode):
    """Flows draw their delay, loss ratio and rate from what a rule gives for their nodes."""

    @method("close-delay-file")
    def close_delay_file(self) -> None:
        super().close_delay_file()

    @method("set-asymmetric")
    def set_asymmetric(self) -> None:
        """ACKs pass at once."""
        self.box.set_flag("is_symmetric", False)

    @method("add-rule")
    def add_rule(self, source: str, destination: str, delay: str, loss: str = "", rate: str = "") -> None:
        """What flows between two nodes draw from: a delay in ms, a loss ratio, a rate in Mbit/s."""
        variables = []
        for handle in (delay, loss, rate):
            peer = self.interp.peer_of(handle, RandomVariable, "random variable") if handle else None
            variables.append(None if peer is None else peer.native)
        if variables[0] is None:
            raise NsError(f"{self.handle} add-rule needs a random variable for the delay")
        ends = whole(source, "a node"), whole(destination, "a node")
        self.box.set_rule(*ends, variables[0], *variables[1:])

    @method("list-rules")
    def list_rules(self) -> None:
        """Tell for which nodes there are rules."""
        rules = [f"{source} > {destination}: 0" for source, destination in self.box.rules()]
        self._tell("Rules", "Rules:  (%d elements)", rules, 1)
