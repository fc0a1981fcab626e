"""Sweeps: what a grid holds, that each run is done once whoever is killed, and what is said of what is wrong."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import random
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ackclock as ac
from ackclock._internal.checksums import write_sums
from ackclock._native import Table
from ackclock.batch.store import StoreError
from ackclock.batch.sweep import compare_with, grid_of, load_grid, seed_of, stored
from ackclock.batch.sweep.values import values_of
from ackclock.execution.simulate import CompiledScenario, StartedRun
from commands import ackclock

LOSSY = ac.Link(rate="2 Mb/s", delay="10 ms", loss=ac.Loss(rate=0.01))
BASE = ac.Scenario(
    topology=ac.Dumbbell(pairs=2, bottleneck=LOSSY),
    flows=[ac.Flow(pair=1, tcp="reno"), ac.Flow(pair=2, tcp="linux", start="0.1 s")],
    duration="2 s",
    record=ac.Record(sample="0 s"),
)

NET = """\
duration = "2 s"
[topology]
kind = "dumbbell"
pairs = 1
bottleneck = { rate = "2 Mb/s", delay = "10 ms", loss = { rate = 0.01 } }
[[flows]]
pair = 1
tcp = "reno"
[record]
sample = "0 s"
"""

GRID = """\
scenario = "net.toml"
replications = 4
[vary]
flows.0.tcp = ["reno", "sack", "vegas"]
topology.bottleneck.delay = { from = "10 ms", to = "50 ms", step = "20 ms" }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "net.toml").write_text(NET)
    (tmp_path / "grid.toml").write_text(GRID)
    return tmp_path


