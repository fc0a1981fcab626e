"""Real packets through a described network, in real time: network namespaces, and the engine between them."""

from ackclock.emulate.emulation import Emulation, EmulationError
from ackclock.emulate.registry import NamespaceError

__all__ = ["Emulation", "EmulationError", "NamespaceError"]
