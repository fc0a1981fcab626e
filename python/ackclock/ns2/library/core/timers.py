"""`Timer`: what a script's own timers are made from, and the one by which web traffic gives up."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import method, ns2_class
from ackclock.ns2.library.core.engine import EngineObject


@ns2_class("Timer")
class Timer(EngineObject):
    """Calls its `timeout`, which a subclass has, after a while."""

    @method("init")
    def begin(self, simulator: str) -> None:
        """`new`: a timer of this simulator."""
        self.vars["ns_"] = simulator

    @method()
    def sched(self, delay: str) -> None:
        """Call this many seconds from now, and not when it was to be called so far."""
        self.call("cancel")
        self.vars["id_"] = self.interp.call(self.vars["ns_"], "after", delay, f"{self.handle} timeout")

    @method()
    def resched(self, delay: str) -> None:
        """The same."""
        self.call("sched", delay)

    @method("cancel", "destroy")
    def cancel(self) -> None:
        """Call no more."""
        event = self.vars.get("id_")
        if event is not None:
            self.interp.call(self.vars["ns_"], "cancel", event)
            del self.vars["id_"]

    @method()
    def expire(self) -> None:
        """Call now."""
        self.call("timeout")


@ns2_class("ConnTimer")
class ConnectionTimer(Timer):
    """Ends a request of `PagePool/WebTraf` that takes too long, after a random while and by chance."""

    @method("init")
    def begin_request(self, traffic: str, average_s: str) -> None:
        """`new`: for requests of this traffic."""
        self.vars.begin({"ns_": self.simulator.handle, "webtraf_": traffic, "avg_delay_": average_s})

    def _draw(self, kind: str, **settings: str) -> str:
        variable = self.interp.new(f"RandomVariable/{kind}")
        for name, value in settings.items():
            self.interp.call(variable, "set", name, value)
        drawn = self.interp.call(variable, "value")
        self.interp.call("delete", variable)
        return drawn

    @method("sched")
    def wait_for(self, tcp: str, sink: str, client: str, server: str) -> None:
        """Wait for this request."""
        self.vars.begin({"tcp_": tcp, "snk_": sink, "n1_": client, "n2_": server})
        delay = self._draw("Exponential", avg_=self.vars["avg_delay_"])
        self.interp.call("puts", f"delay: {delay}")
        self.next_after(ConnectionTimer, "sched", delay)

    @method()
    def timeout(self) -> None:
        """Wait once more, or give up."""
        tcp, sink, client, server = (self.vars[name] for name in ("tcp_", "snk_", "n1_", "n2_"))
        if float(self._draw("Uniform")) > 0.5:
            self.call("sched", tcp, sink, client, server)
            return
        self.simulator.call("detach-agent", client, tcp)
        self.simulator.call("detach-agent", server, sink)
        self.interp.call(tcp, "reset")
        self.interp.call(sink, "reset")
        self.interp.call(self.vars["webtraf_"], "recycle", tcp, sink)
        self.interp.call("delete", self.handle)
