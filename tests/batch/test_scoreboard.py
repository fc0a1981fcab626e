"""The scoreboard: its matrix, its metrics against the runs they are of, Holm's correction, changes, wrong input."""

from __future__ import annotations

import dataclasses
import errno
import html
import json
import math
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ackclock._internal.atomic_file import temporary_path
from ackclock._native import congestion_controls
from ackclock.analysis.report.scoreboard import text
from ackclock.batch.evaluate import together
from ackclock.batch.evaluate.measure import metrics
from ackclock.batch.evaluate.subject import Subject
from ackclock.batch.scoreboard import Scoreboard, changes, load_matrix, prepare, scoreboard, write_folder
from ackclock.batch.scoreboard.cells import own_modules
from ackclock.batch.scoreboard.folder import read_cells, suite_digest
from ackclock.cli import main
from ackclock.execution.simulate import run
from ackclock.scenario import ScenarioError, load
from commands import ackclock
from small_matrix import MATRIX, SUITE

TWO = ("cubic", "bbr")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small matrix, and a store that the tests share."""
    made = tmp_path_factory.mktemp("matrix")
    (made / "small.toml").write_text(SUITE)
    (made / "matrix.toml").write_text(MATRIX)
    return made


@pytest.fixture(scope="module")
def found(folder: Path) -> Scoreboard:
    return scoreboard(file=folder / "matrix.toml", only=TWO, quick=True, store=folder / "store")


def words(folder: Path, *more: str) -> list[str]:
    plain = ["scoreboard", "--matrix", str(folder / "matrix.toml"), "--quick", "--store", str(folder / "store")]
    return [*plain, *(word for name in TWO for word in ("--only", name)), *more]


def test_ackclocks_matrix_has_every_control_eight_queues_and_some_ten_thousand_cells() -> None:
    prepared = prepare(quick=True)
    assert prepared.names == [f"tcp/{name}" for name, _ in congestion_controls("tcp")]
    queues = [one.id for one in prepared.matrix.queue]
    assert len(queues) == 8 and {"drop_tail", "red", "codel", "fq_codel", "pie", "cake", "dualpi2"} < set(queues)
    cells = 0
    for criterion in prepared.suite.criterion:
        beside = 2 if criterion.traffic == "beside" else 1  # the suite's: Reno and CUBIC
        cells += beside * len(criterion.conditions) * len(prepared.names)
    assert 9_000 < cells < 12_000
    every = [one for some in (prepared.matrix.condition, prepared.matrix.queue) for one in some]
    assert all(one.why for one in (*every, *prepared.matrix.criterion)) and all(
        one.why for one in prepared.suite.criterion
    )
    # Each place has the queue that it is named by, with that queue's own limit unless the matrix sets one.
    for condition in prepared.suite.condition:
        queue = condition.scenario.get("topology", {}).get("bottleneck", {}).get("queue", {})
        named = condition.values["queue"]
        assert queue.get("kind", "drop_tail") == named
        assert ("limit" in queue) is (named == "red" or condition.family in ("shallow", "deep", "constrained"))


def test_the_matrix_is_run_judged_and_written(found: Scoreboard, folder: Path) -> None:
    keys = {cell.key for cell in found.cells}
    places = [("plain", "drop_tail"), ("plain", "codel"), ("lossy", "drop_tail"), ("lossy", "codel")]
    expected = {(f"tcp/{one}", "utilisation", *place, "") for one in TWO for place in [*places, ("deep", "drop_tail")]}
    standards = ("tcp/reno", "tcp/cubic")
    expected |= {(f"tcp/{one}", "harm", *place, name) for one in TWO for place in places[:2] for name in standards}
    assert keys == expected and len(found.cells) == len(expected)
    out = write_folder(found, folder / "written", text(found))
    told, cells = read_cells(out)
    assert cells == found.cells
    assert (told["quick"], told["replications"], told["seed"]) == (True, 3, 1)
    assert len((out / "cells.csv").read_text().splitlines()) == len(cells) + 1
    # The scenario of a cell is its first run: what is measured of it is what was judged.
    for cell in (cells[0], cells[-1]):
        row = next(one for one in found.evaluations if one.subject.name == cell.control)
        arm = next(
            arm
            for arm in row.arms
            if arm.subject is row.subject
            and arm.condition == f"{cell.condition}_{cell.queue}"
            and arm.traffic == cell.traffic
            and (not cell.standard or arm.standard.name == cell.standard)
        )
        again = metrics(run(load(out / cell.scenario)), **row.how.measured(arm))
        assert again[cell.criterion] == row.figured[arm][0][cell.criterion]


def test_holms_correction_is_over_the_whole_matrix(found: Scoreboard) -> None:
    """Holm (1979): the i-th smallest of m values times m - i + 1, and none below the one before it."""
    tested = [cell for cell in found.cells if cell.p is not None]
    assert len(tested) == len(found.cells) > 10
    by_hand, least = {}, 0.0
    for place, cell in enumerate(sorted(tested, key=lambda one: one.p or 0.0)):
        assert cell.p is not None
        least = max(least, min(1.0, cell.p * (len(tested) - place)))
        by_hand[cell.key] = least
    assert {cell.key: cell.p_holm for cell in tested} == pytest.approx(by_hand)
    assert {cell.control for cell in tested} == {"tcp/cubic", "tcp/bbr"}


def test_bbr_is_told_from_cubic(found: Scoreboard) -> None:
    """At 2 % random loss Reno has a window of at most sqrt(3/2 / p) = 8.7 packets (Mathis et al. 1997, equation 3, with
    an ACK for each packet), and CUBIC, whose own would be smaller, that of Reno (RFC 9438, 4.3). BBR does not reduce
    for such losses (Cardwell et al. 2016, figure 8): it has all that arrives of 12 packets, 3 Mb/s * 48 ms / 1500 B.
    """
    ratio = 0.98 * 12 / math.sqrt(1.5 / 0.02)
    assert ratio == pytest.approx(1.36, abs=0.01)
    for queue in ("drop_tail", "codel"):
        lossy = {cell.control: cell for cell in found.cells if cell.condition == "lossy" and cell.queue == queue}
        assert (lossy["tcp/cubic"].mean or 0) < ratio < (lossy["tcp/bbr"].mean or 0), queue
        assert lossy["tcp/bbr"].verdict == "met"


def test_a_standard_is_never_not_met_against_itself(folder: Path) -> None:
    for seed in range(1, 7):
        found = scoreboard(
            file=folder / "matrix.toml", only=("cubic", "reno"), quick=True, seed=seed, store=folder / "store"
        )
        assert all(one.seed != 1 for one in found.evaluations)  # 1 is that of the standards in their own place
        assert [cell.key for cell in found.cells if cell.verdict == "not met"] == []
        assert any(cell.low != cell.high for cell in found.cells)


def test_what_changed_is_named(found: Scoreboard, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words(folder, "--out", str(folder / "old"))) == 0
    table = json.loads((folder / "old" / "cells.json").read_text())
    other, apart, near, gone = (table["cells"][number] for number in (0, 1, 2, 3))
    other["verdict"] = "not met"
    width = apart["high"] - apart["low"]
    apart["low"], apart["mean"], apart["high"] = (apart[name] + 2 * width for name in ("low", "mean", "high"))
    near["mean"] += 0.1 * (near["high"] - near["low"])
    gone["condition"] = "long_ago"
    (folder / "old" / "cells.json").write_text(json.dumps(table))
    capsys.readouterr()
    assert main(words(folder, "--out", str(folder / "new"), "--since", str(folder / "old"))) == 0
    same = len(found.cells) - 4
    told = f"1 other verdicts, 1 intervals moved, 1 other numbers, {same} the same, 1 new, 1 gone"
    assert told in capsys.readouterr().out
    page = (folder / "new" / "index.html").read_text()
    assert "1 cells have another verdict, 1 the same verdict and an interval elsewhere" in page
    unchanged = changes(found.cells, found.cells, "itself")
    assert (unchanged.verdicts, unchanged.moved, unchanged.differ) == ([], [], 0)


def test_intervals_that_touch_have_not_moved(found: Scoreboard) -> None:
    one = dataclasses.replace(found.cells[0], mean=1.0, low=0.9, high=1.1)
    pairs = {(1.05, 1.0, 1.2): (0, 1), (1.2, 1.1, 1.3): (0, 1), (1.3, 1.2, 1.4): (1, 0), (1.05, None, None): (0, 1)}
    for (mean, low, high), (moved, differ) in pairs.items():
        now = dataclasses.replace(one, mean=mean, low=low, high=high)
        got = changes([now], [one], "")
        assert (len(got.moved), got.differ) == (moved, differ), (mean, low, high)


def test_a_control_of_ones_own_is_a_row(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "board_mine.py").write_text(
        "import ackclock as ac\nclass Gentle(ac.CongestionControl):\n"
        "    def on_loss(self, state):\n        state.cwnd_packets = state.ssthresh_packets = state.window_packets\n"
    )
    monkeypatch.chdir(tmp_path)
    assert main([*words(folder, "--only", "plain", "--only", "utilisation"), "board_mine:Gentle", "bbr"]) == 0
    printed = capsys.readouterr().out
    assert [line.split()[0] for line in printed.splitlines()[1:4]] == ["tcp/cubic", "tcp/bbr", "board_mine:Gentle"]
    told, cells = read_cells(tmp_path / "out" / "scoreboard")
    assert list(told["own_code"]) == ["board_mine:Gentle"]
    own = next(cell for cell in cells if cell.control == "board_mine:Gentle")
    # The module lies beside its scenarios.
    (tmp_path / "board_mine.py").unlink()
    assert ackclock("run", own.scenario, cwd=tmp_path / "out" / "scoreboard").returncode == 0


WRONG: dict[str, tuple[list[str], str]] = {
    "control": (["--only", "cubik"], 'only = "cubik": expected a control, criterion, condition or queue'),
    "queue": (["--only", "codell"], "nearest known: codel"),
    "criterion": (["--only", "utilization"], "nearest known: utilisation"),
    "added": (["bbrr"], 'variant = "bbrr": expected a TCP variant'),
    "replications": (["--replications", "1"], "replications = 1: expected at least 2"),
    "jobs": (["--jobs", "0"], "--jobs = 0: expected a number of parallel runs, at least 1"),
    "dask": (["--jobs", "1", "--dask", "tcp://x:1"], "--jobs cannot be used with --dask"),
    "nothing": (["--only", "deep", "--only", "harm"], "none of these criteria is judged"),
    "store": (
        ["--store", "out/scoreboard/store"],
        '--store = "out/scoreboard/store": expected a folder apart from --out',
    ),
    "store is out": (["--store", "out/scoreboard"], "expected a folder apart from --out"),
    "out in store": (["--store", "out"], "expected a folder apart from --out"),
    "store by another way": (["--store", "x/../out/scoreboard/y"], "expected a folder apart from --out"),
    "since": (["--since", "nowhere"], 'since = "nowhere": expected a folder of a scoreboard: it has no cells.json'),
}


@pytest.mark.parametrize("name", WRONG)
def test_errors_name_what_was_wrong(
    name: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    given, said = WRONG[name]
    assert main([*words(folder), *given]) == 1
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_an_older_scoreboard_of_another_kind_is_refused(
    found: Scoreboard, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = write_folder(found, tmp_path / "old", text(found))
    table = json.loads((out / "cells.json").read_text())
    changed: list[tuple[dict[str, Any], str]] = [
        ({"format_version": 1}, "in format version 1; ackclock"),
        ({"format_version": None, "form": 1}, "in format version 1; ackclock"),
        ({"format": "other"}, "not what a scoreboard writes"),
        ({"quick": False}, "this one has quick = true, that one false"),
        ({"replications": 7}, "this one has replications = 3, that one 7"),
        ({"seed": 2}, "this one has seed = 1, that one 2"),
        ({"cells": [{"control": "x"}]}, "not what a scoreboard writes"),
        *(({name: None}, f"it has no {name}") for name in ("engine", "seed", "only", "controls", "suite_sha256")),
        (
            {"only": ["cubic"], "controls": ["tcp/cubic"]},
            "--only differs: this one alone has bbr, that one alone none",
        ),
        (
            {"controls": ["tcp/cubic", "tcp/newer"]},
            "the controls differ: this one alone has tcp/bbr, that one alone tcp/newer",
        ),
        ({"suite_sha256": 64 * "0"}, "conditions, queues, criteria or bounds differ"),
    ]
    for change, said in changed:
        changed_table = {key: value for key, value in {**table, **change}.items() if value is not None}
        (out / "cells.json").write_text(json.dumps(changed_table))
        assert main(words(folder, "--since", str(out), "--out", str(tmp_path / "new"))) == 1
        assert said in capsys.readouterr().err
    (out / "cells.json").write_text("{")
    assert main(words(folder, "--since", str(out), "--out", str(tmp_path / "new"))) == 1
    assert "not what a scoreboard writes" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_a_folder_with_something_else_stays(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years")
    assert main(words(folder, "--out", str(tmp_path / "mine"))) == 1
    assert "this holds something else" in capsys.readouterr().err
    assert [one.name for one in (tmp_path / "mine").iterdir()] == ["thesis.tex"]


def test_what_a_user_has_put_beside_an_older_scoreboard_stays(
    found: Scoreboard, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = write_folder(found, tmp_path / "board", text(found))
    (out / "store").mkdir()
    assert main(words(folder, "--out", str(out))) == 1
    assert "this also holds store" in capsys.readouterr().err
    assert sorted(one.name for one in out.iterdir()) == ["cells.csv", "cells.json", "index.html", "scenarios", "store"]


def test_a_folder_that_cannot_be_written_leaves_the_older_one(
    found: Scoreboard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = write_folder(found, tmp_path / "board", "the older page")
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}

    def full(*_: object) -> str:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("ackclock.batch.scoreboard.folder._csv", full)
    for target in (out, tmp_path / "new"):
        with pytest.raises(OSError, match="No space left"):
            write_folder(found, target, "the newer page")
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    assert [one.name for one in tmp_path.iterdir()] == ["board"]


def test_what_a_killed_process_left_goes_when_there_is_a_new_scoreboard(
    found: Scoreboard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    out = write_folder(found, tmp_path / "board", "the older page")
    # Killed between the two renames: the older one has another name.
    left = Path(temporary_path(out).replace(f".{os.getpid()}.", f".{ended.pid}."))
    out.rename(left)
    with monkeypatch.context() as patched, pytest.raises(TypeError):
        patched.setattr("ackclock.batch.scoreboard.folder._csv", None)
        write_folder(found, out, "the newer page")
    assert [one.name for one in tmp_path.iterdir()] == [left.name] and (left / "cells.json").is_file()
    write_folder(found, out, "the newer page")
    assert [one.name for one in tmp_path.iterdir()] == ["board"]


def test_the_digest_of_the_suite_is_of_what_runs_and_judges(found: Scoreboard) -> None:
    suite = found.suite
    (first, *rest) = suite.criterion

    def digest(**change: Any) -> str:
        return suite_digest(dataclasses.replace(found, suite=dataclasses.replace(suite, **change)))

    assert digest(title="other words") == suite_digest(found)
    assert digest(criterion=[dataclasses.replace(first, why="other words"), *rest]) == suite_digest(found)
    assert digest(criterion=[dataclasses.replace(first, bound="0.7"), *rest]) != suite_digest(found)
    lossy = dataclasses.replace(suite.condition[0], flows=[{"name": "more", "pair": 1, "tcp": "cubic"}])
    assert digest(condition=[lossy, *suite.condition[1:]]) != suite_digest(found)


def test_the_command_on_the_page_makes_the_page(folder: Path, tmp_path: Path) -> None:
    """Also the number of replications, the seed and a row that is the matrix's and was restricted away."""
    options = ["--only", "cubic", "--only", "plain", "--only", "utilisation", "--replications", "2", "--seed", "5"]
    given = ["scoreboard", "--matrix", str(folder / "matrix.toml"), "--quick", "tcp/vegas", *options]
    where = ["--store", str(folder / "store"), "--out"]
    assert main([*given, *where, str(tmp_path / "first")]) == 0
    page = (tmp_path / "first" / "index.html").read_text()
    shown = re.search(r"<code>(ackclock scoreboard .*?)</code>", page)
    assert shown is not None
    again = shlex.split(html.unescape(shown[1]))[1:]
    assert main([*again, *where, str(tmp_path / "second")]) == 0
    for name in ("cells.json", "index.html"):
        assert (tmp_path / "first" / name).read_text() == (tmp_path / "second" / name).read_text()


