"""Congestion controls of shared libraries: the crate that `ackclock new control` writes, and libraries with mistakes.

Expected: the packets of the engine's `reno`, byte for byte. For mistakes: the one that each library makes on purpose.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ackclock as ac
from ackclock.batch.evaluate.subject import find_subject
from ackclock.scenario import ScenarioError
from ackclock.server.errors import Refusal
from ackclock.server.validate import described
from commands import ackclock as cli

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [
    pytest.mark.serial,
    pytest.mark.skipif(shutil.which("cargo") is None, reason="no cargo"),
    pytest.mark.skipif(sys.platform != "linux", reason="names libraries as Linux does"),
]

#: A library of controls that are Reno in nothing but one mistake each.
FAULTS = """\
use ackclock_control::{Ack, Control, Event, Path, Response, Window};

macro_rules! faulty {
    ($($name:ident: $fault:expr),+ $(,)?) => {
        $(
            #[derive(Default)]
            pub struct $name;

            impl Control for $name {
                fn on_ack(&mut self, _: &Ack, path: &Path, window: &mut Window) {
                    if path.now_s > 1.0 {
                        let fault: fn(&mut Window) = $fault;
                        fault(window);
                    }
                }

                fn on_congestion_event(&mut self, _: Event, _: &Path, _: &mut Window) -> Response {
                    Response::Own
                }
            }
        )+
        ackclock_control::export!($($name),+);
    };
}

faulty! {
    NoNumber: |window| window.cwnd = f64::NAN,
    Zero: |window| window.cwnd = 0.0,
    Endless: |window| window.cwnd = f64::INFINITY,
    Threshold: |window| window.ssthresh = f64::NAN,
    Pacing: |window| window.pacing_per_s = Some(0.0),
    Panics: |_| panic!("no\\nidea"),
    Deep: |window| window.cwnd = [1.0, 2.0][window.cwnd as usize],
    Fixed: |window| window.cwnd = 20.0,
}
"""

#: A library of another version of the interface, and one without a control.
OTHER = """\
use ackclock_control::interface::{Library, VERSION};

#[allow(non_upper_case_globals)]
#[unsafe(no_mangle)]
pub static ackclock_controls: Library = Library { version: VERSION + MORE, count: 0, tables: std::ptr::null() };
"""

LIBRARIES = {
    "faults": FAULTS,
    "later": OTHER.replace("MORE", "1"),
    "empty": OTHER.replace("MORE", "0"),
    "nothing": "",
}

MISTAKES = {
    "NoNumber": "on_ack: the window is NaN packets; expected a positive number, at most 2^30",
    "Zero": "on_ack: the window is 0 packets; expected a positive number, at most 2^30",
    "Endless": "on_ack: the window is inf packets; expected a positive number, at most 2^30",
    "Threshold": "on_ack: the threshold is NaN packets; expected a number that is not negative",
    "Pacing": "on_ack: the pacing rate is 0 packets/s; expected a positive number",
    "Panics": "on_ack: panicked at examples/faults.rs:",
    "Deep": "on_ack: panicked at examples/faults.rs:",
}


@pytest.fixture(scope="module")
def crate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The crate that the command writes, with libraries of mistakes as its examples; built."""
    folder = tmp_path_factory.mktemp("crates")
    made = cli("new", "control", "mine", "--path", ROOT / "crates/control", cwd=folder)
    assert made.returncode == 0, made.stderr
    crate = folder / "mine"
    (crate / "examples").mkdir()
    with (crate / "Cargo.toml").open("a", encoding="utf-8") as manifest:
        for name, source in LIBRARIES.items():
            (crate / "examples" / f"{name}.rs").write_text(source, encoding="utf-8")
            manifest.write(f'\n[[example]]\nname = "{name}"\ncrate-type = ["cdylib"]\n')
    for command in (["test", "--lib"], ["build", "--release", "--lib", "--examples"]):
        done = subprocess.run(
            ["cargo", *command, "--offline", "--quiet"], cwd=crate, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    return crate


def library(crate: Path, name: str = "Mine") -> str:
    return f"{crate}/target/release/libmine.so:{name}"


def fault(crate: Path, name: str, file: str = "faults") -> str:
    return f"{crate}/target/release/examples/lib{file}.so:{name}"


def scenario(tcp: str, *, loss: float = 0.0, duration: str = "20 s", **flow: Any) -> ac.Scenario:
    """A flow beside CUBIC."""
    losses = [ac.Loss(kind="uniform", rate=loss)] if loss else []
    bottleneck = ac.Link(
        rate="10 Mb/s",
        delay="20 ms",
        queue=ac.Queue(kind="codel", limit="1 BDP", parameters={"ecn": True}),
        loss=losses,
    )
    flows = [ac.Flow(pair=1, name="first", tcp=tcp, **flow), ac.Flow(pair=2, tcp="cubic")]
    topology = ac.Dumbbell(pairs=2, bottleneck=bottleneck)
    return ac.Scenario(topology=topology, flows=flows, duration=duration, defaults="linux")


def packets(described: ac.Scenario, folder: Path) -> bytes:
    """All that happens to packets."""
    ac.run(described, trace=folder / "out.tr")
    return (folder / "out.tr").read_bytes()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"loss": 0.02},
        {"parameters": {"ecn": True}},
        {"parameters": {"beta": 0.8}},
        {"duration": "60 s", "spans": [ac.Span(start="0 s", stop="10 s"), ac.Span(start="30 s", stop="60 s")]},
    ],
    ids=["queue", "losses", "marks", "parameter", "idle"],
)
def test_the_template_sends_the_packets_of_the_engines_reno(
    crate: Path, tmp_path: Path, options: dict[str, Any]
) -> None:
    own = packets(scenario(library(crate), **options), tmp_path)
    assert own == packets(scenario("reno", **options), tmp_path)
    assert own.count(b"\n") > 10_000


