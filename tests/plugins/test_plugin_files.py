"""Code of one's own in files: what a run and a store keep of it, and what the command line says when it fails."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import ackclock as ac
from ackclock.batch.store import Store
from ackclock.scenario.resolve.network import resolve
from commands import ackclock as cli
from test_plugins import QUEUE, Blue, Reno, dumbbell

SOURCE = """\
import ackclock as ac


class Slow(ac.CongestionControl):
    gain: float = 1.0

    def on_ack(self, state, ack):
        state.cwnd_packets += self.gain / state.cwnd_packets


class Broken(Slow):
    def on_loss(self, state):
        state.cwnd_packets = self.no_such_thing


class Tail(ac.QueueDiscipline):
    pass
"""

FILE = """\
duration = "20 s"

[topology]
kind = "dumbbell"
pairs = 1
bottleneck = { rate = "2 Mb/s", delay = "10 ms", queue = { kind = "mine_NAME:Tail", limit = "8 packets" } }

[[flows]]
pair = 1
tcp = "sack"
control = "mine_NAME:CLASS"
parameters = { gain = 0.5 }
"""


@pytest.fixture
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A folder with a scenario and the code that it names."""
    name = hashlib.sha256(request.node.name.encode()).hexdigest()[:8]
    (tmp_path / f"mine_{name}.py").write_text(SOURCE)
    for cls in ("Slow", "Broken"):
        (tmp_path / f"{cls}.toml").write_text(FILE.replace("NAME", name).replace("CLASS", cls))
    return tmp_path


def test_a_run_says_which_code_took_part_and_opens_without_it(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    done = cli("run", folder / "Slow.toml", "--out", "kept", cwd=elsewhere)
    assert done.returncode == 0, done.stderr
    (source,) = folder.glob("*.py")
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    expected = [{"class": f"{source.stem}:{name}", "source_sha256": digest} for name in ("Slow", "Tail")]
    run = json.loads((elsewhere / "kept" / "run.json").read_text())
    assert run["own_code"] == expected
    assert run["scenario"]["flows"][0]["control"] == f"{source.stem}:Slow"
    for code in expected:
        assert f"own code  {code['class']}  sha256 {digest}" in done.stdout
    source.unlink()
    kept = ac.open(elsewhere / "kept")
    assert kept.own_code == expected and kept.names["flows"] == ["Slow-1"]
    assert resolve(kept.scenario, to_run=False).flows[0].name == "Slow-1"
    # What is only shown needs no code either.
    assert kept.plot.topology().save(folder / "net.svg").stat().st_size > 1000
    page = cli("report", "kept", "--out", "kept.html", cwd=elsewhere)
    assert page.returncode == 0, page.stderr
    assert f"{source.stem}:Slow" in (elsewhere / "kept.html").read_text()
    assert kept.scenario.flows[0].control == f"{source.stem}:Slow"
    with pytest.raises(ac.ScenarioError, match=f"no module {source.stem}"):
        ac.run(ac.open(elsewhere / "kept", allow_code=True).scenario)


def test_a_store_runs_own_code_anew_when_it_has_changed(folder: Path) -> None:
    store = Store(folder / "store")

    def sent() -> int:
        for name in [name for name in sys.modules if name.startswith("mine_")]:
            del sys.modules[name]
        results = store.run(ac.load(folder / "Slow.toml"))
        assert len(results.own_code) == 2
        return int(results.rows("flows")[0]["sent_packets"])

    (source,) = folder.glob("*.py")
    first = sent()
    assert sent() == first
    text = source.read_text()
    source.write_text(text.replace("state.cwnd_packets += self.gain", "state.cwnd_packets += 0.01 * self.gain"))
    assert sent() < first
    assert len(list((folder / "store").rglob("run.json"))) == 2
    names: dict[str, Any] = {"__name__": "nowhere", "ac": ac}
    exec("class Unknown(ac.CongestionControl):\n    pass\n", names)
    flows = [ac.Flow(pair=1, tcp="sack", control=names["Unknown"])]
    with pytest.raises(ValueError, match="nowhere:Unknown has no source file"):
        store.run(ac.Scenario(topology=dumbbell(QUEUE), flows=flows, duration="1 s"))


def test_native_runs_say_nothing_of_own_code() -> None:
    scenario = ac.Scenario(topology=dumbbell(QUEUE), flows=[ac.Flow(pair=1, tcp="sack")], duration="1 s")
    assert "own_code" not in ac.run(scenario).description()


def test_an_exception_at_the_command_line(folder: Path) -> None:
    before = sorted(folder.iterdir())
    done = cli("run", "Broken.toml", "--out", "kept", "--trace", "out.tr", cwd=folder)
    assert done.returncode == 1
    (source,) = folder.glob("*.py")
    lines = done.stderr.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert f'{source.name}", line 13, in on_loss' in done.stderr
    assert lines[-1].startswith("ackclock: flow Broken-1 at ")
    assert lines[-1].endswith("s: Broken.on_loss: AttributeError: 'Broken' object has no attribute 'no_such_thing'")
    assert sorted(path for path in folder.iterdir() if path.name != "__pycache__") == before


def test_code_that_cannot_be_found_names_file_and_line(folder: Path) -> None:
    (source,) = folder.glob("*.py")
    done = cli("run", "Slow.toml", "--set", "flows.0.control=nowhere:Slow", cwd=folder)
    assert done.returncode == 1 and "flows.0.control" in done.stderr and "no module nowhere" in done.stderr
    source.rename(folder / "other.py")
    done = cli("run", folder / "Slow.toml", cwd=Path("/"))
    assert done.returncode == 1
    assert f'Slow.toml:11: flows.0.control = "{source.stem}:Slow": no module {source.stem} beside' in done.stderr


def test_a_file_called_like_a_module_that_is_loaded_is_refused(folder: Path) -> None:
    (source,) = folder.glob("*.py")
    source.rename(folder / "json.py")
    done = cli("run", folder / "Slow.toml", "--set", "flows.0.control=json:Slow", cwd=Path("/"))
    assert done.returncode == 1 and "flows.0.control" in done.stderr
    assert "another module json is loaded" in done.stderr


def test_a_class_whose_source_is_not_known_has_no_digest() -> None:
    from ackclock.plugins.classes import digests

    names: dict[str, Any] = {"__name__": "nowhere", "ac": ac}
    exec("class Unknown(ac.CongestionControl):\n    pass\n", names)
    assert digests([names["Unknown"]]) == [{"class": "nowhere:Unknown", "source_sha256": None}]
    own = hashlib.sha256(Path(__file__).with_name("test_plugins.py").read_bytes()).hexdigest()
    assert digests([Reno, Blue]) == [
        {"class": f"test_plugins:{name}", "source_sha256": own} for name in ("Reno", "Blue")
    ]