def command(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return ackclock("sweep", *words, cwd=cwd)


def content(store: Path) -> dict[str, str]:
    """All files of a store, hidden ones too, with a digest of each."""
    return {
        str(file.relative_to(store)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in store.rglob("*")
        if file.is_file()
    }


@pytest.mark.parametrize(
    ("given", "values"),
    [
        ([1, 2], [1, 2]),
        ({"from": "10 ms", "to": "50 ms", "step": "20 ms"}, ["10 ms", "30 ms", "50 ms"]),
        ({"from": 1, "to": 7, "step": 3}, [1, 4, 7]),
        ({"from": 0.1, "to": 0.35, "step": 0.1}, [0.1, 0.2, 0.3]),
        ({"from": 0.0, "to": 1.0, "count": 5}, [0.0, 0.25, 0.5, 0.75, 1.0]),
        (
            {"from": "1 Mb/s", "to": "1000 Mb/s", "count": 4, "scale": "log"},
            ["1 Mb/s", "10 Mb/s", "100 Mb/s", "1000 Mb/s"],
        ),
        ({"from": 1e-4, "to": 1e-2, "count": 3, "scale": "log"}, [1e-4, 1e-3, 1e-2]),
    ],
)
def test_values(given: Any, values: list[Any]) -> None:
    assert values_of(given, "x") == pytest.approx(values) if isinstance(values[0], float) else values


def test_points_are_all_combinations() -> None:
    grid = grid_of(
        BASE,
        {"flows.0.tcp": ["reno", "sack"]},
        [{"duration": ["1 s", "2 s"], "topology.bottleneck.rate": ["8 Mb/s", "4 Mb/s"]}],
    )
    assert len(grid) == 4
    assert [tuple(point.settings.values()) for point in grid.points()] == [
        ("reno", "1 s", "8 Mb/s"),
        ("reno", "2 s", "4 Mb/s"),
        ("sack", "1 s", "8 Mb/s"),
        ("sack", "2 s", "4 Mb/s"),
    ]
    last = list(grid.points())[-1]
    made = grid.scenario(last, 0)
    assert made.flows[0].tcp == "sack" and made.duration == "2 s" and made.topology.bottleneck.rate == "4 Mb/s"  # type: ignore[union-attr]


def test_a_replication_has_its_seed_whatever_else_is_in_the_grid() -> None:
    small = grid_of(BASE, {"flows.0.tcp": ["reno"]}, replications=2, seed=5)
    large = grid_of(BASE, {"duration": ["1 s", "2 s"], "flows.0.tcp": ["sack", "reno"]}, replications=9, seed=5)
    seeds = {large.scenario(point, 1).seed for point in large.points()}
    assert seeds == {seed_of(5, 1)} == {small.scenario(next(small.points()), 1).seed}
    many = {seed_of(seed, replication) for seed in (1, 2) for replication in range(1000)}
    # 63 bits: each half of the range, and of its upper half, has its share (4 sigma).
    assert len(many) == 2000 and all(0 <= seed < 2**63 for seed in many)
    for bit in (0, 31, 32, 62):
        assert abs(sum(seed >> bit & 1 for seed in many) - 1000) < 4 * 22.4


def test_figures_are_those_of_the_runs(tmp_path: Path) -> None:
    done = ac.sweep(BASE, vary={"flows.0.tcp": ["reno", "sack"]}, replications=3, store=tmp_path / "store")
    assert done.done == done.total == 6 and done.failures == []
    row = next(row for row in done.rows() if row["flows.0.tcp"] == "sack" and row["metric"] == "goodput_bps")
    goodputs = []
    for replication in range(3):
        table = BASE.table()
        table["flows"][0]["tcp"] = "sack"
        flows = ac.run(ac.Scenario.of(table), seed=seed_of(1, replication)).flows
        goodputs.append(8 * sum(flows.column("delivered_bytes")) / 2)
    interval = ac.stats.student(goodputs)
    assert (row["n"], row["mean"], row["half_width"]) == (3, interval.mean, interval.half_width)
    assert row["low"] < row["mean"] < row["high"]
    own = ac.sweep(
        BASE,
        vary={"flows.0.tcp": ["reno", "sack"]},
        replications=3,
        store=tmp_path / "store",
        measure=lambda results: {"sent": results.flows.column("sent_packets")[0]},
    )
    assert own.metrics() == ["sent"] and own.cells[0].values("sent")[0] > 100


def test_variants_are_compared_pair_by_pair(folder: Path) -> None:
    (folder / "grid.toml").write_text(GRID + 'duration = ["2 s", "3 s"]\n')
    done = ac.sweep(folder / "grid.toml", store=folder / "store")
    compared = compare_with(done, "flows.0.tcp", "sack")
    assert len(compared) == 2 * 3 * 2 and all(one.settings["flows.0.tcp"] != "sack" for one in compared)
    last = compared[-1]
    alike = [c for c in done.cells if {**c.point.settings, "flows.0.tcp": "vegas"} == dict(last.settings)]
    sack, vegas = (next(c for c in alike if c.point.settings["flows.0.tcp"] == tcp) for tcp in ("sack", "vegas"))
    own = ac.stats.paired(vegas.values("goodput_bps"), sack.values("goodput_bps"))
    assert last.differences["goodput_bps"] == own
    assert last.relative["goodput_bps"] == pytest.approx(own.interval.mean / sack.interval("goodput_bps").mean)  # type: ignore[union-attr]
    shown = command("show", "grid.toml", "--store", "store", "--baseline", "flows.0.tcp=sack", cwd=folder)
    assert shown.returncode == 0 and shown.stdout.splitlines()[-1].startswith("less flows.0.tcp = sack, paired")
    assert len(shown.stdout.splitlines()) == 1 + 12 + 1
    for words, said in (
        ("flows.0.tpc=sack", "nearest known: flows.0.tcp"),
        ("flows.0.tcp=sak", "expected one of reno, sack, vegas; nearest known: sack"),
        ("sack", "expected KEY=VALUE"),
    ):
        wrong = command("show", "grid.toml", "--store", "store", "--baseline", words, cwd=folder)
        assert wrong.returncode == 1 and said in wrong.stderr, wrong.stderr


def test_one_replication_has_no_interval_and_says_so(tmp_path: Path) -> None:
    done = ac.sweep(BASE, store=tmp_path / "store")
    assert all(row["n"] == 1 and row["half_width"] is None for row in done.rows())
    assert str(done).endswith("one replication: no intervals")


def rows(store: Path, table: str) -> list[tuple[str, int]]:
    """Point and seed of each row that the store's files have, as any reader of Parquet finds them."""
    found: list[tuple[str, int]] = []
    for file in sorted(store.glob(f"sweeps/{table}/*.parquet")):
        content = Table.read_parquet(str(file))
        found += zip(content.column("point"), content.column("seed"), strict=True)
    return found


def test_threads_change_nothing_and_a_larger_grid_runs_what_is_new(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ac.sweep(folder / "grid.toml", store=folder / "one", jobs=1)
    ac.sweep(folder / "grid.toml", store=folder / "four", jobs=4)
    assert content(folder / "one") == content(folder / "four")
    assert len(set(rows(folder / "one", "runs"))) == len(rows(folder / "one", "runs")) == 36
    assert len(rows(folder / "one", "links")) == 36 * 6
    ran, begin = [], CompiledScenario.begin

    def counted(self: CompiledScenario, seed: int) -> StartedRun:
        ran.append(seed)
        return begin(self, seed)

    monkeypatch.setattr(CompiledScenario, "begin", counted)
    (folder / "grid.toml").write_text(GRID.replace('"vegas"', '"vegas", "tahoe"'))
    done = ac.sweep(folder / "grid.toml", store=folder / "one")
    assert done.done == 48 and len(ran) == 12 and len(rows(folder / "one", "runs")) == 48


def test_what_is_stored_is_what_was_run(folder: Path) -> None:
    grid = load_grid(folder / "grid.toml")
    first = ac.sweep(grid, store=folder / "store")
    assert stored(grid, store=folder / "store").rows() == first.rows()
    few = load_grid(folder / "grid.toml")
    fewer = stored(replace(few, replications=2), store=folder / "store")
    assert fewer.done == fewer.total == 18 and {row["n"] for row in fewer.rows()} == {2}


def test_figures_need_not_be_of_all_runs(tmp_path: Path) -> None:
    def measure(results: ac.Results) -> dict[str, float]:
        slow = results.scenario.flows[0].tcp == "vegas"
        return {"a": 1.0, "b": 2.0} if slow else {"a": 1.0, "c": 3.0}

    done = ac.sweep(BASE, vary={"flows.0.tcp": ["reno", "vegas"]}, store=tmp_path / "store", measure=measure)
    assert done.metrics() == ["a", "c", "b"] and [cell.values("b") for cell in done.cells] == [[], [2.0]]
    assert done.cells[0].runs == {0: {"a": 1.0, "c": 3.0}}


def test_each_replication_keeps_the_names_of_its_own_flows(tmp_path: Path) -> None:
    """Poisson arrivals give each replication other transfers; what the store reads back is what ran."""
    arrivals = ac.Arrivals(interval="0.2 s", size="10 kB")
    flows = [ac.Flow(name="long", pair=1, tcp="reno"), ac.Flow(name="short", pair=2, tcp="reno", arrivals=arrivals)]
    scenario = replace(BASE, flows=flows)

    def measure(results: ac.Results) -> dict[str, float]:
        assert len(results.names["flows"]) == len(results.flows), "as many names as rows"
        digest = hashlib.sha256("\n".join(results.names["flows"]).encode()).digest()
        return {"names": float(int.from_bytes(digest[:4], "big"))}

    grid = grid_of(scenario, replications=30)
    first = ac.sweep(grid, store=tmp_path / "store", measure=measure)
    again = stored(grid, store=tmp_path / "store", measure=measure)
    assert first.failures == again.failures == []
    assert len(set(first.cells[0].values("names"))) > 1, "all replications had the same transfers"
    assert again.cells[0].values("names") == first.cells[0].values("names")
    for replication, found in again.cells[0].runs.items():
        assert measure(ac.run(scenario, seed=seed_of(1, replication))) == found


#: A sweep that keeps each chunk at once and joins them often, as few at a time as it can, so that whatever it does is
#: met by a kill.
BUSY = """
import sys
import ackclock as ac
from ackclock.batch.store import segments
from ackclock.batch.sweep import execute, load_grid

segments.TOGETHER = 2
execute.CHUNK_S, execute.KEEP_S = 0.01, 0.0
grid = load_grid("grid.toml")
print("begins", flush=True)
ac.sweep(grid, store=sys.argv[1])
"""


def test_a_sweep_that_is_killed_goes_on_to_the_same_store(folder: Path) -> None:
    (folder / "grid.toml").write_text(GRID.replace("replications = 4", "replications = 200"))
    ac.sweep(folder / "grid.toml", store=folder / "whole")
    chance = random.Random(11)
    grid, there, halfway = load_grid(folder / "grid.toml"), 0, 0
    for _ in range(10):
        line = [sys.executable, "-c", BUSY, "killed"]
        with subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE) as running:
            assert running.stdout is not None and running.stdout.readline() == b"begins\n"
            time.sleep(chance.uniform(0, 0.5))
            running.kill()
        now = stored(grid, store=folder / "killed").done
        assert now >= there, "what was kept is lost"
        there = now
        halfway += 0 < now < 1800
    assert halfway > 0, "no kill came in the middle"
    done = ac.sweep(folder / "grid.toml", store=folder / "killed")
    assert done.done == 1800
    assert content(folder / "killed") == content(folder / "whole")


def test_a_sweep_reads_no_table_of_what_others_have_stored(folder: Path) -> None:
    """An evaluation has a hundred sweeps in one store: each looks at the index, and opens what has runs of its own."""
    grid, new = load_grid(folder / "grid.toml"), folder / "store" / "sweeps" / "new"
    ac.sweep(grid_of(BASE, replications=2), store=folder / "store", merge=False)
    (of_another,) = new.iterdir()
    ac.sweep(grid, store=folder / "store", merge=False)
    (of_another / "flows.arrow").unlink()
    assert stored(grid, store=folder / "store").done == 36
    with pytest.raises(StoreError, match=r"flows\.arrow: missing"):
        stored(grid_of(BASE, replications=2), store=folder / "store")


def test_two_sweeps_share_a_store(folder: Path) -> None:
    (folder / "grid.toml").write_text(GRID.replace("replications = 4", "replications = 50"))
    ac.sweep(folder / "grid.toml", store=folder / "whole")
    line = [sys.executable, "-c", BUSY, "shared"]
    both = [subprocess.Popen(line, cwd=folder, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [running.wait(120) for running in both] == [0, 0]
    assert content(folder / "shared") == content(folder / "whole")


def test_runs_of_another_engine_are_not_these(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grid = load_grid(folder / "grid.toml")
    ac.sweep(grid, store=folder / "store")
    assert stored(grid, store=folder / "store").done == 36
    for room in ("work", "plan"):
        monkeypatch.setattr(f"ackclock.batch.sweep.{room}.engine_digest", lambda: "another")
    found = stored(grid, store=folder / "store")
    assert found.done == 0 and found.of_others == 36


def test_a_store_of_another_form_is_refused_in_words(folder: Path) -> None:
    ac.sweep(folder / "grid.toml", store=folder / "store")
    sweeps = folder / "store" / "sweeps"
    for version, form in (("9.9", 7), ("0.1", 2)):
        (sweeps / "format.json").write_text(json.dumps({"form": form, "ackclock": version}))
        if form < 3:
            (sweeps / "SHA256SUMS").unlink()  # older forms have none
        else:
            write_sums(sweeps)
        before = content(folder / "store")
        for words in (["grid.toml"], ["show", "grid.toml"]):
            done = command(*words, "--store", "store", cwd=folder)
            assert done.returncode == 1 and done.stderr.count("\n") == 1
            assert f"written by ackclock {version}, in form {form}" in done.stderr
            assert "Remove it, or give another store, and run again" in done.stderr
        assert content(folder / "store") == before


def test_a_run_that_fails_is_listed_and_the_others_finish(folder: Path) -> None:
    # Each of the two is right alone; together they are not: only Linux's sender has controls.
    text = 'scenario = "linux.toml"\nreplications = 2\n[vary]\nflows.0.tcp = ["linux", "sack"]\n'
    (folder / "linux.toml").write_text(NET.replace('"reno"', '"linux"'))
    (folder / "grid.toml").write_text(text + 'flows.0.control = ["cubic", "reno"]\n')
    done = command("grid.toml", "--csv", "all.csv", cwd=folder)
    assert done.returncode == 1
    assert done.stderr.count("failed: flows.0.tcp = sack, flows.0.control = cubic") == 2
    assert "take a congestion control by name" in done.stderr
    assert done.stderr.splitlines()[-1] == "ackclock: 4 of 8 runs failed"
    rows = list(csv.DictReader(io.StringIO((folder / "all.csv").read_text())))
    assert {row["flows.0.tcp"] for row in rows} == {"linux"} and {row["n"] for row in rows} == {"2"}


def test_the_commands(folder: Path) -> None:
    dry = command("grid.toml", "--dry-run", cwd=folder)
    assert dry.returncode == 0 and not (folder / "out").exists()
    assert "flows.0.tcp = vegas, topology.bottleneck.delay = 50 ms" in dry.stdout
    assert "9 points x 4 replications = 36 runs, 0 in the store" in dry.stdout
    assert dry.stdout.splitlines()[-1].startswith("about ")
    nothing = command("show", "grid.toml", cwd=folder)
    assert nothing.returncode == 0 and "36 of 36 runs not run yet" in nothing.stderr
    done = command("grid.toml", "--metrics", "goodput_bps", cwd=folder)
    assert done.returncode == 0 and done.stderr == ""
    head, *points, foot = done.stdout.splitlines()
    assert head.split() == ["flows.0.tcp", "topology.bottleneck.delay", "n", "goodput_bps,", "Mb/s"]
    assert len(points) == 9 and all(" ± " in line for line in points) and "95 % interval" in foot
    shown = command("show", "grid.toml", "--metrics", "goodput_bps", cwd=folder)
    assert shown.stdout == done.stdout and shown.stderr == ""
    rows = json.loads(command("show", "grid.toml", "--json", cwd=folder).stdout)
    assert {row["n"] for row in rows if row["metric"] == "goodput_bps"} == {4}
    wrong = command("show", "grid.toml", "--metrics", "goodputs", cwd=folder)
    assert wrong.returncode == 1 and "expected metrics: goodput_bps" in wrong.stderr
    column = command("show", "grid.toml", "--metrics", "delay_p95_s", cwd=folder)
    assert column.returncode == 1 and "with a flow's or a group's name: delay_p95_s.NAME" in column.stderr
    alone = command("show", cwd=folder)
    assert alone.stderr == 'ackclock: sweep = "show": expected a grid file after `show`\n'
    lost = command("show", "grid.toml", "--csv", "nowhere/all.csv", cwd=folder)
    assert lost.stderr == "ackclock: nowhere/all.csv: No such file or directory (there is no folder nowhere)\n"


SCRIPT = """\
set said [lindex $argv 0]
if {$said == "wrong"} { error "told to fail" }
ns-random [lindex $argv 2]
set draw [new RNG]; $draw seed [lindex $argv 2]
puts "result: [expr [lindex $argv 1] + [$draw uniform 0 1]] of $said"
"""


def test_scripts(folder: Path) -> None:
    (folder / "lab.tcl").write_text(SCRIPT)
    (folder / "lab.toml").write_text(
        'script = "lab.tcl"\nargs = ["{word}", "{number}", "{seed}"]\nreplications = 2\n'
        '[metrics]\nresult = \'result: (\\S+)\'\n[vary]\nword = ["this", "wrong"]\nnumber = [1, 10]\n'
    )
    done = ac.sweep(folder / "lab.toml", store=folder / "store")
    assert [len(cell.runs) for cell in done.cells] == [2, 2, 0, 0]
    assert len(done.failures) == 4 and "told to fail" in done.failures[0].error
    low, high = done.cells[0].values("result"), done.cells[1].values("result")
    assert [b - a for a, b in zip(low, high, strict=True)] == pytest.approx([9, 9]), "the same numbers for both"
    assert low[0] != low[1]
    assert command("lab.toml", "--store", "store", cwd=folder).returncode == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected either a scenario or a script"),
        ('scenari = "net.toml"', "grid.toml:1: scenari: unknown key of a grid"),
        ('scenario = "no.toml"', "no.toml"),
        ('scenario = "net.toml"\nreplications = 0', "grid.toml:2: replications = 0: expected a whole number"),
        (
            'scenario = "net.toml"\n[vary]\nflows.0.tpc = ["sack"]',
            "grid.toml:3: vary.flows.0.tpc: unknown key",
        ),
        ('scenario = "net.toml"\n[vary]\nflows.0.tcp = ["sak"]', "nearest known: sack"),
        ('scenario = "net.toml"\n[vary]\nflows.7.tcp = ["sack"]', "grid.toml:3: vary.flows.7.tcp: index out of range"),
        (
            'scenario = "net.toml"\n[vary]\nflows.0.tcp = []',
            "grid.toml:3: vary.flows.0.tcp: expected at least one value",
        ),
        ('scenario = "net.toml"\n[vary]\nseed = [1, 2]', "grid.toml:3: vary.seed: expected no seeds here"),
        (
            'scenario = "net.toml"\n[vary]\nduration = { from = "9 s", to = "1 s", step = "1 s" }',
            "grid.toml:3: vary.duration: expected at least one value",
        ),
        (
            'scenario = "net.toml"\n[vary]\nduration = { from = "9 s", to = "10 ms", step = "1 s" }',
            'vary.duration.to = "10 ms": expected the unit of `from`, s',
        ),
        (
            'scenario = "net.toml"\n[[zip]]\nflows.0.tcp = ["sack"]\nduration = ["1 s", "2 s"]',
            "grid.toml:2: zip.0: expected lists of one length, got flows.0.tcp 1, duration 2 values",
        ),
        (
            'scenario = "net.toml"\n[vary]\nduration = ["1 s"]\n[[zip]]\nduration = ["2 s"]',
            "vary.duration: this key is varied twice",
        ),
        ('script = "no.tcl"\n[metrics]\na = "(.)"', 'grid.toml:1: script = "no.tcl": no such script'),
        ('script = "net.toml"', "grid.toml: metrics: expected a table of patterns"),
        ('script = "net.toml"\n[metrics]\na = "x"', "grid.toml:3: metrics.a"),
        (
            'script = "net.toml"\nargs = ["{a}"]\n[metrics]\nx = "(.)"\n[vary]\nb = [1]',
            "unknown argument {b}; expected one of a",
        ),
        ("scenario = ", "not TOML"),
    ],
)
def test_a_wrong_grid_is_one_line(text: str, message: str, folder: Path) -> None:
    (folder / "grid.toml").write_text(text + "\n")
    done = command("grid.toml", cwd=folder)
    assert done.returncode == 1 and message in done.stderr, done.stderr
    assert done.stderr.startswith("ackclock: ") and done.stderr.count("\n") == 1
    assert not (folder / "out").exists()


def test_a_store_that_cannot_be_written_ends_the_sweep(folder: Path) -> None:
    (folder / "store").write_text("a file")
    done = command("grid.toml", "--store", "store", cwd=folder)
    assert done.returncode == 1 and done.stderr.startswith("ackclock: ") and done.stderr.count("\n") == 1
