"""Applications and traffic sources."""

from __future__ import annotations

from ackclock.ns2.library.agents import Agent
from ackclock.ns2.library.engine import EngineObject
from ackclock.ns2.peers import NsError, method, ns2_class
from ackclock.ns2.promises import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar

#: ns-2 class -> the engine's application.
KINDS = {
    "Application/FTP": "ftp",
    "Source/FTP": "ftp",
    "Application/Telnet": "telnet",
    "Source/Telnet": "telnet",
    "Application/Traffic/CBR": "cbr",
    "Application/Traffic/Exponential": "exponential",
    "Application/Traffic/Pareto": "pareto",
}


@ns2_class("Application")
class Application(EngineObject):
    """What feeds an agent."""

    number: int | None = None
    fed: Agent | None = None

    def create(self, *args: str) -> None:
        kind = KINDS.get(type(self).ns2_name)
        if kind is not None:
            self.number = self.engine.add_app(kind)

    def teach(self) -> bool:
        cls = type(self)
        plan = self.interp.plan(self.class_name)
        if cls is Ftp and plan is not None:
            plan.args = None
            self.interp.promises.learn_apps(self.class_name, PlainTransfers(self.interp, (plan,)), KINDS[cls.ns2_name])
        return True

    def engine_get(self, name: str) -> float:
        if self.number is None:
            raise KeyError(name)
        return self.engine.app_param(self.number, name)

    def engine_set(self, name: str, value: float) -> None:
        if self.number is None:
            raise KeyError(name)
        self.engine.set_app_param(self.number, name, value)

    @method("attach-agent")
    def attach_agent(self, agent: str) -> None:
        """Feed this agent."""
        peer = self.interp.peer(agent)
        if not isinstance(peer, Agent):
            raise NsError(f"{agent} is a {peer.class_name}, no agent")
        self.fed = peer
        peer.is_fed = True
        if self.number is not None:
            self.engine.attach_app(self.number, peer.number)

    @method()
    def agent(self) -> str:
        """The agent it feeds."""
        if self.fed is None:
            raise NsError(f"{self.class_name} {self.handle} is attached to no agent")
        return self.fed.handle

    @method()
    def start(self) -> None:
        """Start sending."""
        if self.number is not None:
            self.engine.start_app(self.number)

    @method()
    def stop(self) -> None:
        """Stop sending."""
        if self.number is not None:
            self.engine.stop_app(self.number)

    @method()
    def send(self, count: str) -> None:
        """Hand the agent so many bytes."""
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
        """There are so many packets more."""
        self.interp.call(self.call("agent"), "advanceby", packets)


class PlainTransfers(Kind):
    """File transfers."""

    def finish(self, peer: Any, place: int, *facts: Any) -> None:
        """The script has asked for one of them."""
        peer.number, fed = facts
        peer.fed = self.interp.peer(fed) if fed else None

    def answers(self) -> list[str]:
        class_name = self.plans[0].class_name
        own: dict[str, Callable[..., Any]] = {"attach-agent": Application.attach_agent}
        if self.interp.answer_of(class_name, "agent") is Application.agent:
            own["start"] = Ftp.start
        return self.library_answers(class_name, own)


@ns2_class("Source/FTP", "Application")
class OldFtp(Application):
    """A file transfer of the old style, with a length."""

    def create(self, *args: str) -> None:
        super().create(*args)
        self.vars["maxpkts_"] = "268435456"

    @method()
    def attach(self, agent: str) -> None:
        """Feed this agent."""
        self.vars["agent_"] = agent
        self.call("attach-agent", agent)

    @method()
    def start(self) -> None:
        """Send up to `maxpkts_` packets."""
        self.interp.call(self.vars["agent_"], "advance", self.vars["maxpkts_"])

    @method()
    def stop(self) -> None:
        """What was sent is all there is."""
        self.interp.call(self.vars["agent_"], "advance", "0")

    @method()
    def produce(self, packets: str) -> None:
        """There is data up to this packet."""
        self.interp.call(self.vars["agent_"], "advance", packets)

    @method()
    def producemore(self, packets: str) -> None:
        """There are so many packets more."""
        self.interp.call(self.vars["agent_"], "advanceby", packets)


@ns2_class("Application/Telnet")
class Telnet(Application):
    """Packets at random intervals."""


@ns2_class("Source/Telnet", "Application/Telnet")
class OldTelnet(Telnet):
    """The same in the old style."""

    @method()
    def attach(self, agent: str) -> None:
        """Feed this agent."""
        self.vars["agent_"] = agent
        self.call("attach-agent", agent)


@ns2_class("Application/Traffic")
class Traffic(Application):
    """A source of datagrams. `packet_size_` is another name of `packetSize_`."""

    #: names that scripts use for a variable, and the variable
    other_names: ClassVar = {"packet_size_": "packetSize_"}

    @method("set")
    def set_variable(self, name: str, *value: str) -> str:
        """Read or write a variable."""
        return self.next_after(Traffic, "set", self.other_names.get(name, name), *value)


@ns2_class("Application/Traffic/CBR")
class Cbr(Traffic):
    """Constant bit rate. `interval_` is another way to say the rate."""

    @method("set")
    def set_variable(self, name: str, *value: str) -> str:
        """Read or write a variable."""
        if name != "interval_":
            return self.next_after(Cbr, "set", name, *value)
        if value:
            interval_s = self.interp.call("time_parse", value[0])
            size = self.get_bound("packetSize_")
            return self.call("set", "rate_", self.interp.call("expr", f"{size} * 8.0/{interval_s}")) and ""
        return self.interp.call("expr", f"{self.get_bound('packetSize_')} * 8.0/{self.get_bound('rate_')}")


class OnOff(Traffic):
    """What the on/off sources share: a random stream of their own, and the words of their old names."""

    @method("use-rng")
    def use_rng(self, generator: str) -> None:
        """Draw from this generator."""
        peer = self.interp.peer(generator)
        stream = getattr(peer, "stream", None)
        if stream is None:
            raise NsError(f"{generator} is no RNG")
        assert self.number is not None
        self.engine.app_command(self.number, "use-rng", [str(stream)])


@ns2_class("Application/Traffic/Exponential")
class Exponential(OnOff):
    """On and off for exponential times."""


@ns2_class("Application/Traffic/Pareto")
class Pareto(OnOff):
    """On and off for Pareto times."""


_OLD_WORDS = {"packet-size": "packetSize_", "burst-time": "burst_time_", "idle-time": "idle_time_", "rate": "rate_"}


@ns2_class("Traffic/Expoo", "Application/Traffic/Exponential")
class OldExponential(Exponential):
    """The same in the old style."""

    @method("set")
    def set_variable(self, name: str, *value: str) -> str:
        """Read or write a variable."""
        return self.next_after(OldExponential, "set", _OLD_WORDS.get(name, name), *value)


@ns2_class("Traffic/Pareto", "Application/Traffic/Pareto")
class OldPareto(Pareto):
    """The same in the old style."""

    @method("set")
    def set_variable(self, name: str, *value: str) -> str:
        """Read or write a variable."""
        return self.next_after(OldPareto, "set", {**_OLD_WORDS, "shape": "shape_"}.get(name, name), *value)


KINDS["Traffic/Expoo"] = "exponential"
KINDS["Traffic/Pareto"] = "pareto"
