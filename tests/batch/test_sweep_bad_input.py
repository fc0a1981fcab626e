"""What goes wrong with a sweep is said in a line, and what is right is kept."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import ackclock as ac
from ackclock.batch.sweep import grid_of, load_grid, stored
from test_sweeps import BASE, GRID, NET, command


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "net.toml").write_text(NET)
    (tmp_path / "grid.toml").write_text(GRID)
    return tmp_path


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        (
            'scenario = "net.toml"\n[vary]\nflows.0.tpc = ["sack"]\n',
            "grid.toml:3: vary.flows.0.tpc: unknown key; expected one of ",
        ),
        ('scenario = "net.toml"\n[vary]\nflows.0.tpc = ["sack"]\n', "nearest known: tcp"),
        (
            'scenario = "net.toml"\n[vary]\ntopology.botleneck.rate = ["1 Mb/s"]\n',
            "nearest known: bottleneck",
        ),
        ('scenario = "net.toml"\nreplication = 3\n', "grid.toml:2: replication: unknown key of a grid"),
        ('scenario = "net.toml"\nreplication = 3\n', "nearest known: replications"),
        (
            'scenario = "net.toml"\n[vary]\nduration = { from = "9 s", to = "1 s", step = "1 s" }\n',
            "grid.toml:3: vary.duration: expected at least one value",
        ),
        ('scenario = "net.toml"\nkeep = ["flow"]\n', 'keep = "flow": expected tables of a run: flows, links'),
        ('scenario = "net.toml"\n[until]\nmetric = "jain"\n', "replications = 1: expected at least 2"),
        ('scenario = "net.toml"\n[until]\nfigure = "jain"\n', "until.figure: renamed; the key is now metric"),
        ('script = "net.toml"\n[figures]\nx = "(.)"\n', "grid.toml:2: figures: renamed; the key is now metrics"),
        ('scenario = "net.toml"\n[until]\nfigur = "jain"\n', "grid.toml:3: until.figur: unknown key"),
    ],
)
def test_a_wrong_grid_is_one_line_and_nothing_is_written(grid: str, message: str, folder: Path) -> None:
    (folder / "grid.toml").write_text(grid)
    done = command("grid.toml", cwd=folder)
    assert done.returncode == 1 and message in done.stderr, done.stderr
    assert done.stderr.startswith("ackclock: ") and done.stderr.count("\n") == 1
    assert not (folder / "out").exists()


def test_a_scenario_given_for_a_grid_is_told(folder: Path) -> None:
    done = command("net.toml", cwd=folder)
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert "net.toml: this is a scenario, not a grid" in done.stderr and "`ackclock run net.toml`" in done.stderr


def test_a_class_that_only_the_grid_names_is_found_beside_it(folder: Path) -> None:
    (folder / "varied.py").write_text("import ackclock as ac\n\n\nclass Mine(ac.CongestionControl):\n    pass\n")
    grid = 'scenario = "net.toml"\n[vary]\nflows.0.control = ["varied:Mine", "nothing:Mine"]\n'
    (folder / "grid.toml").write_text(grid)
    done = command("grid.toml", cwd=folder)
    assert 'vary.flows.0.control = "nothing:Mine": no module nothing' in done.stderr
    (folder / "grid.toml").write_text(grid.replace(', "nothing:Mine"', ""))
    done = command("grid.toml", cwd=folder)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert "varied:Mine" in done.stdout


@pytest.mark.parametrize("jobs", [0, -1, 1.5, True])
def test_a_number_of_jobs_that_is_none_is_refused(jobs: Any, folder: Path) -> None:
    said = f"jobs = {str(jobs).lower()}: expected a number of parallel runs, at least 1"
    with pytest.raises(ac.ScenarioError, match=said):
        ac.sweep(folder / "grid.toml", store=folder / "store", jobs=jobs)
    assert not (folder / "store").exists()


def test_one_in_many_that_fails_is_listed_and_the_others_finish(folder: Path) -> None:
    """Of 400 points one cannot be: a window law of Linux's with a sender that has none."""
    (folder / "net.toml").write_text(NET.replace('"reno"', '"linux"').replace('duration = "2 s"', 'duration = "0.2 s"'))
    tcps = ['"linux"'] * 400
    tcps[317] = '"sack"'
    durations = [f'"{200 + number} ms"' for number in range(400)]
    zipped = f"duration = [{', '.join(durations)}]\nflows.0.tcp = [{', '.join(tcps)}]\n"
    (folder / "grid.toml").write_text(f'scenario = "net.toml"\n[vary]\nflows.0.control = ["cubic"]\n[[zip]]\n{zipped}')
    done = command("grid.toml", "--json", cwd=folder)
    assert done.returncode == 1
    listed, count = done.stderr.splitlines()
    assert listed.startswith(
        "failed: flows.0.control = cubic, duration = 517 ms, flows.0.tcp = sack, replication 0, seed "
    )
    assert 'ScenarioError: flows.0.control = "cubic": ' in listed
    assert count == "ackclock: 1 of 400 runs failed"
    again = command("show", "grid.toml", cwd=folder)
    assert "1 of 400 runs not run yet" in again.stderr