def test_a_control_of_the_kernel_is_called_so(found: Scoreboard) -> None:
    kernel = Subject("kernel:bbr", {"tcp": "kernel:bbr"}, 64 * "a")
    own = Subject("nobodys:Control", {"tcp": "tcp", "control": "nobodys:Control"}, 64 * "b")
    named = [dataclasses.replace(one, subject=who) for one, who in zip(found.evaluations, (kernel, own), strict=True)]
    page = text(dataclasses.replace(found, evaluations=named))
    assert re.search(r"kernel:bbr is a congestion control of the Linux kernel, [^<]* <code>a{64}</code>", page)
    assert re.search(r"nobodys:Control is the user(&#39;|')s own, in Python; [^<]* <code>b{64}</code>", page)
    assert list(own_modules(named)) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('id = "drop_tail"\n', 'id = "red"\n', 'queue.0.id = "red": expected "drop_tail" first'),
        (
            'title = "drop-tail"\n',
            'title = "drop-tail"\nsettings = { limit = "1 BDP" }\n',
            "queue.0.settings: expected none",
        ),
        ('title = "CoDel"\n', 'title = "CoDel"\nsettings = { limt = "1 BDP" }\n', "queue.1.settings.limt: unknown key"),
        (
            'title = "CoDel"\n',
            'title = "CoDel"\nsettings = { parameters = { targett = "5 ms" } }\n',
            'queue.1.settings.parameters.targett = "5 ms": a codel queue has no such parameter; nearest known: target',
        ),
        ('id = "codel"\n', 'id = "drop_tail"\n', 'queue.1.id = "drop_tail": duplicate name'),
        ('id = "codel"', 'id = "codle"', "nearest known: codel"),
        ('id = "lossy"\nqueues = "all"', 'id = "losy"\nqueues = "all"', "nearest known: lossy"),
        ('id = "deep"\nqueues = "own"', 'id = "deep"\nqueues = "all"', "this condition sets a queue itself"),
        ('id = "harm"', 'id = "seen"', "expected a criterion that is judged"),
        ('conditions = ["plain"]', 'conditions = ["deep"]', "expected a condition of harm"),
        ('queues = "own"', 'queues = "some"', "expected in which queues: all, own"),
    ],
)
def test_an_error_in_a_matrix_has_its_line(old: str, new: str, said: str, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SUITE)
    wrong = MATRIX.replace(old, new)
    assert wrong != MATRIX
    file = tmp_path / "wrong.toml"
    file.write_text(wrong)
    with pytest.raises(ScenarioError, match=said) as caught:
        load_matrix(file)
    assert caught.value.file == file and caught.value.line


