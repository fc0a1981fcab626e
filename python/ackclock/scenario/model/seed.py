"""What a scenario's `seed` may be: a whole number, which is hashed, or the text `ns2:7`, which has ns-2's meaning.

A whole number is hashed with the name of each source of random numbers (`flow/1/1/start`, `link/a->b/queue`), so every
source has a stream of its own, and streams of two seeds or of two names have nothing in common. With `ns2:7`, all draws
come from one stream, whose state has six words that are 7: as after `ns-random 7` in an ns-2 script.
"""

from __future__ import annotations

import re
from typing import Annotated

from ackclock.scenario.errors import ScenarioError

#: What `typed` finds in an annotation.
Seed = Annotated[int | str, "seed"]

#: One more than the largest hashed seed.
SEEDS = 2**64
#: One more than ns-2's largest seed. Its seed 0 is the time of day, which no run could repeat.
NS2_SEEDS = 2**31

PATTERN = r"^ns2:[1-9][0-9]{0,9}$"
EXPECTED = f'a whole number from 0 to {SEEDS - 1}, or "ns2:N" for ns-2\'s stream of seed N, 1 to {NS2_SEEDS - 1}'


def check_seed(seed: object) -> None:
    """Raise `ScenarioError` for what is no seed."""
    is_whole = isinstance(seed, int) and not isinstance(seed, bool) and 0 <= seed < SEEDS
    is_ns2s = isinstance(seed, str) and re.fullmatch(PATTERN, seed) and int(seed[4:]) < NS2_SEEDS
    if not (is_whole or is_ns2s):
        raise ScenarioError(f"expected {EXPECTED}", value=seed)


def hashed_seed(seed: int | str | None) -> int | None:
    """The seed that is hashed; `None` for a seed with ns-2's meaning, and without a seed."""
    return seed if isinstance(seed, int) else None


def ns2_seed(seed: int | str | None) -> int | None:
    """The number of a seed with ns-2's meaning; `None` for all others."""
    return int(seed[4:]) if isinstance(seed, str) else None
