"""What a sweep says besides its numbers: limits that nobody set, and what is kept of one that was interrupted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ackclock as ac
from ackclock.batch import sweep as sweeps
from ackclock.batch.sweep import load_grid
from ackclock.batch.sweep.own_limits import own_limits
from ackclock.cli import main

NET = """\
duration = "1 s"

[topology]
kind = "dumbbell"
pairs = 1
bottleneck = { rate = "1 Mb/s", delay = "5 ms" }

[[flows]]
pair = 1
tcp = "reno"
"""
KINDS = 'topology.bottleneck.queue.kind = ["drop_tail", "fq_codel", "pie"]'


def grid(folder: Path, vary: str, net: str = NET) -> Path:
    (folder / "net.toml").write_text(net)
    (folder / "grid.toml").write_text(f'scenario = "net.toml"\nreplications = 2\n[vary]\n{vary}\n')
    return folder / "grid.toml"


def test_queues_with_limits_of_their_own_are_told(tmp_path: Path) -> None:
    """ns-2's default is 50 packets (`Queue set limit_ 50`), FQ-CoDel's 10240 (RFC 8290, section 5.2.3)."""
    found = own_limits(load_grid(grid(tmp_path, KINDS)))
    assert found.startswith(
        "the queues' own limits differ, as no `limit` is set: drop_tail 50 packets, fq_codel 10240 "
    )
    swept = ac.sweep(tmp_path / "grid.toml", store=tmp_path / "store")
    assert str(swept).splitlines()[-1] == found


@pytest.mark.parametrize(
    ("vary", "net"),
    [
        (KINDS, NET.replace('delay = "5 ms"', 'delay = "5 ms", queue = { limit = "30 packets" }')),
        (f'{KINDS}\ntopology.bottleneck.queue.limit = ["10 packets", "20 packets"]', NET),
        ('flows.0.tcp = ["reno", "sack"]', NET),
        ('topology.bottleneck.queue.kind = ["drop_tail"]', NET),
    ],
    ids=["in the scenario", "varied", "no queue is varied", "one queue"],
)
def test_where_limits_are_set_or_alike_nothing_is_said(tmp_path: Path, vary: str, net: str) -> None:
    assert own_limits(load_grid(grid(tmp_path, vary, net))) == ""


def test_an_interrupted_sweep_says_what_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    grid(tmp_path, 'flows.0.tcp = ["reno"]')
    ac.sweep(tmp_path / "grid.toml", store="store")
    grid(tmp_path, 'flows.0.tcp = ["reno", "sack", "vegas"]')

    def interrupted(*arguments: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sweeps, "sweep", interrupted)
    assert main(["sweep", "grid.toml", "--store", "store"]) == 130
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "ackclock: 2 of 6 runs are in store; the same command goes on from there",
        "ackclock: interrupted",
    ]
    assert main(["sweep", "grid.toml", "--store", "none"]) == 130
    assert "0 of 6 runs are in none" in capsys.readouterr().err
