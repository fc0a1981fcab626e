"""Compares a fault of the simulated TCP with the running kernel: what F-RTO costs after an outage.

    python tools/confirm_forgotten.py                       # reno, cubic and bbr, three begins of the outage each
    python tools/confirm_forgotten.py --control reno --begin 0.34

docs/faults-found.md has the fault; the network is that of docs/examples/faults/forgotten.toml. A row a run: when the
outage begins, s, and when the transfer of 1 MB is complete, s, simulated and in real time, each with F-RTO and without.
Linux, as root, on an idle machine.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import ackclock as ac
from ackclock.batch.attack import FEATURES, PROPERTIES
from ackclock.batch.attack.confirm import confirm
from ackclock.batch.attack.space import made
from ackclock.batch.attack.witness import Witness
from ackclock.scenario.formats.read import load

EXAMPLE = Path(__file__).resolve().parent.parent / "docs/examples/faults/forgotten.toml"
LENGTH_S = 1.5
DURATION_S = 10.0


def scenario(control: str, begin_s: float, frto: bool) -> ac.Scenario:
    """The example with another control, another begin of the outage, and with F-RTO or without."""
    table: Any = load(EXAMPLE).table()
    table["duration"] = f"{DURATION_S:g} s"
    for change, at_s in zip(table["changes"], (begin_s, begin_s + LENGTH_S), strict=True):
        change["at"] = f"{at_s:g} s"
    table["flows"][0] |= {"tcp": control, "parameters": {"frto": frto}}
    return ac.Scenario.of(table)


def real_s(control: str, begin_s: float, frto: bool) -> tuple[float | None, float]:
    """When the kernel's transfer is complete, s, and how late the machine was, s."""
    given = {f"{name}.{each.name}": each.usual for name in ("path", "outage") for each in FEATURES[name].quantities}
    given |= {"path.rate_mbps": 10.0, "path.delay_s": 0.02, "outage.length_s": LENGTH_S}
    given["outage.begin"] = begin_s / DURATION_S
    candidate = made({"path", "outage"}, given, DURATION_S)
    asked = PROPERTIES["completion"]
    witness = Witness(control, asked, candidate, None, None, {}, _table(control, begin_s))
    found = confirm(witness, {"net.ipv4.tcp_frto": "2" if frto else "0"})
    # The figure is the time over that of a sender that knows the path: 1 MB at 0.95 of 10 Mb/s, 8 delays, the outage.
    ideal_s = 8e6 / 9.5e6 + 8 * 0.02 + LENGTH_S
    return (None if found.figure is None else found.figure * ideal_s), found.late_s


def _table(control: str, begin_s: float) -> Any:
    table: Any = scenario(control, begin_s, True).table()
    table["flows"][0].pop("parameters")
    return table


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--control", action="append", choices=["reno", "cubic", "bbr"], help="default: all")
    parser.add_argument("--begin", action="append", type=float, metavar="S", help="default: 0.3, 0.32 and 0.34")
    options = parser.parse_args()
    print("control  outage at  simulated: F-RTO  without  real: F-RTO  without  late ms")
    for control in options.control or ["reno", "cubic", "bbr"]:
        for begin_s in options.begin or [0.3, 0.32, 0.34]:
            ours = [ac.run(scenario(control, begin_s, frto)).rows("flows")[0]["completion_s"] for frto in (True, False)]
            (on_s, late_s), (off_s, later_s) = (real_s(control, begin_s, frto) for frto in (True, False))
            cells = [f"{each:.2f}" if each is not None else "none" for each in (*ours, on_s, off_s)]
            print(control, f"{begin_s:g}", *cells, f"{1000 * max(late_s, later_s):.0f}", sep="\t", flush=True)


if __name__ == "__main__":
    main()
