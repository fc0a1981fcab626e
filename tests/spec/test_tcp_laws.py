"""The windows of `tcp` senders under losses beside what their laws' texts say (all are in tools/measure_laws.py)."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path

import pytest

SPEC = importlib.util.spec_from_file_location("measure_laws", Path(__file__).parents[2] / "tools" / "measure_laws.py")
assert SPEC is not None and SPEC.loader is not None
laws = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(laws)


@pytest.mark.parametrize("control", ["reno", "cubic"])
@pytest.mark.parametrize("loss_ratio", [1e-5, 1e-4, 3e-4, 1e-3, 1e-2, 1e-1])
def test_response_functions(control: str, loss_ratio: float) -> None:
    found = laws.measured(control, loss_ratio, laws.RTT_S)
    assert found == pytest.approx(laws.law(control, loss_ratio, laws.RTT_S), rel=0.10)


def test_the_law_is_the_texts() -> None:
    # RFC 9438, table 1, at 0.1 s: 12 packets of Reno and CUBIC at 1e-2, 187 of CUBIC at 1e-4; 121 of Reno (1.2/sqrt(p)
    # is 120). The round trip of the recovery takes less than 8 % of it.
    assert laws.law("reno", 1e-4, 0.1) == pytest.approx(120, rel=0.02)
    assert laws.law("cubic", 1e-4, 0.1) == pytest.approx(187, rel=0.02)
    assert laws.law("reno", 1e-2, 0.1) == pytest.approx(12, rel=0.08)
    assert laws.law("cubic", 1e-2, 0.1) == pytest.approx(12, rel=0.08)


# RFC 9438, figure 6: a rate goes by the round trip to the power of -1/4, and RFC 5681's by its inverse.
@pytest.mark.parametrize(("control", "loss_ratio", "exponent"), [("reno", 1e-3, -1.0), ("cubic", 3e-5, -0.25)])
def test_how_a_rate_goes_by_the_round_trip(control: str, loss_ratio: float, exponent: float) -> None:
    near_s, far_s = 0.1, 0.4
    near, far = (laws.measured(control, loss_ratio, rtt_s) / rtt_s for rtt_s in (near_s, far_s))
    assert math.log(far / near) / math.log(far_s / near_s) == pytest.approx(exponent, abs=0.03)
