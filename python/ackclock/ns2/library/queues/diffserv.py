"""Differentiated services: `Queue/dsRED`, the queues of edge and core routers."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NotYet, NsError, method, ns2_class
from ackclock.ns2.library.queues import queues
from ackclock.ns2.library.queues.queues import Queue
from ackclock.ns2.otcl.stdio import stdio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock import _native

queues.DISCIPLINES.update({"Queue/dsRED/core": "ds_red_core", "Queue/dsRED/edge": "ds_red_edge"})

#: what configures or prints, in ns-2's spelling, and what gives a value
_ORDERS = (
    "configQ addPHBEntry meanPktSize setNumPrec setSchedularMode setMREDMode addQueueWeights addQueueRate "
    "printStats printWRRcount printPHBTable"
)
_QUESTIONS = "getAverage getCurrent getAverageV getCurrentV getStat"
_EDGE_ORDERS = "addPolicyEntry addPolicerEntry printPolicyTable printPolicerTable"


def _declare(target: type, names: str, is_question: bool) -> None:
    for name in names.split():
        setattr(target, name, _command(name, is_question))


def _command(name: str, is_question: bool) -> Callable[..., str | None]:
    @method(name)
    def run(self: DsRed, *words: str) -> str | None:
        told = self.order(name, *words)
        if is_question:
            return told
        stdio(self.interp).write(told)
        return None

    run.__doc__ = f"`{name}`."
    return run


@ns2_class("Queue/dsRED")
class DsRed(Queue):
    """Several RED queues in one, packets sorted into them by code point."""

    _waiting: tuple[tuple[str, ...], ...] = ()

    def join(self, link: _native.Link) -> None:
        super().join(link)
        waiting, self._waiting = self._waiting, ()
        for words in waiting:
            stdio(self.interp).write(self.order(*words))

    def order(self, *words: str) -> str:
        """Tell the engine's queue; before there is a link, when there is one."""
        # C reads a number from the beginning of a word, such as {$dest id}, and 0 where there is none.
        words = (words[0], *(next(iter(word.split()), "0") for word in words[1:]))
        if self.link is None:
            self._waiting = (*self._waiting, words)
            return ""
        return self.link.queue.command(" ".join(words))

    @method("link")
    def set_link(self, link: str) -> None:
        """The link whose bandwidth idle times are measured by: the queue's own, which the engine knows."""
        self.order("link")

    @method("early-drop-target")
    def early_drop_target(self, target: str) -> None:
        """Early drops pass here, not the link's ordinary way of lost packets."""
        peer = self.interp.peer(target)
        tap = getattr(peer, "tap_early_drops", None)
        if tap is None or self.link is None:
            raise NsError(f"{target} is a {peer.class_name}; early drops cannot go there")
        tap(self.link)


_declare(DsRed, _ORDERS, False)
_declare(DsRed, _QUESTIONS, True)


@ns2_class("Queue/dsRED/core")
class DsRedCore(DsRed):
    """A core router's queue: it trusts the code points it finds."""


@ns2_class("Queue/dsRED/edge")
class DsRedEdge(DsRed):
    """An edge router's queue: it gives packets their code points."""

    @method("couple", "coupleEW", "limit", "detect")
    def early_warning(self, *words: str) -> None:
        """The policies EW and DEWP."""
        raise NotYet("ns-2 has the policies EW and DEWP; ackclock does not have them yet")


_declare(DsRedEdge, _EDGE_ORDERS, False)
_declare(DsRedEdge, "getCBucket", True)
