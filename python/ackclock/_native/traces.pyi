"""The Rust engine as Python sees it. Written by tools/write_stub.py; do not edit."""

from typing import final

from ackclock._native.network import Link

@final
class Capture:
    """A capture (pcapng) of a run."""

    def add_interface(self, name: str, leaving: list[Link], entering: list[Link]) -> None:
        """A new interface, at the near end of some links and at the far end of others: packets that come to the
        queues of `leaving` and those that `entering` deliver.
        """

@final
class Channel:
    """A file that the engine writes to, through a buffer of its own. `OSError`, with the file's name, where writing
    fails.
    """

    @property
    def number(self) -> int:
        """Its number."""
    def write(self, bytes: bytes) -> None:
        """Appends `bytes`. `KeyError` when it is closed."""
    def flush(self, in_blocks: bool = False) -> None:
        """Hands what is buffered to the file; with `in_blocks` only what Tcl's own buffers would have let go by now."""
    def close(self) -> None:
        """Flushes and closes the file."""

@final
class TracePlace:
    """Where a trace of packets is written: its lines begin with a letter and name two nodes."""

    def set_channels(self, trace: Channel | None, nam: Channel | None) -> None:
        """Sets where lines go, of ns-2's trace and of nam's; nowhere for `None`."""
    def set_nodes(self, from_node: int, to_node: int) -> None:
        """Sets the numbers of the two nodes that lines name."""
    def set_style(self, shows_tcp_header: bool, is_tagged: bool, shows_chunks: bool = False) -> None:
        """Sets how lines look: with the columns of the TCP header, with the tag of an event, one for each chunk of
        SCTP.
        """
    @property
    def number(self) -> int:
        """Its number, by which `Simulation.take_lines` names it."""
    def set_told(self, is_told: bool) -> None:
        """Sets whether `Simulation.take_lines` gives its lines."""
    def annotate(self, text: str) -> None:
        """Writes a remark."""

@final
class VariablePlace:
    """Where one variable of an object is written, as ns-2's `Trace/Var` writes it."""

    def set_channel(self, channel: Channel | None = None) -> None:
        """Sets where lines go; nowhere for `None`."""

@final
class NamPlace:
    """Where nam gets one variable of an agent."""

    def name_agent(self, name: str) -> None:
        """Sets what nam calls the agent."""

__all__ = [
    "Capture",
    "Channel",
    "NamPlace",
    "TracePlace",
    "VariablePlace",
]
