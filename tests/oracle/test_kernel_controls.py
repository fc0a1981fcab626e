"""Congestion controls of the kernel: compiled, found, run, refused.

Expected: what a control in C, written for these tests, sets by its own rules; and for the kernel's own files that each
of them builds and fills the bottleneck. That the engine's controls are equal to them is in crates/kernel/tests.
The kernel's files are taken from the tree that `ACKCLOCK_KERNEL_SOURCE` names, or from /usr/src.
"""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

import pytest

import ackclock as ac
from ackclock.kernel.build import build
from ackclock.kernel.folder import KernelError
from ackclock.scenario import ScenarioError

HERE = Path(__file__).parent / "kernel_controls"
COMPILER = shlex.split(os.environ.get("CC", "cc"))[0]
#: names of the files of Linux 6.12, and the controls that they have
CONTROLS = {"cong": "reno"} | {
    name: name
    for name in (
        *("bbr", "bic", "cdg", "cubic", "dctcp", "highspeed", "htcp", "hybla", "illinois", "lp", "nv", "scalable"),
        *("vegas", "veno", "westwood", "yeah"),
    )
}

needs_compiler = pytest.mark.skipif(shutil.which(COMPILER) is None, reason=f"no C compiler: {COMPILER}")


def source() -> Path | None:
    """The net/ipv4 of a kernel tree, if there is one."""
    given = os.environ.get("ACKCLOCK_KERNEL_SOURCE")
    trees = [Path(given)] if given else sorted(Path("/usr/src").glob("linux*"))
    return next((tree / "net/ipv4" for tree in trees if (tree / "net/ipv4/tcp_cubic.c").is_file()), None)


