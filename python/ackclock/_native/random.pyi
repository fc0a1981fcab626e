"""The Rust engine as Python sees it. Written by tools/write_stub.py; do not edit."""

from typing import final

def hash_seed(seed: int, name: str) -> int:
    """The hash of a seed and a name, 64 bits."""

@final
class RandomStream:
    """A stream of random numbers (MRG32k3a) outside a simulation."""

    @staticmethod
    def hashed(seed: int, name: str) -> RandomStream:
        """The stream with this name among those of a hashed seed."""
    @staticmethod
    def of_ns2(seed: int) -> RandomStream:
        """The stream of an ns-2 seed: all six words of its state are the seed."""
    @staticmethod
    def sample(seed: int, first: int, every: int, count: int) -> list[int]:
        """Whole numbers of the stream of an ns-2 seed: the first `first`, then each `every`-th, of `count` in all."""
    def state(self) -> list[int]:
        """The six words of the state."""
    def next_substream(self) -> None:
        """Goes to the start of the next substream."""
    def unit(self) -> float:
        """Uniform on (0, 1)."""
    def units(self, count: int) -> list[float]:
        """So many numbers, uniform on (0, 1)."""
    def exponential(self) -> float:
        """Exponential with mean 1."""

@final
class SimulationStream:
    """A stream of random numbers (MRG32k3a) in a simulation."""

    @property
    def number(self) -> int:
        """Its number; 0 is the default stream's."""
    def seed(self, seed: int) -> None:
        """Seeds it; streams made later follow from the seed."""
    def state(self) -> list[int]:
        """The six words of the state."""
    def next_substream(self) -> None:
        """Goes to the start of the next substream."""
    def restart_substream(self) -> None:
        """Goes back to the start of this substream."""
    def unit(self) -> float:
        """Uniform on (0, 1)."""
    def whole(self) -> int:
        """A whole number in [0, 2^31)."""
    def normal(self, mean: float, deviation: float) -> float:
        """Normal with this mean and standard deviation."""

@final
class RandomVariable:
    """A random variable, which draws from a stream of its simulation. `KeyError` for a parameter that it does not
    have.
    """

    @property
    def number(self) -> int:
        """Its number, by which commands of error models name it."""
    def param(self, name: str) -> float:
        """A parameter's value."""
    def set_param(self, name: str, value: float) -> None:
        """Sets a parameter."""
    def set_stream(self, stream: SimulationStream) -> None:
        """Lets it draw from this stream."""
    def set_table(self, table: list[tuple[float, float]]) -> None:
        """Sets the table of an empirical distribution: cumulative probabilities, rising, each with its value."""
    def restart(self) -> None:
        """Draws anew what is drawn once for many values."""
    def draw(self) -> float:
        """The next value."""

__all__ = [
    "RandomStream",
    "RandomVariable",
    "SimulationStream",
    "hash_seed",
]
