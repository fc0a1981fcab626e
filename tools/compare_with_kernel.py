"""Hold the engine's senders against the running kernel's, over the same simulated network, in real time.

    python tools/compare_with_kernel.py [--quick] [--repetitions N] [--keep FILE] [--kept-only] [--write]

For each path and each combination of congestion controls, N transfers of the kernel's TCP go through an emulation
(`ackclock emulate`), and transfers of the engine's senders through simulations of the same description. Compared are
goodput, the time that packets wait in the queue, and the window, after the first seconds. The engine agrees where its
mean lies in the interval in which one more transfer of the kernel would lie in 95 of 100 cases (Student's prediction
interval). Where the kernel does the same each time, to the packet, that interval is far below one percent: a difference
of at most 2 % is counted by itself, since in real time packets and timers are a little late.

`--keep` appends each transfer to a file and takes those that are there from it, so that a stopped comparison goes on.
`--kept-only` measures nothing: it compares what is in that file. `--write` puts the tables into docs/kernel.md and the
windows' course into docs/images/kernel-cwnd.svg.

Linux, as root; 40 minutes. The transfers run under the kernel's real-time scheduler, so that other programs on the
machine delay few packets. The kernel has its congestion controls as modules (`modprobe tcp_bbr`); one that it has not
is left out, and said to be.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import re
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from kernel_transfers import (
    KERNELS,
    LASTS_S,
    MOST_BPS,
    MOST_FLOWS,
    SENDERS,
    WARM_UP_S,
    Case,
    Detour,
    Seen,
    Way,
    detour,
    of_engine,
    of_kernel,
)

from ackclock.analysis.stats import student_quantile
from ackclock.emulate.namespaces import missing
from ackclock.scenario.units import rate_bps

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "kernel.md"
PICTURE = ROOT / "docs" / "images" / "kernel-cwnd.svg"

#: a path whose windows are drawn: its rate, round trip and buffer
DRAWN = Way("10 Mb/s", 40, 1.0)
#: Transfers of the engine.
DRAWS = 20
#: What real time may add: a share of the kernel's figure.
TOLERANCE = 0.02
#: What is compared: heading, field of `Seen`, digits.
FIGURES = (
    ("goodput, Mb/s", "goodputs_mbps", 2),
    ("wait, ms", "wait_ms", 1),
    ("cwnd, packets", "cwnds_packets", 1),
)


def cases(quick: bool) -> Iterator[Case]:
    """What is compared: one flow by rate, round trip and buffer; one flow with losses; two flows."""
    singles = [(control,) for control in SENDERS]
    pairs = [*((control, control) for control in SENDERS), ("cubic", "bbr")]
    ways = [DRAWN]
    if not quick:
        ways += [
            Way(rate, round_trip_ms, buffer_bdp)
            for rate in ("2 Mb/s", "10 Mb/s", "20 Mb/s", "50 Mb/s")
            for round_trip_ms in (20, 100)
            for buffer_bdp in (0.5, 2.0)
        ]
        ways += [Way("100 Mb/s", 20, buffer_bdp) for buffer_bdp in (0.5, 2.0)]
        ways += [
            Way(rate, round_trip_ms, 1.0, loss)
            for rate in ("10 Mb/s", "20 Mb/s")
            for round_trip_ms in (20, 100)
            for loss in (0.001, 0.01)
        ]
    yield from (Case(way, controls) for way in ways for controls in singles)
    if not quick:
        yield from (
            Case(Way("10 Mb/s", round_trip_ms, buffer_bdp), controls)
            for round_trip_ms in (20, 100)
            for buffer_bdp in (0.5, 2.0)
            for controls in pairs
        )
        yield from (Case(Way("20 Mb/s", 40, 1.0), controls) for controls in pairs)


@dataclass(frozen=True)
class Cell:
    """The transfers of one case."""

    case: Case
    kernel: list[Seen]
    engine: list[Seen]

    def figures(self, name: str) -> list[tuple[float, float, float]]:
        """Of each flow, or of the path: mean of the kernel, half the width of the interval of one more transfer of it,
        mean of the engine.
        """
        values = np.array([np.atleast_1d(getattr(seen, name)) for seen in self.kernel])
        engine = np.mean([np.atleast_1d(getattr(seen, name)) for seen in self.engine], axis=0)
        n = len(values)
        halves = student_quantile(n - 1) * np.std(values, axis=0, ddof=1) * math.sqrt(1 + 1 / n)
        means = np.mean(values, axis=0)
        return [(float(mean), float(half), float(of)) for mean, half, of in zip(means, halves, engine, strict=True)]

    def agrees(self, name: str, tolerance: float = 0.0) -> bool:
        """Whether the engine is where one more transfer of the kernel would be, or as near as `tolerance`."""
        return all(_agrees(found, tolerance) for found in self.figures(name))


def _agrees(found: tuple[float, float, float], tolerance: float) -> bool:
    kernel, half, engine = found
    return abs(engine - kernel) <= max(half, tolerance * kernel)


def _row(cell: Cell) -> str:
    """A row of a table. The engine's figures that do not agree within the tolerance are bold."""
    way = cell.case.way
    row = [way.rate, f"{way.round_trip_ms} ms", f"{way.buffer_bdp:g} BDP"]
    row += [f"{way.loss:.1%}"] if way.loss > 0 else []
    row.append(", ".join(cell.case.controls))
    for _, name, digits in FIGURES:
        kernels, engines = [], []
        for kernel, half, engine in cell.figures(name):
            kernels.append(f"{kernel:.{digits}f} ± {half:.{digits}f}")
            told = f"{engine:.{digits}f}"
            engines.append(told if _agrees((kernel, half, engine), TOLERANCE) else f"**{told}**")
        row += ["; ".join(kernels), "; ".join(engines)]
    return f"| {' | '.join(row)} |"


