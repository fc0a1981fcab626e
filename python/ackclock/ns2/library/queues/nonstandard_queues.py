"""Queues that ns-2.35 has not, but well-known patches do: scripts written for these find them under their names.

Source: the names and defaults of K. Nichols' `codel.cc` and `sfqcodel.cc` (2012) and of Cisco's `pie.cc` (2013), as
scripts for them set them. Each is the engine's discipline by its RFC, with the patch's defaults where the two differ:
results are the RFC's, not those of the patch byte for byte.
"""

from __future__ import annotations

import math

from ackclock.ns2.bindings.tcl_object import method, ns2_class
from ackclock.ns2.library.queues.queues import DISCIPLINES
from ackclock.ns2.library.queues.red import ActiveQueue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar

    from ackclock import _native

DISCIPLINES |= {"Queue/CoDel": "codel", "Queue/sfqCoDel": "fq_codel", "Queue/PIE": "pie"}


class PatchedQueue(ActiveQueue):
    """What these have in common: some variables have other names in the engine."""

    #: as `engine_name` gives it -> as the engine has it
    named: ClassVar[dict[str, str]] = {}

    def join(self, link: _native.Link) -> None:
        super().join(link)
        link.queue.reset()

    @method("link")
    def set_link(self, link: str) -> None:
        """The queue is on its link: nothing is computed from it."""

    def engine_get(self, name: str) -> float:
        return super().engine_get(self.named.get(name, name))

    def engine_set(self, name: str, value: float) -> None:
        super().engine_set(self.named.get(name, name), value)


@ns2_class(
    "Queue/CoDel", "Queue", interval_="time=0.1", target_="time=0.005", curq_="int=0", d_exp_="double=0",
    setbit_="bool=false",
)  # fmt: skip
class CoDel(PatchedQueue):
    """CoDel."""

    named: ClassVar[dict[str, str]] = {"setbit": "ecn"}


@ns2_class(
    "Queue/sfqCoDel", "Queue", interval_="time=0.1", target_="time=0.005", curq_="int=0", d_exp_="double=0",
    maxbins_="int=1024", quantum_="int=0", setbit_="bool=false",
)  # fmt: skip
class SfqCoDel(PatchedQueue):
    """FQ-CoDel. A quantum of 0 is the RFC's."""

    named: ClassVar[dict[str, str]] = {"setbit": "ecn", "maxbins": "flows"}

    def engine_set(self, name: str, value: float) -> None:
        if name != "quantum" or value > 0:
            super().engine_set(name, value)


@ns2_class(
    "Queue/PIE", "Queue", a_="double=0.125", b_="double=1.25", tUpdate_="time=0.03", sUpdate_="time=0",
    qdelay_ref_="double=0.02", burst_allowance_="double=0.1", dq_threshold_="int=10000", mean_pktsize_="int=1000",
    bytes_="bool=false", queue_in_bytes_="bool=false", setbit_="bool=false", mark_p_="double=0.1",
    use_mark_p_="bool=true", prob_="double=0", curq_="int=0", qd_="double=0",
)  # fmt: skip
class Pie(PatchedQueue):
    """PIE, with the departure rate measured as the patch does."""

    named: ClassVar[dict[str, str]] = {
        "a": "alpha",
        "b": "beta",
        "t_update": "tupdate",
        "qdelay_ref": "target",
        "burst_allowance": "max_burst",
        "setbit": "ecn",
        "mark_p": "mark_ecnth",
    }

    _most_marked = 0.1

    def join(self, link: _native.Link) -> None:
        link.queue.set_param("dq_rate_estimator", 1.0)
        super().join(link)

    def engine_set(self, name: str, value: float) -> None:
        if name == "use_mark_p":
            # The patch then marks whatever the probability.
            name, value = "mark_p", self._most_marked if value else math.inf
        elif name == "mark_p":
            self._most_marked = value
        super().engine_set(name, value)
