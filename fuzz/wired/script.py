"""A script while it is written: its statements, what it has made so far, and the draws."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Flow:
    """A sender, its receiver and what feeds the sender, by their variables."""

    sender: str
    receiver: str
    source: str
    source_node: int
    receiver_node: int
    #: the sender's class
    kind: str
    start_s: float


@dataclass
class Script:
    """Statements in their order, and what later ones may name."""

    seed: int
    statements: list[str] = field(default_factory=list)
    nodes: int = 0
    #: links by their ends, with the class of their queue
    links: dict[tuple[int, int], str] = field(default_factory=dict)
    #: nodes on a LAN
    on_lan: set[int] = field(default_factory=set)
    flows: list[Flow] = field(default_factory=list)
    #: what `finish` prints
    shown: list[str] = field(default_factory=list)
    #: what was taken from the menu, for reports
    used: set[str] = field(default_factory=set)
    traces: bool = False
    animates: bool = False
    end_s: float = 2.0
    count: int = 0

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)

    def say(self, *lines: str) -> None:
        """Add one statement, which a shorter script has whole or not at all."""
        self.statements.append("\n".join(lines))

    def at(self, at_s: float, words: str) -> None:
        """Add an event."""
        self.say(f'$ns at {at_s:g} "{words}"')

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.rng.random() < probability

    def pick(self, words: Sequence[str]) -> str:
        """One of these."""
        return self.rng.choice(words)

    def time(self, first: float = 0.05, last: float = 0.9) -> float:
        """A moment between these parts of the run, s."""
        return round(self.end_s * self.rng.uniform(first, last), self.rng.choice((1, 2, 3)))

    def fresh(self, stem: str) -> str:
        """A variable that the script does not have yet."""
        self.count += 1
        return f"{stem}{self.count}"

    def link(self) -> tuple[int, int]:
        """The ends of one of the links."""
        return self.rng.choice(list(self.links))

    def text(self) -> str:
        """The whole script."""
        return "\n".join(self.statements) + "\n"
