"""An unknown argument of a described part is told as an unknown key of a file is."""

from __future__ import annotations

from typing import Any

import pytest

import ackclock as ac
from ackclock.scenario.errors import RenamedError

#: Not as plain arguments: those a type checker refuses.
OLD: dict[str, Any] = {"pair": 1, "spread": "1 s"}


def test_old_name_tells_the_new_one() -> None:
    with pytest.raises(RenamedError, match=r"^spread: renamed; the key is now start_jitter$"):
        ac.Flow(**OLD)


@pytest.mark.parametrize(("word", "nearest"), [("tpc", "tcp"), ("application", "app"), ("start_jit", "start_jitter")])
def test_unknown_name_tells_the_nearest(word: str, nearest: str) -> None:
    unknown: dict[str, Any] = {"pair": 1, word: "1 s"}
    with pytest.raises(ac.ScenarioError, match=rf"^{word}: unknown key; .*nearest known: {nearest}$"):
        ac.Flow(**unknown)