def table(cells: Sequence[Cell]) -> str:
    """The comparison of cells of one kind in Markdown."""
    heads = ["rate", "round trip", "buffer"]
    heads += ["loss"] if cells[0].case.way.loss > 0 else []
    heads.append("control")
    for heading, _, _ in FIGURES:
        heads += [f"{heading}: kernel", "engine"]
    return "\n".join([f"| {' | '.join(heads)} |", "|---" * len(heads) + "|", *map(_row, cells)])


def kinds(cells: Sequence[Cell]) -> dict[str, list[Cell]]:
    """The cells by kind, in the order of the page."""
    of = {
        "One flow": [cell for cell in cells if len(cell.case.controls) == 1 and cell.case.way.loss == 0],
        "One flow, with random loss": [cell for cell in cells if cell.case.way.loss > 0],
        "Two flows": [cell for cell in cells if len(cell.case.controls) == 2],
    }
    return {kind: found for kind, found in of.items() if found}


def agreement(cells: Sequence[Cell]) -> str:
    """How many cells agree, by figure and kind."""
    groups = kinds(cells)
    heads = ["figure", "in the kernel's interval", f"or within {TOLERANCE:.0%}", *(kind.lower() for kind in groups)]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for heading, name, _ in FIGURES:
        counts = [f"{sum(cell.agrees(name, share) for cell in cells)} of {len(cells)}" for share in (0.0, TOLERANCE)]
        counts += [f"{sum(cell.agrees(name, TOLERANCE) for cell in of)} of {len(of)}" for of in groups.values()]
        lines.append(f"| {' | '.join([heading, *counts])} |")
    return "\n".join(lines)


class Kept:
    """Transfers of the kernel, in a file of JSON lines if there is one."""

    def __init__(self, file: Path | None) -> None:
        self.file = file
        self._seen: dict[str, list[Seen]] = {}
        lines = file.read_text(encoding="utf-8").splitlines() if file is not None and file.exists() else []
        for line in lines:
            row = json.loads(line)
            self._seen.setdefault(json.dumps(row["case"]), []).append(Seen(**row["seen"]))

    @staticmethod
    def _key(case: Case) -> str:
        return json.dumps([*asdict(case.way).values(), list(case.controls), LASTS_S, platform.release()])

    def of(self, case: Case) -> list[Seen]:
        """The transfers of a case so far."""
        return self._seen.setdefault(self._key(case), [])

    @property
    def count(self) -> int:
        """How many transfers there are."""
        return sum(map(len, self._seen.values()))

    def keep(self, case: Case, seen: Seen) -> None:
        """Append a transfer."""
        self.of(case).append(seen)
        if self.file is not None:
            with self.file.open("a", encoding="utf-8") as out:
                out.write(json.dumps({"case": json.loads(self._key(case)), "seen": asdict(seen)}) + "\n")


def batches(wanted: Sequence[Case]) -> Iterator[list[Case]]:
    """The cases in groups that may run at the same time."""
    batch: list[Case] = []
    for case in wanted:
        together = [*batch, case]
        rate = sum(rate_bps(one.way.rate) for one in together)
        flows = sum(len(one.controls) for one in together)
        if batch and (rate > MOST_BPS or flows > MOST_FLOWS):
            yield batch
            together = [case]
        batch = together
    if batch:
        yield batch


def measure(asked: Sequence[Case], kept: Kept, repetitions: int) -> None:
    """Transfers of the kernel until each case has so many. Similar rates run together, whatever lies between them."""
    wanted = [case for case in asked for _ in range(repetitions - len(kept.of(case)))]
    wanted.sort(key=lambda case: rate_bps(case.way.rate))
    groups, began_s = list(batches(wanted)), time.monotonic()
    for number, batch in enumerate(groups):
        # Other losses in each batch, also when a stopped comparison goes on.
        for case, seen in zip(batch, of_kernel(batch, seed=kept.count + 1), strict=True):
            kept.keep(case, seen)
        took_s = time.monotonic() - began_s
        left_s = took_s / (number + 1) * (len(groups) - number - 1)
        late = ", ".join(f"{late_ms:.2f}" for late_ms in seen.lateness_ms)
        print(
            f"{number + 1} of {len(groups)}: {len(batch)} at once, {late} ms late; {left_s / 60:.0f} minutes left",
            flush=True,
        )