def test_a_measure_that_fails_is_a_failure_in_words(folder: Path) -> None:
    def measure(results: ac.Results) -> dict[str, float]:
        return {"x": {"reno": 1.0}[str(results.scenario.flows[0].tcp)]}

    vary = {"flows.0.tcp": ["reno", "sack"]}
    done = ac.sweep(BASE, vary=vary, replications=2, store=folder / "store", measure=measure)
    assert done.done == 2 and [failure.error for failure in done.failures] == ["measure: KeyError: 'sack'"] * 2
    # The runs are there: with another measure nothing is run again.
    grid = grid_of(BASE, vary, replications=2)
    assert stored(grid, store=folder / "store").done == 4
    done = ac.sweep(BASE, store=folder / "store", measure=lambda results: {"y": float("nan")})
    assert done.failures[0].error == "measure: y = nan: expected a finite number, or no such metric"


def test_tables_that_are_not_kept_give_no_figures(folder: Path) -> None:
    (folder / "grid.toml").write_text(f'keep = ["links"]\n{GRID}')
    done = command("grid.toml", cwd=folder)
    assert (
        done.returncode == 0 and done.stderr == "" and done.stdout.splitlines()[0].split()[-2:] == ["utilisation,", "%"]
    )
    assert command("show", "grid.toml", cwd=folder).stdout == done.stdout


def test_a_store_of_another_version_is_said(folder: Path) -> None:
    """The runs of an ackclock whose code is not this one's do not count, and the user is told of them."""
    package = Path(ac.__file__).parent
    other = folder / "other" / "ackclock"
    shutil.copytree(package, other, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    for library in package.glob("_native*.so"):
        (other / library.name).symlink_to(library)
    with (other / "execution" / "results.py").open("a") as file:
        file.write("\n# another version\n")
    line = [sys.executable, "-m", "ackclock", "sweep", "grid.toml"]
    environment = {**os.environ, "PYTHONPATH": str(folder / "other")}
    subprocess.run(line, cwd=folder, env=environment, check=True, capture_output=True, timeout=120)
    shown = command("show", "grid.toml", cwd=folder)
    assert shown.returncode == 0
    assert shown.stderr.splitlines() == [
        "36 runs in out/store, made by another version of ackclock: not used and not removed",
        "36 of 36 runs not run yet",
    ]
    assert len(load_grid(folder / "grid.toml")) == 9
    done = command("grid.toml", cwd=folder)
    assert done.returncode == 0 and done.stderr == ""
    assert (
        subprocess.run([*line[:-1], "show", "grid.toml"], cwd=folder, env=environment, capture_output=True).stderr
        == b""
    )


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 200 kB."""
    place = tmp_path / "disk"
    place.mkdir()
    line = ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(place)]
    try:
        made = subprocess.run(line, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount(8) to make a small disk with")
    if made.returncode != 0:
        pytest.skip(f"only root may mount a small disk: {made.stderr.strip()}")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def sweep(folder: Path, store: Path, before: Callable[[], None] | None = None) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "ackclock", "sweep", "grid.toml", "--store", str(store)]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=120, check=False, preexec_fn=before)


def goes_on_elsewhere(folder: Path, store: Path) -> None:
    """What a full disk has left is a store, and with room the sweep goes on to the whole."""
    shutil.copytree(store, folder / "roomy", dirs_exist_ok=True)
    done = sweep(folder, folder / "roomy")
    assert done.returncode == 0 and done.stderr == ""
    assert stored(load_grid(folder / "grid.toml"), store=folder / "roomy").done == 900


def test_a_full_disk_ends_the_sweep_in_a_line(folder: Path, small_disk: Path) -> None:
    (folder / "grid.toml").write_text(GRID.replace("replications = 4", "replications = 100"))
    done = sweep(folder, small_disk / "store")
    assert done.returncode == 1 and done.stdout == "" and done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("ackclock: ") and "No space left on device" in done.stderr
    goes_on_elsewhere(folder, small_disk / "store")


def test_a_file_that_cannot_grow_ends_the_sweep_in_a_line(folder: Path) -> None:
    (folder / "grid.toml").write_text(GRID.replace("replications = 4", "replications = 100"))
    done = sweep(folder, folder / "store", limited)
    assert done.returncode == 1 and done.stdout == "" and done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("ackclock: ") and "File too large" in done.stderr
    goes_on_elsewhere(folder, folder / "store")
