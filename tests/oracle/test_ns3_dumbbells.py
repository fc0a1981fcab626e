"""Senders and queue disciplines beside what ns-3 gave on the same dumbbells (tools/compare_with_ns3.py)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import compare_with_ns3 as ns3

CASES = {**ns3.SENDERS, **ns3.QUEUES}
PLACES = [(name, where) for name, case in CASES.items() for where in case.on]


@pytest.mark.parametrize(("name", "where"), PLACES)
def test_as_in_ns3(name: str, where: str) -> None:
    theirs = ns3.recorded()[1][name][where]
    mine = ns3.ours(CASES[name], ns3.DUMBBELLS[where])
    assert sum(mine["goodput_bps"]) == pytest.approx(sum(theirs["goodput_bps"]), rel=0.05)
    near = mine["queue_packets"] == pytest.approx(theirs["queue_packets"], rel=0.15, abs=2.0)
    assert near == ((name, where) not in ns3.DEPARTURES)


def test_the_record_is_of_these_cases() -> None:
    assert {name: set(places) for name, places in ns3.recorded()[1].items()} == {
        name: set(case.on) for name, case in CASES.items()
    }
