"""Opening what is stored imports no code: a saved run, a recording or a store that names a module leaves it alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import ackclock as ac
from ackclock._internal.checksums import write_sums
from ackclock.batch.store import Store
from ackclock.batch.sweep import load_grid, stored
from ackclock.scenario.formats import as_tcl, as_toml
from ackclock.scenario.resolve.network import resolve
from ackclock.server.app import application
from ackclock.server.catalog import Catalog
from commands import ackclock

#: A module that writes a file when it is imported.
EVIL = """\
import os
from pathlib import Path

Path(__file__).with_name("imported").touch()

import ackclock as ac


class Evil(ac.CongestionControl):
    gain = 1.0


class Tail(ac.QueueDiscipline):
    limit = 7
"""

NET = """\
duration = "2 s"

[topology]
kind = "dumbbell"
pairs = 1
bottleneck = { rate = "2 Mb/s", delay = "10 ms", queue = { kind = "evil_mod:Tail" } }

[[flows]]
pair = 1
tcp = "sack"
control = "evil_mod:Evil"
parameters = { gain = 0.5 }

[record]
packets = PACKETS
"""

PLAIN = NET.replace('control = "evil_mod:Evil"\nparameters = { gain = 0.5 }', "").replace(
    ', queue = { kind = "evil_mod:Tail" }', ""
)


def cli(*words: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A command that would find the module: its folder is on the path."""
    return ackclock(*words, cwd=cwd, PYTHONPATH=str(cwd))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the module and a run of it, `kept`, and one without packets, `few`. The module can be imported."""
    (tmp_path / "evil_mod.py").write_text(EVIL)
    for name, packets in (("kept", "true"), ("few", "false")):
        (tmp_path / "net.toml").write_text(NET.replace("PACKETS", packets))
        done = cli("run", "net.toml", "--out", name, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "imported").exists(), "a scenario file that is run directly imports what it names"
    (tmp_path / "imported").unlink()
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("evil_mod", None)


def test_opening_and_drawing_import_nothing(folder: Path) -> None:
    results = ac.open(folder / "kept")
    assert results.scenario.flows[0].control == "evil_mod:Evil"
    assert resolve(results.scenario, to_run=False).flows[0].control == "evil_mod:Evil"
    assert "evil_mod:Evil" in as_toml.text(results.scenario)
    results.save(folder / "again")
    assert json.loads((folder / "again" / "run.json").read_text())["scenario"] == results.scenario.table()
    for picture in ("cwnd", "throughput", "queue", "loss", "sequence", "topology"):
        getattr(results.plot, picture)().save(folder / f"{picture}.png")
    assert "evil_mod" not in sys.modules and not (folder / "imported").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("report", "kept"),
        ("report", "kept", "few", "--out", "two.html"),
        ("plot", "kept", "--what", "cwnd,queue,topology"),
        ("check", "kept"),
    ],
    ids=" ".join,
)
def test_commands_that_show_import_nothing(folder: Path, words: tuple[str, ...]) -> None:
    done = cli(*words, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert not (folder / "imported").exists()


def test_the_limit_of_a_queue_that_is_not_imported_is_not_made_up(folder: Path) -> None:
    # `Tail` has 7, its base class 50: neither is known without the module.
    links = resolve(ac.open(folder / "kept").scenario, to_run=False).links
    assert [link.parameters for link in links if link.queue.kind == "evil_mod:Tail"] == [{}, {}]


def test_recordings_import_nothing(folder: Path) -> None:
    catalog = Catalog(folder=folder)
    with TestClient(application(catalog), base_url="http://127.0.0.1") as client:
        ids = {file["name"]: file["id"] for file in client.get("/api/about").json()["files"]}
        head = client.get(f"/api/recordings/{ids['kept']}").json()
        assert head["chunks"] and head["scenario"]["flows"][0]["control"] == "evil_mod:Evil"
        refused = client.get(f"/api/recordings/{ids['few']}")
    catalog.close()
    assert refused.status_code == 422
    said = refused.json()["error"]
    assert "would import evil_mod:" in said and f"ackclock run {folder / 'few'} --allow-code --trace out.tr" in said
    assert not (folder / "imported").exists()


def test_running_again_is_refused_until_it_is_allowed(folder: Path) -> None:
    scenario = ac.open(folder / "few").scenario
    changed = replace(scenario, duration="1 s", flows=[replace(scenario.flows[0], window="9 packets")])
    for again in (scenario, changed, scenario.with_seed(3), ac.Scenario.of(scenario.table())):
        for use in (ac.run, resolve, Store(folder / "store").run):
            with pytest.raises(ac.ScenarioError, match=r"evil_mod:\w+.*allow_code=True"):
                use(again)
    with pytest.raises(ac.ScenarioError, match="allow_code=True"):
        ac.sweep(scenario, vary={"flows.0.window": ["9 packets", "20 packets"]}, store=folder / "store")
    with pytest.raises(ac.ScenarioError, match="allow_code=True"):
        as_tcl.script(scenario, "out.tr", "out.nam")
    assert not (folder / "imported").exists()
    allowed = ac.open(folder / "few", allow_code=True)
    assert not (folder / "imported").exists(), "opening alone imports nothing"
    assert ac.run(allowed.scenario).rows("flows") == allowed.rows("flows")
    assert (folder / "imported").exists()


def test_the_command_line_asks_for_allow_code(folder: Path) -> None:
    refused = cli("run", "few", "--out", "again", cwd=folder)
    assert refused.returncode == 1 and refused.stderr.count("\n") == 1
    assert refused.stderr.startswith('ackclock: flows.0.control = "evil_mod:Evil": ')
    assert "`ackclock run FOLDER --allow-code`" in refused.stderr
    assert not (folder / "imported").exists() and not (folder / "again").exists()
    done = cli("run", "few", "--allow-code", "--out", "again", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert ac.open(folder / "again").rows("flows") == ac.open(folder / "few").rows("flows")
    assert (folder / "imported").exists() and done.stderr == ""
    (folder / "evil_mod.py").write_text(f"{EVIL}\n# changed\n")
    done = cli("run", "few", "--allow-code", cwd=folder)
    changed = [f"ackclock: evil_mod:{name}: its source has changed since few was run" for name in ("Evil", "Tail")]
    assert done.returncode == 0 and done.stderr.splitlines() == changed


def test_a_saved_run_without_code_is_run_again_from_its_folder(tmp_path: Path) -> None:
    (tmp_path / "net.toml").write_text(PLAIN.replace("PACKETS", "false"))
    assert cli("run", "net.toml", "--out", "kept", "--seed", "3", cwd=tmp_path).returncode == 0
    assert cli("run", "kept", "--out", "again", "--trace", "again.tr", cwd=tmp_path).returncode == 0
    other = cli("run", "kept", "--out", "other", "--set", "flows.0.tcp=vegas", cwd=tmp_path)
    assert other.returncode == 0, other.stderr
    kept, again = ac.open(tmp_path / "kept"), ac.open(tmp_path / "again")
    assert again.scenario == kept.scenario and again.rows("flows") == kept.rows("flows")
    assert ac.open(tmp_path / "other").scenario.flows[0].tcp == "vegas"


def test_opening_reads_no_other_file(folder: Path) -> None:
    file = folder / "kept" / "run.json"
    described = json.loads(file.read_text())
    link = described["scenario"]["topology"]["bottleneck"]
    link["deliveries"] = str(folder / "fifo")
    del link["rate"]
    file.write_text(json.dumps(described))
    write_sums(folder / "kept")
    os.mkfifo(folder / "fifo")  # whoever opens it waits
    for allow_code in (False, True):
        with pytest.raises(ac.ResultsError, match=r"run\.json: not what a run writes: deliveries = .*fifo.*numbers"):
            ac.open(folder / "kept", allow_code=allow_code)


def test_stores_import_nothing(folder: Path) -> None:
    (folder / "grid.toml").write_text('scenario = "net.toml"\nreplications = 2\n')
    assert cli("sweep", "grid.toml", "--store", "store", cwd=folder).returncode == 0
    (folder / "imported").unlink()
    # Another grid over the same store: the description of the runs with the module is in its index.
    (folder / "plain.toml").write_text(PLAIN.replace("PACKETS", "false"))
    (folder / "others.toml").write_text('scenario = "plain.toml"\nreplications = 2\n')
    assert stored(load_grid(folder / "others.toml"), store=folder / "store").done == 0
    for words in (
        ("sweep", "show", "others.toml", "--store", "store"),
        ("sweep", "others.toml", "--store", "store"),
        ("check", "store"),
        ("evaluate", "vegas", "--suite", "rfc9743", "--quick", "--dry-run", "--store", "store"),
    ):
        done = cli(*words, cwd=folder)
        assert done.returncode == 0, done.stderr
    assert not (folder / "imported").exists()


def test_what_a_store_gives_back_is_the_callers_description(folder: Path) -> None:
    store, scenario = Store(folder / "store"), ac.load(folder / "net.toml")
    store.run(scenario)
    assert ac.run(store.run(scenario).scenario).rows("flows") == store.run(scenario).rows("flows")
