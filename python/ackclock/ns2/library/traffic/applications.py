"""Applications: what feeds agents, and file transfers."""

from __future__ import annotations

from ackclock.ns2.bindings.lazy_objects import Kind
from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.core.engine import EngineObject
from ackclock.ns2.library.tcp.agents import Agent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ackclock import _native

#: ns-2 class -> the engine's application.
KINDS = {"Application/FTP": "ftp"}


@ns2_class("Application")
class Application(EngineObject):
    """What feeds an agent."""

    native: _native.Application | None = None
    fed: Agent | None = None

    def create(self, *args: str) -> None:
        kind = KINDS.get(type(self).ns2_name)
        if kind is not None:
            self.native = self.engine.add_app(kind)

    def register_lazy(self) -> bool:
        cls = type(self)
        plan = self.interp.plan(self.class_name)
        if cls is Ftp and plan is not None:
            plan.args = None
            self.interp.lazy_objects.learn_apps(
                self.class_name, PlainTransfers(self.interp, (plan,)), KINDS[cls.ns2_name]
            )
        return True

    def engine_get(self, name: str) -> float:
        if self.native is None:
            raise KeyError(name)
        return self.native.param(name)

    def engine_set(self, name: str, value: float) -> None:
        if self.native is None:
            raise KeyError(name)
        self.native.set_param(name, value)

    @method("attach-agent")
    def attach_agent(self, agent: str) -> None:
        """Feed this agent."""
        peer = self.interp.peer_of(agent, Agent, "agent")
        self.fed = peer
        peer.feed()
        if self.native is not None:
            self.native.attach(peer.native)

    @method()
    def agent(self) -> str:
        """The agent it feeds."""
        if self.fed is None:
            raise NsError(f"{self.class_name} {self.handle} is attached to no agent")
        return self.fed.handle

    @method()
    def start(self) -> None:
        """Start sending. A file transfer has this from its own class: `Application::start` does nothing for it."""
        if self.native is not None and not isinstance(self, Ftp):
            self.native.start()
            self.interp.settle_groups()

    @method()
    def stop(self) -> None:
        """Stop sending, as for `start`."""
        if self.native is not None and not isinstance(self, Ftp):
            self.native.stop()

    @method()
    def send(self, count: str) -> None:
        """Hand the agent this many bytes."""
        self.interp.call(self.call("agent"), "send", count)


@ns2_class("Application/FTP")
class Ftp(Application):
    """A file transfer."""

    @method()
    def start(self) -> None:
        """Send without end."""
        self.interp.call(self.call("agent"), "send", "-1")

    @method()
    def stop(self) -> None:
        """What was sent is all there is."""
        self.interp.call(self.call("agent"), "advance", "0")
        self.interp.call(self.call("agent"), "close")

    @method()
    def produce(self, packets: str) -> None:
        """There is data up to this packet."""
        self.interp.call(self.call("agent"), "advance", packets)

    @method()
    def producemore(self, packets: str) -> None:
        """There are this many packets more."""
        self.interp.call(self.call("agent"), "advanceby", packets)


class PlainTransfers(Kind):
    """File transfers."""

    def finish(self, peer: Any, place: int, *facts: Any) -> None:
        """The script has asked for one of them."""
        peer.native, fed = facts
        peer.fed = self.interp.peer(fed) if fed else None

    def answers(self) -> list[str]:
        class_name = self.plans[0].class_name
        own: dict[str, Callable[..., Any]] = {"attach-agent": Application.attach_agent}
        if self.interp.answer_of(class_name, "agent") is Application.agent:
            own["start"] = Ftp.start
        return self.library_answers(class_name, own)
