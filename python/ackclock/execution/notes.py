"""What a user should know of a run that its tables do not say."""

from __future__ import annotations

from collections.abc import Callable

from ackclock.scenario.resolve.network import Network


def notes(network: Network) -> Callable[[], list[str]]:
    """A function that gives the notes of a run when it has ended; it does not keep the network.

    There is a note for each flow that never sends, and for each control of the user's own that set windows below 1
    packet.
    """
    found = []
    for name, start_s in network.native.silent_flows():
        found.append(
            f"flow {name} starts at {start_s:g} s, but the run ends at {network.duration_s:g} s: it sent nothing"
        )
    controls = network.code.made()

    def at_the_end() -> list[str]:
        for control in controls:
            if count := int(getattr(control, "windows_below_one", 0)):
                times = "once" if count == 1 else f"{count} times"
                found.append(f"flow {control.name}: its control set a window below 1 packet {times}; 1 counted")
        return list(dict.fromkeys(found))

    return at_the_end
