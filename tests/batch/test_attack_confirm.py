"""`ackclock attack --confirm`: the kernel's own control in a witness's network, in real time."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from ackclock.batch.attack import FEATURES, PROPERTIES
from ackclock.batch.attack.confirm import ConfirmError, confirm, kernels_name
from ackclock.batch.attack.evaluate import Evaluator
from ackclock.batch.attack.properties import find_property
from ackclock.batch.attack.space import made
from ackclock.batch.attack.witness import Witness
from ackclock.cli import main
from ackclock.emulate.namespaces import missing

#: Data in a packet of 1500 bytes with timestamps.
DATA_BYTES = 1448

real_time = [
    pytest.mark.serial,
    pytest.mark.skipif(missing() is not None, reason=f"no emulation: {missing()}"),
]


def witness(control: str, asked: str, *features: str, **values: float) -> Witness:
    """A network with the features' usual values, but for `feature__quantity=value`, 5 s long; nothing was run."""
    given = {f"{name}.{each.name}": each.usual for name in ("path", *features) for each in FEATURES[name].quantities}
    given |= {name.replace("__", "."): value for name, value in values.items()}
    candidate = made({"path", *features}, given, 5.0)
    flow = {"tcp": "tcp", "control": control}
    evaluator = Evaluator(PROPERTIES[asked], flow, {"tcp": "tcp", "control": "cubic"}, seed=1)
    table = evaluator.table(candidate)
    evaluator.close()
    return Witness(control, PROPERTIES[asked], candidate, None, None, {}, table)


class TestInRealTime:
    pytestmark = real_time

    def test_random_losses(self) -> None:
        """Mathis et al. (1997), equation 3: a window of sqrt(3 / 2p) packets; p of 2 % and 80 ms give 1.2 Mb/s."""
        found = confirm(witness("reno", "utilisation", "loss", loss__rate=0.02, path__delay_s=0.04, path__buffer_bdp=4))
        window = math.sqrt(3 / (2 * 0.02))
        expected = 8 * DATA_BYTES * window / 0.08 / (0.95 * 10e6)
        # One run of 5 s has some 60 losses. Slow start at its beginning and timeouts pull either way.
        assert found.figure == pytest.approx(expected, rel=0.6)
        assert found.fails and "which fails, too." in found.text

    def test_a_free_path_keeps_the_bound(self) -> None:
        found = confirm(witness("cubic", "utilisation"))
        assert found.figure is not None and 0.8 < found.figure <= 1.05
        assert not found.fails and found.control == "cubic" and "keeps the bound" in found.text

    def test_two_flows_an_outage_and_a_transfer(self) -> None:
        # An outage at half of 5 s, of 1 s: nothing before its end, the rate again before the run's.
        recovery = confirm(witness("cubic", "recovery", "outage")).figure
        assert recovery is not None and 0 < recovery <= 1.5
        # Equals, one of which sends 4 of the 5 s.
        ratio = confirm(witness("reno", "starvation", "late")).figure
        assert ratio is not None and 0.1 < ratio <= 1
        # 1 MB over 10 Mb/s takes 0.84 s and eight delays at the least.
        completion = confirm(witness("cubic", "completion")).figure
        assert completion is not None and 0.9 < completion < 3


@pytest.mark.parametrize("name", ["reno", "linux_reno", "kernel:reno", "linux/reno"])
def test_names_of_the_kernels_controls(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ackclock.batch.attack import confirm as module

    known = tmp_path / "available"
    known.write_text("reno cubic\n")
    monkeypatch.setattr(module, "CONTROLS", known)
    assert kernels_name(name) == "reno"
    with pytest.raises(ConfirmError, match=r"no congestion control bbr3: it has reno, cubic \(modprobe tcp_bbr3\)"):
        kernels_name("bbr3")


def test_what_cannot_be_confirmed_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from ackclock.batch.attack import confirm as module

    with pytest.raises(ConfirmError, match="a crash"):
        confirm(replace(witness("reno", "utilisation"), crash="division by zero"))
    with pytest.raises(ConfirmError, match="an expression's columns"):
        confirm(replace(witness("reno", "utilisation"), asked=find_property("rtt_p95_s.subject1", above=1)))
    with pytest.raises(ConfirmError, match="own_jitter delays one of the flows"):
        confirm(witness("reno", "starvation", "own_jitter"))
    known = tmp_path / "available"
    known.write_text("reno cubic\n")
    monkeypatch.setattr(module, "CONTROLS", known)
    with pytest.raises(ConfirmError, match="the bottleneck has 80 Mb/s; in real time it may have 50"):
        confirm(witness("reno", "utilisation", path__rate_mbps=80))


def test_a_control_that_no_kernel_has_ends_before_the_search(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attack", "tahoe", "--confirm"]) == 1
    out, error = capsys.readouterr()
    assert out == "" and ("no congestion control tahoe" in error or "only Linux's" in error)
