"""Quick-Start: the agent that each router has which takes part."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import ns2_class
from ackclock.ns2.library.tcp import agents
from ackclock.ns2.library.tcp.agents import Agent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native

agents.KINDS["Agent/QSAgent"] = "null"


@ns2_class("Agent/QSAgent")
class QsAgent(Agent):
    """A router's part of Quick-Start."""

    router: _native.QuickStartRouter

    def create(self, *args: str) -> None:
        super().create(*args)
        self.router = self.engine.add_quick_start_router()

    def init_bound(self, defaults: dict[str, str]) -> None:
        super().init_bound(defaults)
        self.router.start()

    def engine_get(self, name: str) -> float:
        try:
            return self.router.param(name)
        except KeyError:
            return super().engine_get(name)

    def engine_set(self, name: str, value: float) -> None:
        try:
            self.router.set_param(name, value)
        except KeyError:
            super().engine_set(name, value)

    def write_bound(self, name: str, value: float) -> None:
        if name == "rate_function_":
            # One for all, the last one set.
            self.engine.set_rate_function(int(value))
            self.bound[name] = value
        else:
            super().write_bound(name, value)
