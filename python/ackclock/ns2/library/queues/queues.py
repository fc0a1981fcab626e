"""The usual queues: made before their link is, so what the script sets is kept until then."""

from __future__ import annotations

from ackclock._native import Params
from ackclock.ns2.bindings.tcl_object import NotYet, method, ns2_class
from ackclock.ns2.library.core.engine import OF_USE, engine_name
from ackclock.ns2.library.core.nodes import Connector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native
    from ackclock.ns2.library.core.engine import FirstValues
    from ackclock.ns2.library.core.nodes import PartWorker

#: ns-2 class -> the engine's discipline.
DISCIPLINES = {
    "Queue/DropTail": "drop_tail",
    "Queue/RED": "red",
    "Queue/RED/RIO": "rio",
    "Queue/PI": "pi",
    "Queue/REM": "rem",
    "Queue/Vq": "virtual_queue",
    "Queue/GK": "gibbens_kelly",
    "Queue/FQ": "fq",
    "Queue/SFQ": "sfq",
    "Queue/DRR": "drr",
    "Queue/Management": "management",
}


@ns2_class("Queue")
class Queue(Connector):
    """A queue discipline on a link."""

    link: _native.Link | None = None
    #: what goes before the engine's names of its variables: the class it is in, if it is in one
    place = ""
    #: whether the use of its link is being measured
    is_measured = False
    begins_alike = True

    @property
    def discipline(self) -> str:
        """The engine's name of the discipline."""
        try:
            return DISCIPLINES[type(self).ns2_name]
        except KeyError:
            raise NotYet(f"ns-2 has {type(self).ns2_name}; ackclock does not have it yet") from None

    @property
    def name_in_whole(self) -> str:
        """What the commands of a queue that is made of several call this one."""
        return self.place.removeprefix("class").removesuffix(".")

    def create(self, *args: str) -> None:
        pass

    def describe_part(self) -> tuple[str, PartWorker]:
        assert self.link is not None
        return "queue", self.link

    def take_limit(self, limit: str) -> None:
        """`queue-limit` has set `limit_`, packets; queues that are made of several hand it on."""

    def join(self, link: _native.Link) -> None:
        """The link exists now: hand over what was set before."""
        self.link = link
        waiting, self.bound = self.bound, {}
        place = f"{self.class_name} on a link"
        known = self.interp.defaults_cache.get(place)
        if known is not None and known[0] == waiting and not self.place and not self.is_measured:
            self.bound = known[1].copy()
            self.tell_first(known[2])
            return
        for name, value in waiting.items():
            self.write_bound(name, value)
        told = [(engine_name(name), value) for name, value in waiting.items() if name not in self.bound]
        if not self.place:
            self.interp.defaults_cache[place] = waiting, self.bound.copy(), self.made_ready(told)

    def made_ready(self, params: list[tuple[str, float]]) -> FirstValues:
        return Params(params) if params and type(self).engine_set is Queue.engine_set and not self.place else params

    def tell_first(self, params: FirstValues) -> None:
        if isinstance(params, Params):
            assert self.link is not None
            self.link.queue.set_params(params)
        else:
            super().tell_first(params)

    def engine_get(self, name: str) -> float:
        if self.link is None:
            raise KeyError(name)
        return self.link.queue.param(self.place + name)

    def engine_set(self, name: str, value: float) -> None:
        assert self.link is not None
        self.link.queue.set_param(self.place + name, value)

    def write_bound(self, name: str, value: float) -> None:
        if self.link is None:
            self.bound[name] = value
        elif self.is_measured and name in OF_USE and value != self.read_bound(name):
            raise NotYet(f"{self.class_name} {self.handle}: ackclock takes {name} before its link is made only")
        else:
            super().write_bound(name, value)

    @method()
    def reset(self) -> None:
        """The simulation starts."""
        if self.link is None:
            return
        if self.place:
            self._command(f"reset {self.name_in_whole}")
        else:
            self.link.queue.reset()

    @method("attach-traces")
    def attach_traces(self, source: str, target: str, file: str, op: str = "") -> None:
        """The link is traced: nothing of the queue's own to add."""

    @method("attach-nam-traces")
    def attach_nam_traces(self, source: str, target: str, file: str) -> None:
        """The link is traced for nam."""
        self.call("attach-traces", source, target, file, "nam")

    def _command(self, name: str) -> None:
        if self.link is not None:
            told = self.link.queue.command(name)
            if told:
                from ackclock.ns2.otcl.stdio import stdio

                stdio(self.interp).write(told)

    @method()
    def printstats(self) -> None:
        """Print the true average length."""
        self._command("printstats")

    @method("shrink-queue")
    def shrink_queue(self) -> None:
        """Drop what is over the limit, after the script lowered it."""
        self._command("shrink-queue")


@ns2_class("Queue/DropTail")
class DropTail(Queue):
    """First in, first out."""
