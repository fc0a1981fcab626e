"""Random wired scripts give what the installed ns-2 gives; `python -m fuzz.wired` runs other seeds."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from fuzz.wired.compare import DIFFERS, compare
from fuzz.wired.generate import script

SEEDS = range(3, 15)


def test_a_script_is_a_function_of_its_seed() -> None:
    assert script(5).text() == script(5).text() != script(6).text()


@pytest.mark.skipif(shutil.which("ns") is None, reason="ns-2 is not installed")
@pytest.mark.parametrize("seed", SEEDS)
def test_random_scripts_are_like_ns2(seed: int, tmp_path: Path) -> None:
    outcome = compare(script(seed).text(), tmp_path)
    assert outcome.result != DIFFERS, outcome.why
