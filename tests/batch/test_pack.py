"""`ackclock pack`: an RO-Crate with everything that is stored, described."""

from __future__ import annotations

import datetime
import hashlib
import json
import zipfile
from pathlib import Path

import pytest

import ackclock as ac
from ackclock.batch.pack import METADATA, PackError, pack
from ackclock.cli import main

TODAY = datetime.date(2026, 11, 24)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    link = ac.Link(rate="2 Mb/s", delay="5 ms")
    scenario = ac.Scenario(
        topology=ac.Dumbbell(pairs=1, bottleneck=link), flows=[ac.Flow(pair=1, tcp="sack")], duration="1 s"
    )
    ac.run(scenario).save(tmp_path / "results")
    (tmp_path / "net.toml").write_text('duration = "1 s"\n', encoding="utf-8")
    return tmp_path / "results"


def test_crate_describes_each_of_its_files(results: Path) -> None:
    crate = results.parent / "crate.zip"
    inputs = [results.parent / "net.toml"]
    count = pack(results, crate, inputs=inputs, name="Réno", authors=["A. Author"], licence="https://x.org", date=TODAY)
    with zipfile.ZipFile(crate) as archive:
        assert archive.testzip() is None
        names = set(archive.namelist())
        graph = {each["@id"]: each for each in json.loads(archive.read(METADATA))["@graph"]}
        for name in names - {METADATA}:
            assert graph[name]["sha256"] == hashlib.sha256(archive.read(name)).hexdigest()
            assert graph[name]["contentSize"] == str(len(archive.read(name)))
    stored = {f"results/{path.relative_to(results).as_posix()}" for path in results.rglob("*") if path.is_file()}
    assert names == stored | {"inputs/net.toml", METADATA}
    assert count == len(names) - 1
    # What RO-Crate 1.1 wants of the root data set and of the file that describes it.
    root = graph["./"]
    assert graph[METADATA]["about"] == {"@id": "./"}
    assert graph[METADATA]["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.1"}
    assert {part["@id"] for part in root["hasPart"]} == names - {METADATA}
    assert (root["name"], root["datePublished"], root["license"]) == ("Réno", "2026-11-24", "https://x.org")
    assert graph[root["author"][0]["@id"]]["name"] == "A. Author"
    assert graph[graph["#simulation"]["instrument"]["@id"]]["softwareVersion"] == ac.__version__


def test_a_store_is_packed_without_its_lock(results: Path) -> None:
    store = results.parent / "store"
    ac.sweep(ac.open(results).scenario, vary={"flows.0.tcp": ["sack", "vegas"]}, store=store)
    assert (store / "sweeps/.lock").exists()
    pack(store, results.parent / "store.zip", date=TODAY)
    with zipfile.ZipFile(results.parent / "store.zip") as archive:
        names = archive.namelist()
    assert "results/sweeps/SHA256SUMS" in names and not [name for name in names if ".lock" in name]


def test_same_results_give_the_same_bytes(results: Path) -> None:
    first, second = results.parent / "a.zip", results.parent / "b.zip"
    pack(results, first, date=TODAY)
    pack(results, second, date=TODAY)
    assert first.read_bytes() == second.read_bytes()


def test_damaged_results_are_refused(results: Path) -> None:
    damaged = next(path for path in sorted(results.iterdir()) if path.suffix == ".parquet" or path.suffix == ".arrow")
    damaged.write_bytes(b"x")
    with pytest.raises(PackError, match="1 damaged or missing"):
        pack(results, results.parent / "crate.zip")
    assert not (results.parent / "crate.zip").exists()


def test_inputs_of_one_name_are_refused(results: Path) -> None:
    other = results.parent / "other"
    other.mkdir()
    (other / "net.toml").write_text("", encoding="utf-8")
    with pytest.raises(PackError, match=r"another input has the name net\.toml"):
        pack(results, results.parent / "crate.zip", inputs=[results.parent / "net.toml", other / "net.toml"])


def test_command(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crate = str(results.parent / "crate.zip")
    assert main(["pack", str(results), "--out", crate]) == 0
    assert capsys.readouterr().out.startswith(crate)
    assert main(["pack", str(results), "--out", crate]) == 1
    assert capsys.readouterr().err == f"ackclock: {crate}: exists already; --replace replaces it\n"
    assert main(["pack", str(results), "--out", crate, "--replace"]) == 0
    assert main(["pack", str(results), "--out", "crate.tar"]) == 1
    assert main(["pack", str(results.parent / "none"), "--out", crate, "--replace"]) == 1
    empty = results.parent / "empty"
    empty.mkdir()
    assert main(["pack", str(empty), "--out", crate, "--replace"]) == 1
    assert "no saved run, store or study found" in capsys.readouterr().err
