"""How often Python looks for garbage while much is made that stays: objects that hold each other, which are few here.

Source: CPython's `gc`, which looks after 700 new objects (2,000 since 3.12) and then through all that are young.
"""

from __future__ import annotations

import gc

#: New objects between two searches. In a script's process nearly all stay until the end, and looking through them was a
#: fifteenth of a short run's time; of a sweep's next to none hold each other.
OBJECTS_BETWEEN_SEARCHES = 20_000


def collect_seldom() -> None:
    """From now on, in all of the process; where nobody searches at all, or more seldom, that stays."""
    first, *others = gc.get_threshold()
    if 0 < first < OBJECTS_BETWEEN_SEARCHES:
        gc.set_threshold(OBJECTS_BETWEEN_SEARCHES, *others)


class SeldomCollection:
    """The same inside; behind it, what was before."""

    def __enter__(self) -> None:
        self._before = gc.get_threshold()
        collect_seldom()

    def __exit__(self, *_error: object) -> None:
        gc.set_threshold(*self._before)