def simulated(case: Case, detour: Detour) -> list[Seen]:
    """Transfers of the engine, over the path as it was for the kernel."""
    return [of_engine(case, detour, seed) for seed in range(1, DRAWS + 1)]


def draw(cells: Sequence[Cell]) -> None:
    """The windows' course on one path: all transfers of the kernel, and one of the engine over them."""
    from ackclock.analysis.plot.files import save
    from ackclock.analysis.plot.theme import SERIES, panels, style

    drawn = [cell for cell in cells if cell.case.way == DRAWN]
    with style():
        picture, places = panels(len(drawn), 1, x="time (s)", y="cwnd (packets)", size=(7.0, 1.9 * len(drawn) + 0.4))
        for place, cell in zip(places, drawn, strict=True):
            # Wide, since the engine's line often lies upon it; where all of the kernel's do, they are dark.
            wide = {**SERIES[0], "linewidth": 4.0, "alpha": 0.15}
            for number, seen in enumerate(cell.kernel):
                label = f"the kernel, {len(cell.kernel)} transfers" if number == 0 else None
                place.plot(seen.times_s[::2], seen.windows[::2], label=label, **wide)  # each 20 ms, as the engine's
            place.plot(cell.engine[0].times_s, cell.engine[0].windows, label="the engine", **SERIES[1])
            place.set_title(cell.case.controls[0], loc="left")
        places[0].legend(loc="upper right", ncols=2)
        save(picture, PICTURE)


def write(cells: Sequence[Cell], repetitions: int) -> None:
    """Put the tables and the picture into the docs."""
    late_ms = np.array([seen.lateness_ms for cell in cells for seen in cell.kernel])
    median_ms, most_ms, latest_ms = np.median(late_ms, axis=0)
    longer_ms = detour([seen for cell in cells for seen in cell.kernel]).longer_ms
    where = (
        f"Linux {platform.release()}, {os.cpu_count()} cores; {len(cells)} cells of {repetitions} transfers of "
        f"{LASTS_S} s, the first {WARM_UP_S} s not counted.\nHalf of a transfer's packets were handed over at most "
        f"{median_ms:.2f} ms late, 99 % of them {most_ms:.2f} ms, the latest {latest_ms:.1f} ms\n(medians of the "
        f"transfers; the latest of all {late_ms[:, 2].max():.0f} ms). The way through the emulator added "
        f"{longer_ms:.2f} ms to a round trip."
    )
    tables = "\n\n".join(f"### {kind}\n\n{table(found)}" for kind, found in kinds(cells).items())
    mark = re.compile(r"(<!-- measured -->\n).*?(<!-- end -->)", re.DOTALL)
    told = f"{where}\n\n{agreement(cells)}\n\n{tables}\n"
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(mark.sub(lambda m: f"{m[1]}{told}{m[2]}", text), encoding="utf-8")
    draw(cells)


def main() -> int:
    """Measure, print, and write if asked to."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    asked.add_argument("--quick", action="store_true", help="one path")
    asked.add_argument("--repetitions", type=int, default=5, metavar="N", help="transfers of each cell (default: 5)")
    asked.add_argument("--keep", type=Path, metavar="FILE", help="append the kernel's transfers here, and reuse them")
    asked.add_argument("--kept-only", action="store_true", help="measure nothing, compare the kept transfers")
    asked.add_argument("--write", action="store_true", help="put the tables and the picture into the docs")
    options = asked.parse_args()
    if options.repetitions < 2:
        asked.error("--repetitions: expected at least 2, since one transfer has no interval")
    if options.kept_only and options.keep is None:
        asked.error("--kept-only: expected --keep FILE, where the transfers are")
    if not options.kept_only and (lacks := missing()) is not None:
        print(f"not measured: {lacks}", file=sys.stderr)
        return 1
    have = KERNELS.read_text().split()
    for control in (control for control in SENDERS if control not in have):
        print(f"{control}: the running kernel has it not, only {', '.join(have)}", file=sys.stderr)
    wanted = [case for case in cases(options.quick) if set(case.controls) <= set(have)]
    kept = Kept(options.keep)
    if not options.kept_only:
        measure(wanted, kept, options.repetitions)
    wanted = [case for case in wanted if len(kept.of(case)) >= options.repetitions]
    if not wanted:
        asked.error(f"--kept-only: {options.keep} has no case with {options.repetitions} transfers")
    kernel = [kept.of(case)[: options.repetitions] for case in wanted]
    with ProcessPoolExecutor() as pool:
        of_all = detour([seen for found in kernel for seen in found])
        cells = list(map(Cell, wanted, kernel, pool.map(simulated, wanted, [of_all] * len(wanted))))
    for found in kinds(cells).values():
        print(table(found), end="\n\n")
    print(agreement(cells))
    if options.write:
        write(cells, options.repetitions)
    return 0


if __name__ == "__main__":
    sys.exit(main())
