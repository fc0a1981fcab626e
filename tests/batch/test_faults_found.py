"""docs/faults-found.md: what each fault does, or did, in its network."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ackclock as ac
from ackclock.scenario.formats.read import load

FAULTS = Path(__file__).resolve().parents[2] / "docs" / "examples" / "faults"


def goodputs_bps(name: str, **first: Any) -> list[float]:
    """The goodputs of an example's flows, the first of which has other values."""
    scenario = load(FAULTS / f"{name}.toml")
    flows = [replace(scenario.flows[0], **first), *scenario.flows[1:]]
    return [row["goodput_bps"] for row in ac.run(replace(scenario, flows=flows)).rows("flows")]


@pytest.mark.parametrize("control", ["reno", "bbr"])
def test_a_segment_that_rack_had_marked_waits_for_the_next_timeout_once_the_timeouts_are_undone(control: str) -> None:
    # RFC 8985, 6.2, step 5: each segment that is neither acknowledged nor marked lost is looked at for each ACK. In
    # Linux 6.18 and here, those that RACK had marked before are not, although F-RTO has taken the marks back.
    scenario = load(FAULTS / "forgotten.toml")
    rows = {}
    for frto in (True, False):
        flow = replace(scenario.flows[0], tcp=control, parameters={"frto": frto})
        (rows[frto],) = ac.run(replace(scenario, flows=[flow])).rows("flows")
    assert rows[True]["timeouts"] == rows[False]["timeouts"] + 1
    # The last timeout comes after the RTO that samples of the outage's length have made: more than the outage itself.
    assert rows[True]["completion_s"] - rows[False]["completion_s"] > 1.5


def test_an_outage_in_startup_is_one_lost_range() -> None:
    # draft-ietf-ccwg-bbr, 5.3.1.3: six discontiguous ranges end Startup. BBR version 3 of google/bbr has 48 Mb/s here,
    # and it had 0.8.
    (bps,) = goodputs_bps("startup")
    assert bps > 20e6


def test_illinois_beside_reno_has_about_what_linux_6_12s_has() -> None:
    # Illinois of Linux 6.12, compiled from its source, has 65 % here, and Reno in its place 58 %. It had 23 %.
    own, other = goodputs_bps("illinois")
    assert own / (own + other) > 0.4


def test_westwood_has_more_than_reno_where_losses_are_random() -> None:
    # Grieco and Mascolo 2004: a random loss does not halve the window. Westwood+ of Linux 6.12, compiled from its
    # source, has 1.8 times as much as Reno here. It had as much.
    (own,), (reno,) = goodputs_bps("westwood"), goodputs_bps("westwood", tcp="reno")
    assert own > 1.3 * reno
