"""Study 005: its witnesses are small, say what they show, and give the same bytes each time."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import ackclock as ac
from ackclock.batch.study import Outcome, Verdict, find_study, load_study, run_study
from ackclock.batch.study.load import load_code
from ackclock.scenario.formats.read import load

FOLDER = find_study("005")
CODE: Any = load_code(FOLDER / "known_failures.py")
WITNESSES = sorted((FOLDER / "witnesses").glob("*.toml"))


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return run_study(load_study(FOLDER), tmp_path_factory.mktemp("study"), level="quick")


def test_each_search_has_three_small_witnesses() -> None:
    expected = {f"{name}-{seed}" for name in CODE.SEARCH.SEARCHES for seed in CODE.SEARCH.SEEDS}
    assert {path.stem for path in WITNESSES} == expected
    for path in WITNESSES:
        assert len(path.read_text(encoding="utf-8").splitlines()) < 30, path.name


def test_each_witness_fails_as_its_first_lines_say(outcome: Outcome) -> None:
    for path in WITNESSES:
        name, _, seed = path.stem.partition("-")
        text = " ".join(path.read_text(encoding="utf-8").split())
        said = float(re.search(r": ([\d.e-]+), (?:below|above)", text)[1])  # type: ignore[index]
        (checked,) = (each for each in outcome.checked if each.claim.id == f"{name}.found")
        measured: Any = checked.measured
        value = measured.values[f"seed {seed}"]
        found = getattr(value, "base", value)
        assert found < CODE.BOUNDS[name], path.name
        # The study computes its figures by itself; the search takes the first pulse's second for one with a pulse, and
        # its figure of coexistence is DCTCP's share.
        said = 1 - said if name == "coexistence" else said
        assert found == pytest.approx(said, rel=0.15 if name == "lowrate" else 0.01, abs=0.001), path.name


def test_failures_go_with_their_causes(outcome: Outcome) -> None:
    verdicts = {each.claim.id: each.verdict for each in outcome.checked}
    for name in ("lowrate", "early_loss", "latecomer"):
        for part in ("found", "spared", "beside"):
            assert verdicts[f"{name}.{part}"] is Verdict.REPRODUCED, (name, part)
    assert verdicts["stall.found"] is verdicts["coexistence.found"] is Verdict.REPRODUCED


@pytest.mark.parametrize("name", ["stall-3", "vegas-1", "coexistence-2"])
def test_witness_gives_the_same_bytes_each_time(name: str, tmp_path: Path) -> None:
    scenario = load(FOLDER / "witnesses" / f"{name}.toml")
    sums = []
    for number in (1, 2):
        ac.run(scenario).save(tmp_path / str(number))
        sums.append((tmp_path / str(number) / "SHA256SUMS").read_bytes())
    assert sums[0] == sums[1]


def test_search_finds_its_witness_again_with_the_same_bytes(tmp_path: Path) -> None:
    search = CODE.SEARCH.SEARCHES["lowrate"]
    first, looked = search.run(3)
    again, _ = search.run(3)
    assert first is not None and again is not None and 0 < looked <= search.evaluations
    assert first.text == again.text
    first.save(tmp_path / "witness.toml")
    figure = CODE.utilisation(_kept(ac.run(load(tmp_path / "witness.toml"))), load(tmp_path / "witness.toml"))
    assert figure < search.below


def _kept(results: ac.Results) -> Any:
    class Kept:
        def __init__(self) -> None:
            self.results = results

    return Kept()


def test_command_of_a_search_is_the_programs() -> None:
    assert CODE.SEARCH.SEARCHES["latecomer"].command == (
        "ackclock attack ledbat --property latecomer --unlike cubic --features late --cause late --evaluations 1024"
        " --witnesses 1"
    )


def test_wrong_names_of_searches(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        CODE.SEARCH.main(["lowrat"])
    assert "no search lowrat: expected one of lowrate, stall" in capsys.readouterr().err
