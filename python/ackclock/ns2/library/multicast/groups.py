"""What a simulation with groups has beside its objects, and the answers to the engine's questions."""

from __future__ import annotations

from ackclock._native import SimulationError
from ackclock.ns2.bindings.tcl_object import NsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native
    from ackclock._native import Simulation as Engine
    from ackclock.ns2.library.multicast.classifiers import MulticastClassifier, Replicator
    from ackclock.ns2.otcl.interp import Interpreter

    class PacketChooser(MulticastClassifier):
        """A table that finds the replicator of each packet itself."""

        def choose(
            self, source: int, group: int, interface: int, upstream: int
        ) -> tuple[_native.Replicator, int] | None:
            """The replicator and the packet's upstream router; None if the packet is discarded."""


class Groups:
    """Tables and replicators by the engine's numbers."""

    def __init__(self, interp: Interpreter) -> None:
        self._interp = interp
        self.tables: dict[int, MulticastClassifier] = {}
        self.replicators: dict[int, Replicator] = {}
        #: contents of control messages, by number
        self.messages: list[tuple[str, ...]] = []
        #: handles of what computes trees in one place
        self.computations: list[str] = []

    def settle(self) -> None:
        """An agent may have sent a packet for a group: what comes of it happens now."""
        engine, hear = self._interp.engine, self._interp.event_queue.hear
        keeps_open = engine.open_deliveries()
        try:
            while (news := engine.settle_groups(keeps_open)) is not None:
                hear(*news)
        except SimulationError as error:
            raise NsError(str(error)) from None

    def answer(self) -> None:
        """A packet needs a decision: the script's side makes it."""
        engine: Engine = self._interp.engine
        question = engine.multicast_question()
        if question is None:
            return
        code, number, node, source, group, interface = question
        levels = self._interp.levels
        if levels is not None:
            source = int(levels.shown("node", source))
        again = False
        which: tuple[_native.Replicator, int] | None = None
        if code == "drop":
            self.replicators[number].call("drop", source, group, interface)
        elif code == "which":
            chooser: PacketChooser = self.tables[node]  # type: ignore[assignment]
            which = chooser.choose(source, group, interface, number)
        else:
            said = self.tables[node].call("new-group", source, group, interface, code)
            again = said.strip()[:1].isdigit() and said.strip() != "0"
        engine.answer_multicast(again, which)
