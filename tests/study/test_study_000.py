"""Study 000: its runs are ns-2's, its replications independent, and every level measures and draws all there is."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scipy import stats  # type: ignore[import-untyped]

from ackclock.batch.study import Figure, Run, Runs, find_study, load_study
from ackclock.batch.study.claim import LEVELS
from ackclock.batch.study.load import load_code

STUDY = load_study(find_study("000"))
CODE = load_code(STUDY.code)
SCRIPT = STUDY.folder / "topology.tcl"
SECONDS = 120


def fake_runs(level: str, folder: Path) -> Runs:
    """What the store would keep of the runs of a level."""
    window = folder / "window.dat"
    window.write_text("".join(f"{tenth / 10} {1 + tenth % 20}\n" for tenth in range(10 * SECONDS)))
    return Runs(STUDY, {run.id: fake_run(run, window) for run in STUDY.at(level)})


def fake_run(run: Run, window: Path) -> Any:
    flows = 1 if run.args[0] in ("low", "high") else 5
    noise = run.replication
    per_flow = {str(1 + flow): [110 + noise, 100 + noise + flow, 0.05] for flow in range(flows)}
    reduced = {
        "flows": per_flow,
        "acks": per_flow,
        "bytes": {"tcp": [[1000 + second for second in range(SECONDS)]] * flows, "cbr": [[500] * SECONDS] * 2},
        "cwnd_packets": [10.0] * flows,
        "trace": "the same",
        "queue_max_packets": int(run.args[-1]) - 1 if run.args[0] == "threshold" else 0,
    }
    stdout = "".join(f"tcp {100 + noise + flow} 3 10 0\n" for flow in range(flows)) + f"cbr {190 + noise}\n" * 2
    return SimpleNamespace(stdout=stdout, reduced=reduced, files={"window.dat": window})


@pytest.mark.parametrize("level", LEVELS)
def test_every_level_measures_its_claims_and_draws_its_figures(level: str, tmp_path: Path) -> None:
    runs = fake_runs(level, tmp_path)
    wanted = {claim.id for claim in STUDY.claims_at(level) if claim.rule != "undetermined"}
    assert wanted == set(CODE.measure(runs))
    drawn: list[Figure] = CODE.figures(runs, tmp_path)
    names = {figure.path.stem for figure in drawn}
    assert names >= {"figure1", "figure2", "figure5", "figure6", "figures7to10"}
    assert ("figure11" in names) is (level != "quick")
    for figure in drawn:
        assert figure.path.read_text(encoding="utf-8").rstrip().endswith("</svg>")
        assert all(id in runs for id in figure.runs)


def run_script(program: list[str], folder: Path, arguments: str) -> tuple[str, dict[str, bytes]]:
    folder.mkdir()
    command = [*program, str(SCRIPT), *arguments.split()]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, timeout=120)
    return done.stdout, {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    "arguments",
    [
        "low Vegas DropTail 3",
        "low Sack1 DropTail 2 1.5",
        "high Fack RED 4",
        "fair Sack1 RED 0 40:80",
        "fair Fack RED 2 5:15",
        "fair Vegas+Sack1 RED 2 auto",
        "fair Tahoe DropTail 5",
        "threshold Sack1 REDthresh 2 20",
        "threshold Fack REDmax 3 10",
        "delays Sack1 RED 2 20",
        "far Vegas DropTail 2 300",
    ],
)
def test_runs_are_ns2s(arguments: str, program: list[str], ns: str, tmp_path: Path) -> None:
    assert run_script(program, tmp_path / "ours", arguments) == run_script([ns], tmp_path / "ns2", arguments)


def test_replications_are_independent(program: list[str], tmp_path: Path) -> None:
    """The first gap of a CBR source is (0.5 + u) times 3.36 ms, with u uniform on (0, 1) and new each time."""
    found = []
    for replication in range(1, 25):
        _, files = run_script(program, tmp_path / str(replication), f"threshold Vegas DropTail {replication} 10")
        lines = (line.split() for line in files["out.tr"].decode().splitlines())
        times = [float(line[1]) for line in lines if line[0] == "+" and line[7] == "11"]
        found.append((times[1] - times[0]) / (210 * 8 / 0.5e6) - 0.5)
    # Consecutive seeds gave 0.0003, 0.0007, 0.0010, ...
    assert stats.kstest(found, "uniform").pvalue > 0.01
    assert abs(stats.pearsonr(found[:-1], found[1:]).statistic) < 0.5


@pytest.mark.parametrize("limit", [5, 10])
def test_the_proposed_queue_holds_one_packet_less_than_its_limit(
    limit: int, program: list[str], tmp_path: Path
) -> None:
    _, files = run_script(program, tmp_path / "run", f"threshold Sack1 Management 1 {limit}")
    signs = [line.split()[0] for line in files["out.tr"].decode().splitlines()]
    waiting = longest = 0
    for sign, after in zip(signs, [*signs[1:], ""], strict=True):
        # A packet that is dropped has a line of its own before.
        waiting += {"+": int(after != "d"), "-": -1}.get(sign, 0)
        longest = max(longest, waiting)
    assert longest == limit - 1
