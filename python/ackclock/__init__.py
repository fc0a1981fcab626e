"""ackclock: a packet-level simulator of TCP congestion control and queue management.

`run_ns2` runs an ns-2 script and gives back what it printed and wrote. Names are loaded when
they are first used: `ackclock ns2` runs scripts of a tenth of a second, and must not wait for
anything that it does not need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ackclock.process import Ns2Error, Ns2Result, run_ns2

    __version__: str

__all__ = ["Ns2Error", "Ns2Result", "__version__", "run_ns2"]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("ackclock")
    if name in __all__:
        from ackclock import process

        return getattr(process, name)
    raise AttributeError(f"module 'ackclock' has no attribute {name!r}")