def test_a_file_names_it_as_seen_from_there(crate: Path, tmp_path: Path) -> None:
    done = cli("run", crate / "scenario.toml", "--out", "kept", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    file = crate / "target/release/libmine.so"
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    run = json.loads((tmp_path / "kept/run.json").read_text())
    assert run["own_code"] == [{"class": f"{file}:Mine", "source_sha256": digest}]
    assert f"own code  {file}:Mine  sha256 {digest}" in done.stdout
    assert done.stdout.splitlines()[1].startswith("Mine-1 ")
    # A stored run loads no code, unless it is allowed.
    stored = ac.open(tmp_path / "kept")
    with pytest.raises(ScenarioError, match="a stored run names this code, so it is not loaded"):
        ac.run(stored.scenario)
    allowed = ac.open(tmp_path / "kept", allow_code=True)
    assert ac.run(allowed.scenario).rows("flows") == stored.rows("flows")


def test_a_setting_names_it_as_a_file_does(crate: Path) -> None:
    done = cli("run", crate / "scenario.toml", "--set", "flows.0.tcp=target/release/examples/libfaults.so:Fixed")
    assert done.returncode == 0, done.stderr
    assert "Fixed-1" in done.stdout


def test_a_sweep_names_it_as_seen_from_its_file(crate: Path, tmp_path: Path) -> None:
    vary = '[vary]\nduration = ["1 s", "2 s"]\nflows.1.tcp = ["./target/release/libmine.so:Mine"]\n'
    (crate / "grid.toml").write_text(f'scenario = "scenario.toml"\n{vary}')
    done = cli("sweep", crate / "grid.toml", "--store", tmp_path / "swept", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", MISTAKES)
def test_what_a_library_does_wrong_ends_the_run_with_its_name(crate: Path, name: str) -> None:
    with pytest.raises(ac.SimulationError) as caught:
        ac.run(scenario(fault(crate, name)))
    text = str(caught.value)
    assert text.startswith("flow first at 1.") and f" s: {name}.{MISTAKES[name]}" in text
    if name == "Panics":
        assert text.endswith(": no idea")
    if name == "Deep":
        assert text.endswith(": index out of bounds: the len is 2 but the index is 10")


def test_a_library_that_cannot_be_used_is_refused(crate: Path, tmp_path: Path) -> None:
    version = "built for version 2 of ackclock-control's interface, and this ackclock has version 1"
    (tmp_path / "text.so").write_text("no library")
    for tcp, expected in {
        library(crate, "Mien"): "libmine.so: has no control Mien; it has Mine",
        library(crate, ""): "expected FILE:NAME with the name of a control of the library",
        fault(crate, "Any", "later"): f"{version}; build it again",
        fault(crate, "Any", "empty"): "libempty.so: exports no congestion control",
        fault(crate, "Any", "nothing"): "not a library of congestion controls: it has no ackclock_controls",
        f"{tmp_path}/no.so:Any": "no.so: No such file or directory",
        f"{tmp_path}/text.so:Any": "text.so: cannot be loaded: ",
    }.items():
        with pytest.raises(ScenarioError) as caught:
            ac.run(scenario(tcp))
        assert caught.value.key == "flows.0.tcp" and expected in str(caught.value)
        assert "\n" not in str(caught.value)


def test_parameters_are_the_controls_or_the_senders(crate: Path) -> None:
    for parameters, expected in (({"bta": 0.5}, "beta"), ({"beta": "much"}, "much")):
        with pytest.raises(ScenarioError, match=expected):
            ac.run(scenario(library(crate), parameters=parameters))
    with pytest.raises(ScenarioError, match="a user-defined control works with"):
        ac.run(scenario(library(crate), control=ac.CongestionControl))


def test_it_is_a_subject_of_evaluations_and_attacks(crate: Path) -> None:
    subject = find_subject("target/release/libmine.so:Mine", beside=crate)
    assert subject.settings == {"tcp": library(crate)}
    assert subject.source_sha256 == hashlib.sha256((crate / "target/release/libmine.so").read_bytes()).hexdigest()
    with pytest.raises(ScenarioError, match="has no control Other"):
        find_subject("target/release/libmine.so:Other", beside=crate)
    done = cli("attack", "target/release/libmine.so:Mine", "--evaluations", "2", "--property", "utilisation", cwd=crate)
    assert done.returncode in (0, 1) and not done.stderr.startswith("ackclock:"), done.stderr


def test_the_page_loads_no_library() -> None:
    table = {"flows": [{"pair": 1, "tcp": "./libmine.so:Mine"}]}
    with pytest.raises(Refusal, match="the page loads no library"):
        described(table)


def test_the_command_writes_nothing_over_and_names_a_wrong_name(crate: Path) -> None:
    again = cli("new", "control", "mine", cwd=crate.parent)
    assert again.returncode == 1 and "mine exists already; not overwritten" in again.stderr
    for name in ("Mine", "fn", "a-b", "../up"):
        wrong = cli("new", "control", name, cwd=crate.parent)
        assert wrong.returncode == 2 and "expected a name such as my_control" in wrong.stderr
    elsewhere = cli("new", "control", "other", "--path", crate / "src", cwd=crate.parent)
    assert elsewhere.returncode == 2 and "has no Cargo.toml" in elsewhere.stderr
    assert not (crate.parent / "other").exists()