def test_ctrl_c_keeps_what_is_done_and_says_so(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "store"
    given = [*words(folder), "--store", str(store), "--out", str(tmp_path / "board")]
    original, calls = together._run_alike, []

    def interrupted(*arguments: Any) -> None:
        calls.append(arguments)
        if len(calls) > 1:
            raise KeyboardInterrupt
        original(*arguments)

    monkeypatch.setattr(together, "_run_alike", interrupted)
    assert main(given) == 130
    total = prepare(file=folder / "matrix.toml", only=TWO, quick=True)
    kept = total.stored(store)
    assert 0 < kept < total.runs
    assert f"{kept} of {total.runs} runs are in {store}; the same command goes on from there" in capsys.readouterr().err
    assert sorted(one.name for one in tmp_path.iterdir()) == ["store"]
    monkeypatch.setattr(together, "_run_alike", original)
    assert main(given) == 0
    assert main(words(folder, "--out", str(tmp_path / "whole"))) == 0
    assert (tmp_path / "board" / "cells.json").read_text() == (tmp_path / "whole" / "cells.json").read_text()


def test_a_dry_run_says_how_much_there_is(folder: Path, capsys: pytest.CaptureFixture[str], found: Scoreboard) -> None:
    assert main(words(folder, "--dry-run")) == 0
    printed = capsys.readouterr().out
    assert f"2 controls, 5 places, 2 criteria: {len(found.cells)} judged cells" in printed
    assert f"3 replications = {found.runs} runs, {found.runs} in the store" in printed
