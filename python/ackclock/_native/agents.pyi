"""The Rust engine as Python sees it. Written by tools/write_stub.py; do not edit."""

from typing import final

from ackclock._native.network import Link, Node
from ackclock._native.simulation import Params
from ackclock._native.traces import Channel, NamPlace, VariablePlace

@final
class Agent:
    """A protocol's end at a node: a TCP sender or receiver, a UDP agent and so on. `KeyError` for a parameter that
    it does not have.
    """

    def set_plugin_control(self, control: object, name: str, number: int, traced: list[str]) -> bool:
        """Lets an object of the user's own, `control`, decide about the window of a TCP sender, from the sender's
        next reset on. `name` and `number` are the flow's; each change of a variable in `traced` is noted. Whether
        the sender is one that lets it.
        """
    def watch(self, name: str, shown: str, channel: Channel, at_once: bool) -> None:
        """Writes a variable to a channel at each change, and now if `at_once`; `shown` is what the lines call it."""
    def watch_for_nam(self, name: str, shown: str, channel: Channel) -> NamPlace:
        """Writes a variable to a channel at each change, in nam's manner; `shown` is what the lines call it."""
    def watch_at(self, name: str, place: VariablePlace) -> None:
        """Writes a variable at a place at each change."""
    def move_variables(self, channel: Channel) -> None:
        """Writes whatever is written of the agent's variables to this channel from now on."""
    def watch_output(self, channel: Channel) -> None:
        """Writes what the agent prints (Linux's congestion controls, TFRC) to a channel."""
    def watch_events(self, trace: Channel | None = None, nam: Channel | None = None) -> None:
        """Writes the events that the agent reports (`E` lines) to the channels of ns-2's trace and of nam's."""
    @property
    def number(self) -> int:
        """Its number, by which `Simulation.run` names it."""
    def param(self, name: str) -> float:
        """A parameter's value."""
    def parameters(self) -> list[tuple[str, float, str, str]]:
        """The parameters that scenarios offer: name, present value, unit, description."""
    def set_param(self, name: str, value: float) -> None:
        """Sets a parameter."""
    def set_params(self, params: Params) -> None:
        """Sets several parameters before anybody watches the agent."""
    def offer_params(self, params: Params) -> list[int]:
        """As `set_params`, for those that the agent has: the places of the others."""
    def attach(self, node: Node, port: int | None = None) -> int:
        """Attaches the agent to a node, at a free port unless `port` is given. The port."""
    def connect(self, other: Agent) -> None:
        """Lets two agents, attached, send to each other."""
    def aim(self, other: Agent) -> None:
        """Lets the agent send to where another one is."""
    def detach(self, node: Node) -> None:
        """Takes the agent from a node; it may be at another one."""
    def reset(self) -> None:
        """Tells the agent that the simulation starts."""
    def send_bytes(self, bytes: int, flags: str = "") -> None:
        """Gives the agent so many bytes to send, -1 for without end; `flags` are an application's own words."""
    def advance(self, packets: int) -> None:
        """Gives the agent so many packets more to send."""
    def close(self) -> None:
        """Ends the connection when all is sent."""
    def done_was_delivered(self) -> None:
        """Tells the agent that its notification that it is done was delivered to the script."""
    def command(self, name: str, arguments: list[str]) -> str:
        """Gives the agent a command; the answer. `SimulationError` for one that it does not know."""
    def listen(self, kind: str | None = None) -> None:
        """Lets `Simulation.run` come back when the agent tells something, of all that or of one kind. `ValueError`
        for a kind that there is not.
        """
    def pass_bucket(self, bucket: TokenBucket) -> None:
        """Lets the agent's packets pass a token bucket on their way to the node."""
    def divert_to(self, other: Agent) -> None:
        """Sends the agent's packets to another agent of its node instead."""

@final
class Application:
    """An application, which feeds an agent. `KeyError` for a parameter that it does not have."""

    def param(self, name: str) -> float:
        """A parameter's value."""
    def set_param(self, name: str, value: float) -> None:
        """Sets a parameter."""
    def attach(self, agent: Agent) -> None:
        """Lets it feed this agent."""
    def start(self) -> None:
        """Starts it."""
    def stop(self) -> None:
        """Stops it."""
    def command(self, name: str, arguments: list[str]) -> str:
        """Gives it a command; the answer. `SimulationError` for one that it does not know."""

@final
class QuickStartRouter:
    """A router that takes part in Quick-Start (RFC 4782). `KeyError` for a parameter that it does not have."""

    def start(self) -> None:
        """Starts its clock, when it has its parameters."""
    def param(self, name: str) -> float:
        """A parameter's value."""
    def set_param(self, name: str, value: float) -> None:
        """Sets a parameter."""
    def add_link(self, link: Link, weight: float, period_s: float, periods: int) -> None:
        """Judges requests that leave the router over this link, and measures the link's use: over `periods` periods
        of `period_s` s each, smoothed by `weight`.
        """

@final
class TokenBucket:
    """A token bucket between an agent and its node. `KeyError` for a parameter that it does not have."""

    def param(self, name: str) -> float:
        """A parameter's value."""
    def set_param(self, name: str, value: float) -> None:
        """Sets a parameter."""

__all__ = [
    "Agent",
    "Application",
    "QuickStartRouter",
    "TokenBucket",
]
