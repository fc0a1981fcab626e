"""The Rust engine as Python sees it. Written by tools/write_stub.py; do not edit."""

from typing import final

from ackclock._native.traces import Channel

@final
class Monitor:
    """Counts what passes a queue, or one flow's packets."""

    def param(self, name: str) -> float:
        """A counter or a parameter. `KeyError` for one that there is not."""
    def set_param(self, name: str, value: float) -> None:
        """Sets a counter or a parameter. `KeyError` for one that there is not."""
    def set_nodes(self, from_node: int, to_node: int) -> None:
        """Sets the numbers of the nodes that its lines name."""
    def trace(self, channel: Channel) -> None:
        """Writes each change of the queue's length to a channel."""
    def keep_integral(self, which: str) -> Integral:
        """Keeps the integral of the `bytes` or the `packets` queued; `ValueError` for something else."""
    def keep_histogram(self, which: str, bin_width: int, bins: int) -> None:
        """Keeps a histogram of the TCP segments that leave: `which` is rtts (ms) or seqnos, `ValueError` for
        something else. It has `bins` bins of `bin_width` each.
        """
    def histogram(self, which: str) -> list[int]:
        """Counts in the bins of a histogram that is kept: `which` as in `keep_histogram`."""
    def keep_delay_samples(self) -> None:
        """Keeps samples of the queueing delay."""
    def delay_samples(self) -> tuple[int, float, float]:
        """Count, sum (s) and sum of squares (s²) of the delay samples."""
    def reset_delay_samples(self) -> None:
        """Forgets the delay samples and keeps new ones."""
    def drop_delay_samples(self) -> None:
        """Keeps no delay samples any more."""
    def set_flows(self, table: FlowTable) -> None:
        """Counts for each flow of a table, too."""
    def copy_from(self, source: Monitor) -> None:
        """Takes over what another monitor has counted."""
    def flow(self) -> tuple[int, int, int, str] | None:
        """Source, destination and flow id of the last packet that a monitor of one flow has counted, and what it
        carried.
        """
    def set_tagger(self, fresh: bool, rate_bps: float, depth: float, tokens: float) -> None:
        """Tags the packets of its flow, or those of flows that nobody knew (`fresh`), by a token bucket: its rate in
        bit/s, its depth and its content, `tokens`, in bytes.
        """
    def tagger(self) -> tuple[float, float, float] | None:
        """Rate in bit/s, depth and content in bytes of the token bucket that tags the packets of its flow."""

@final
class Integral:
    """The integral over time of a monitored queue's length, in bytes or packets."""

    def param(self, name: str) -> float:
        """A value: `last_s`, `last_value` or `sum`. `KeyError` for another `name`."""
    def set_param(self, name: str, value: float) -> None:
        """Sets a value by `name`, as in `param`."""
    def add_point(self, at_s: float, value: float) -> None:
        """Adds a point: the function is `value` from `at_s` on."""

@final
class FlowTable:
    """Flows, each with its monitor."""

    def take_fresh_flows(self) -> list[tuple[int, int, int, Monitor]]:
        """Source, destination, flow id and monitor of each flow that was met since the last call."""
    def assign(self, src: int, dst: int, fid: int, monitor: Monitor) -> None:
        """Lets a monitor count a flow."""
    def remove(self, src: int, dst: int, fid: int) -> None:
        """Lets nobody count a flow any more."""

__all__ = [
    "FlowTable",
    "Integral",
    "Monitor",
]
