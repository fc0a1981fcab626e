"""What a scenario's `seed` may be: a whole number, which is hashed, or the text `ns2:7`, which has ns-2's meaning.

A whole number is hashed with the name of each source of random numbers (`flow/1/1/start`, `link/a->b/queue`), so every
source has a stream of its own, and streams of two seeds or of two names have nothing in common. With `ns2:7`, all draws
come from one stream, whose state has six words that are 7: as after `ns-random 7` in an ns-2 script.
"""

from __future__ import annotations

from typing import Annotated

#: What `typed` finds in an annotation; `crates/scenario` checks the value.
Seed = Annotated[int | str, "seed"]


def hashed_seed(seed: int | str | None) -> int | None:
    """The seed that is hashed; `None` for a seed with ns-2's meaning, and without a seed."""
    return seed if isinstance(seed, int) else None


def ns2_seed(seed: int | str | None) -> int | None:
    """The number of a seed with ns-2's meaning; `None` for all others."""
    return int(seed[4:]) if isinstance(seed, str) else None
