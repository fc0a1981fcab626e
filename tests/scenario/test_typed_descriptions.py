"""Descriptions as Python objects: equal, shown, copied and pickled as dataclasses are, checked when they are made."""

from __future__ import annotations

import datetime
import pickle
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path
from typing import Any

import pytest

import ackclock as ac
from ackclock import _native
from ackclock.scenario.model.part import Part

WIFI = ac.Wifi(retries=3)
LINK = ac.Link(
    delay="1 ms",
    process=WIFI,
    loss=[ac.Loss(rate=0.1), ac.Loss(kind="gilbert_elliott", p=0.01, r=0.5)],
    reverse=ac.Reverse(queue=ac.Queue(kind="codel"), loss=[]),
)
SCENARIO = ac.Scenario(
    topology=ac.Dumbbell(bottleneck=ac.Link(rate="1 Mb/s", delay="5 ms", queue=ac.Queue(limit="1 BDP")), access=LINK),
    flows=[
        ac.Flow(pair=1, tcp="sack", app=ac.Ftp(size="1 MB"), dscp="EF", parameters={"window_init": "4 packets"}),
        ac.Flow(pair=2, app=ac.Cbr(dither=True), spans=[ac.Span(start="1 s", stop="2 s"), ac.Span(start="3 s")]),
    ],
    changes=[ac.Change(at="1 s", link="router1-router2", up=False)],
    seed="ns2:7",
    duration="5 s",
)


def wrong(value: Any) -> Any:
    """A value whose type is not that of the key, as a user who checks no types gives it."""
    return value


def parts() -> list[type[Part]]:
    return [getattr(ac, part["name"]) for part in _native.scenario_parts()]


def test_it_is_shown_as_what_makes_it() -> None:
    assert eval(repr(SCENARIO), {name: getattr(ac, name) for name in ac.__all__}) == SCENARIO


def test_it_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(SCENARIO)) == SCENARIO


def test_its_table_makes_it_again() -> None:
    assert ac.Scenario.of(SCENARIO.table()) == SCENARIO


def test_a_changed_copy_is_checked() -> None:
    assert replace(LINK, delay="2 ms").delay == "2 ms"
    assert replace(LINK, delay="2 ms") != LINK
    with pytest.raises(ac.ScenarioError, match=r"cost = 0: must be more than 0"):
        replace(LINK, cost=0)


def test_it_does_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        LINK.delay = "2 ms"  # type: ignore[misc]


def test_the_classes_have_the_keys_that_the_crate_reads() -> None:
    for part, cls in zip(_native.scenario_parts(), parts(), strict=True):
        assert [field.name for field in fields(cls)] == [key["name"] for key in part["keys"]]  # type: ignore[arg-type]
        assert cls.part == part["name"]


@pytest.mark.parametrize("cls", parts(), ids=lambda cls: cls.__name__)
def test_defaults_are_those_of_the_crate(cls: Any) -> None:
    """A part with what it needs and no more is the same in both: the crate's defaults, written out, change nothing."""
    needed: dict[str, Any] = {
        "Change": {"at": "1 s", "link": "a-b", "up": True},
        "LossState": {"rate": 0, "next": [1]},
        "Loss": {"rate": 0.5},
        "Precedence": {"code_points": [10], "thresh": "5 packets", "maxthresh": "9 packets", "max_p": 0.1},
        "Policy": {"meter": "none", "code_point": 10},
        "Link": {"rate": "1 Mb/s", "delay": "1 ms"},
        "Arrivals": {"interval": "1 s", "size": "9 packets"},
        "Span": {"start": "0 s"},
        "Flow": {"pair": 1, "tcp": "sack"},
        "Graph": {"nodes": ["a"], "links": []},
        "Scenario": {"duration": "1 s", "flows": [{"pair": 1, "tcp": "sack"}]},
    }
    link, precedence = needed["Link"], needed["Precedence"]
    needed["PhysicalQueue"] = {"precedences": [precedence]}
    needed["DiffServ"] = {"queues": [needed["PhysicalQueue"]]}
    needed |= {name: {"bottleneck": link} for name in ("Dumbbell", "ParkingLot")}
    needed |= {name: {"link": link} for name in ("Star", "Chain")}
    needed["Scenario"]["topology"] = {"kind": "dumbbell", "bottleneck": link}
    part = next(part for part in _native.scenario_parts() if part["name"] == cls.__name__)
    told = {key["name"]: key["default"] for key in part["keys"] if "default" in key}
    given = needed.get(cls.__name__, {})
    assert cls.of(told | given) == cls.of(given)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: ac.Link(rate="1 mb/s", delay="1 ms"),
            'rate = "1 mb/s": mb/s is not a valid unit here; expected a rate',
        ),
        (lambda: ac.Link(delay="1 ms"), "rate: the key is missing; Link needs it, or deliveries, or a process"),
        (lambda: ac.Link(rate="1 Mb/s", delay=wrong(5)), "delay = 5: expected a time such as 5 ms"),
        (lambda: ac.Link(rate="1 Mb/s", delay=wrong(None)), "delay: expected a time such as 5 ms"),
        (lambda: ac.Flow(pair=1, tcp="sack", dscp="EE"), 'dscp = "EE": expected a DSCP, 0 to 63, or a name: DF, LE'),
        (lambda: ac.Flow(pair=1, tcp="sack", app=wrong(WIFI)), "expected Ftp or Cbr"),
        (lambda: ac.Flow(pair=wrong("one"), tcp="sack"), 'pair = "one": expected a whole number'),
        (
            lambda: ac.Flow(pair=1, tcp="sack", control=wrong(int)),
            "control = <class 'int'>: expected a text or a class",
        ),
        (lambda: ac.Loss(kind="list", packets=[3, 3]), "packets.1 = 3: duplicate number"),
        (lambda: replace(SCENARIO, seed=-1), "seed = -1: expected a whole number from 0 to 18446744073709551615"),
        (lambda: replace(SCENARIO, seed=True), "seed = true: expected a whole number from 0"),
        (
            lambda: replace(SCENARIO, seed=wrong(datetime.date(2026, 1, 2))),
            "seed = 2026-01-02: expected a whole number from 0",
        ),
        (lambda: ac.Wifi(cw_max=99_999), "cw_max = 99999: expected a whole number, 15 to 32767"),
    ],
)
def test_a_mistake_is_told_when_it_is_made(make: Any, message: str) -> None:
    with pytest.raises(ac.ScenarioError) as caught:
        make()
    assert message in str(caught.value)


def test_a_recording_is_taken_in(tmp_path: Path) -> None:
    file = tmp_path / "link.trace"
    file.write_text("0\n3\n7\n")
    link = ac.Link(delay="1 ms", deliveries=str(file))
    file.unlink()
    assert link.deliveries == [0, 3, 7] and ac.Link(delay="1 ms", deliveries=[0, 3, 7]) == link
    with pytest.raises(ac.ScenarioError, match="opportunity 2 is at 3 ms, before the one before it") as caught:
        ac.Reverse(deliveries=[5, 3])
    assert caught.value.key == "deliveries"
