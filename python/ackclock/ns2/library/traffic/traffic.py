"""Sources other than file transfers: Telnet, datagrams, and those of the old style."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.traffic.applications import KINDS, Application

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar

KINDS.update(
    {
        "Source/FTP": "ftp",
        "Application/Telnet": "telnet",
        "Source/Telnet": "telnet",
        "Application/Traffic/CBR": "cbr",
        "Application/Traffic/Exponential": "exponential",
        "Application/Traffic/Pareto": "pareto",
        "Traffic/Expoo": "exponential",
        "Traffic/Pareto": "pareto",
    }
)


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
        """There are this many packets more."""
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
        assert self.native is not None
        self.native.command("use-rng", [str(stream)])


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
