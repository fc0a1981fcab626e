"""The Rust engine as Python sees it. Written by tools/write_stub.py; do not edit."""

from typing import final

from ackclock._native.agents import Agent
from ackclock._native.network import Link

@final
class GroupTable:
    """A node's table of groups. Packets are told apart by source (`None`: any), group and the interface over which
    they come.
    """

    def add(self, source: int | None, group: int, slot: int, interface: int) -> None:
        """Sends packets of a source for a group that come over an interface to a slot."""
    def change_interface(self, source: int | None, group: int, old: int, new: int) -> None:
        """Expects packets of a source for a group over the interface `new` instead of `old`."""
    def interface(self, source: int | None, group: int) -> int | None:
        """The interface over which packets of a source for a group are to come."""
    def slot(self, source: int | None, group: int, interface: int) -> int | None:
        """The slot of packets that come over an interface; -2 stands for any."""
    def clear(self) -> None:
        """Forgets all groups."""
    def install(self, slot: int, replicator: Replicator | None) -> None:
        """Puts a replicator into a slot, or nothing."""

@final
class Replicator:
    """Passes a copy of each packet to what is in each of its slots."""

    @property
    def number(self) -> int:
        """Its number, by which `Simulation.multicast_question` names it."""
    def set_link(self, slot: int, link: Link) -> None:
        """Puts a link into a slot."""
    def set_agent(self, slot: int, agent: Agent, encapsulates: bool = False) -> None:
        """Puts an agent into a slot. `encapsulates`: it puts packets into others."""
    def clear(self, slot: int) -> None:
        """Empties a slot."""
    def set_silent(self, is_silent: bool) -> None:
        """Sets whether it discards packets without a question when it has no receivers."""

__all__ = [
    "GroupTable",
    "Replicator",
]