needs_source = pytest.mark.skipif(source() is None, reason="no kernel source: set ACKCLOCK_KERNEL_SOURCE")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of compiled controls."""
    place = tmp_path / "kernel"
    monkeypatch.setenv("ACKCLOCK_KERNEL", str(place))
    return place


def scenario(
    control: str,
    duration: str = "10 s",
    limit: str = "1 BDP",
    rate: str = "20 Mb/s",
    **parameters: bool | int | float | str,
) -> ac.Scenario:
    bottleneck = ac.Link(rate=rate, delay="20 ms", queue=ac.Queue(limit=limit))
    return ac.Scenario(
        topology=ac.Dumbbell(pairs=1, bottleneck=bottleneck),
        flows=[ac.Flow(pair=1, tcp=control, parameters=parameters)],
        duration=duration,
        defaults="linux",
    )


def goodput_bps(described: ac.Scenario) -> float:
    (flow,) = ac.run(described).rows("flows")
    return float(flow["goodput_bps"])


def written(tmp_path: Path, changed: str, to: str) -> Path:
    """The test's control with a change, in a folder with the tree's other file."""
    text = (HERE / "tcp_steps.c").read_text()
    assert changed in text
    shutil.copy(HERE / "tcp_cong.c", tmp_path)
    path = tmp_path / "tcp_mine.c"
    path.write_text(text.replace(changed, to))
    return path


@needs_compiler
def test_a_control_runs_with_its_parameters(folder: Path) -> None:
    made = build(HERE / "tcp_steps.c")
    assert (made.name, made.path) == ("steps", folder / "steps.so")
    assert made.module().parameters == [
        ("packets", "the window, packets", 20),
        ("one_in", "", 50),
        ("shrinks", "", 0),
    ]
    # 4 packets of 1448 bytes per round trip of 2 * 20 ms, and the access links' 2 * 2 * 1 ms: about 1.1 Mb/s of data.
    few = goodput_bps(scenario("kernel:steps", packets=4, one_in=2_000_000_000))
    assert few == pytest.approx(4 * 1448 * 8 / 0.044, rel=0.08)
    # Twice the window, twice the rate.
    assert goodput_bps(scenario("kernel:steps", packets=8, one_in=2_000_000_000)) == pytest.approx(2 * few, rel=0.02)
    # A variable of the file: after 100 calls the window is 4.
    assert goodput_bps(scenario("kernel:steps", packets=30, one_in=2_000_000_000, shrinks=1)) == pytest.approx(
        few, rel=0.2
    )


@needs_compiler
@pytest.mark.usefixtures("folder")
def test_connections_share_nothing_and_runs_are_the_same(tmp_path: Path) -> None:
    build(HERE / "tcp_steps.c")
    flows = [
        ac.Flow(pair=pair, tcp="kernel:steps", parameters={"shrinks": int(pair == 2), "one_in": 20})
        for pair in (1, 2, 3)
    ]
    bottleneck = ac.Link(rate="100 Mb/s", delay="20 ms")
    described = ac.Scenario(
        topology=ac.Dumbbell(pairs=3, bottleneck=bottleneck), flows=flows, duration="5 s", defaults="linux"
    )
    first, second = ac.run(described), ac.run(described)
    rates = [flow["goodput_bps"] for flow in first.rows("flows")]
    assert rates == [flow["goodput_bps"] for flow in second.rows("flows")]
    # Only the second one has the parameter, and each draws its own random numbers.
    assert rates[1] < 0.5 * rates[0]
    assert rates[0] != rates[2]
    (code,) = first.own_code
    assert code["class"] == "kernel:steps"
    first.save(tmp_path / "run")
    with pytest.raises(ScenarioError, match="allow-code"):
        ac.run(ac.open(tmp_path / "run").scenario)


@needs_compiler
@pytest.mark.usefixtures("folder")
def test_what_cannot_be_built_is_said_in_a_line(tmp_path: Path) -> None:
    mistakes = {
        ("calls++;", "sk_stream_wspace(sk);"): "tcp_mine.c:36: ackclock's headers have no function sk_stream_wspace()",
        ("calls++;", "tcp_other(sk);"): "tcp_mine.c:36: ackclock's headers have no function tcp_other()",
        ("calls++;", "tcp_sk(sk)->other = 1;"): "tcp_mine.c:36: 'struct tcp_sock' has no member named 'other'",
        ("calls++;", "tcp_slow_start(tcp_sk(sk), 1);"): (
            "tcp_mine.c:36: no file of the kernel beside it has tcp_slow_start(); pass --kernel with the root of a"
            " kernel tree"
        ),
        ("packets > 0 ?", "packets < 0 ?"): "tcp_mine.c: its module_init returns the error -22",
    }
    for (changed, to), expected in mistakes.items():
        path = written(tmp_path, changed, to)
        with pytest.raises(KernelError) as caught:
            build(path)
        assert str(caught.value) == expected
    with pytest.raises(KernelError, match="no such file"):
        build(tmp_path / "none.c")
    with pytest.raises(KernelError, match="a C compiler is needed"):
        build(HERE / "tcp_steps.c", compiler=["no-such-compiler"])


@needs_compiler
def test_what_cannot_be_run_is_said_in_a_line(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="cubic is not built"):
        ac.run(scenario("kernel:cubic"))
    with pytest.raises(ScenarioError, match="expected kernel:NAME"):
        ac.run(scenario("kernel:../cubic"))
    made = build(HERE / "tcp_steps.c")
    with pytest.raises(ScenarioError, match="unknown parameter"):
        ac.run(scenario("kernel:steps", packet=4))
    with pytest.raises((ScenarioError, ac.SimulationError), match="module_init returns the error -22"):
        ac.run(scenario("kernel:steps", packets=-1))
    # Another version of the interface: the constant in the file's data is another one.
    headers = tmp_path / "headers"
    shutil.copytree(Path(ac.__file__).parent / "kernel/headers/ackclock", headers)
    interface = headers / "interface.h"
    interface.write_text(interface.read_text().replace("INTERFACE_VERSION 1", "INTERFACE_VERSION 99"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ackclock.kernel.build._HEADERS", headers)
        with pytest.raises(
            KernelError, match=r"tcp_steps\.c: built for version 99 of ackclock's interface, and this ack"
        ):
            build(HERE / "tcp_steps.c")
    made.path.write_bytes(b"not a shared object")
    with pytest.raises(ScenarioError, match=r"steps\.so: cannot be loaded"):
        ac.run(scenario("kernel:steps"))
    assert sorted(path.name for path in folder.iterdir()) == ["steps.so"]


@needs_compiler
@needs_source
@pytest.mark.parametrize("name", CONTROLS)
def test_a_control_of_the_kernel_fills_the_bottleneck(folder: Path, name: str) -> None:
    path = source()
    assert path is not None
    made = build(path / f"tcp_{name}.c")
    assert made == build(path / f"tcp_{name}.c", out=folder)
    assert made.name == CONTROLS[name]
    # LP takes one-way delays from ratios of millisecond timestamps, and falls back to one packet per round trip of at
    # most 42 ms and the queue's 40 ms.
    least_bps = 1448 * 8 / 0.082 if name == "lp" else 0.8 * 20e6
    assert goodput_bps(scenario(f"kernel:{made.name}", duration="20 s")) > least_bps
