"""Measure how often nominal 95 % intervals hold the true value, on processes whose truth is known.

    python tools/measure_coverage.py [--repetitions N] [--only WORD] [--write]

Prints a table for each method: process, length or number of values, how often the library refuses and warns, and the
coverage of what it gives. `--write` puts the tables into docs/coverage.md. 1,000 repetitions take some minutes.
`tests/analysis/test_coverage.py` repeats a part with fewer repetitions.

Truths: the mean wait of M/M/1 with service rate 1 is rho/(1 - rho), and a wait exceeds t with probability
rho exp(-(1 - rho) t); AR(1) has mean 0; the lognormal distribution with sigma = 1 has mean exp(1/2) and median 1; the
Pareto distribution with shape 2.5 from 1 has mean 5/3, geometric mean exp(1/2.5) and quantiles (1 - p)^(-1/2.5).
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter  # type: ignore[import-untyped]
from scipy.stats import norm  # type: ignore[import-untyped]

from ackclock import stats
from ackclock.analysis.stats.difference import adjusted
from ackclock.batch.sweep.sequential_stopping import Until

Array = NDArray[np.float64]
PAGE = Path(__file__).parent.parent / "docs" / "coverage.md"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
SEED = 20_240_229
#: values in memory at once
AT_ONCE = 8_000_000

# Processes: `count` samples as rows. ---------------------------------------------------------------------------------


def mm1(rng: np.random.Generator, count: int, n: int, load: float, *, empty: bool = False) -> Array:
    """Waits of n customers of M/M/1 with service rate 1, by Lindley's recursion; from the steady state, or empty."""
    steps = rng.exponential(1.0, (count, n))
    steps -= rng.exponential(1 / load, (count, n))
    first = np.where(rng.random(count) < load, rng.exponential(1 / (1 - load), count), 0.0) * (not empty)
    waits = np.empty((count, n))
    waits[:, 0] = first
    np.cumsum(steps[:, :-1], axis=1, out=waits[:, 1:])
    waits[:, 1:] += first[:, None]
    lowest = np.minimum.accumulate(waits, axis=1)
    waits -= np.minimum(lowest, 0.0)
    return waits


def ar1(rng: np.random.Generator, count: int, n: int, phi: float = 0.95) -> Array:
    """A Gaussian AR(1) process with standard deviation 1, in its steady state."""
    noise = rng.normal(size=(count, n))
    noise[:, 1:] *= math.sqrt(1 - phi**2)
    series: Array = lfilter([1.0], [1.0, -phi], noise, axis=1)
    return series


def settling(rng: np.random.Generator, count: int, n: int) -> Array:
    """The same AR(1) process from 5 standard deviations above its mean: what is left of them falls like 0.95^i."""
    return ar1(rng, count, n) + 5 * 0.95 ** np.arange(n)


def lognormal(rng: np.random.Generator, count: int, n: int) -> Array:
    """Independent lognormal values, sigma = 1."""
    return rng.lognormal(0.0, 1.0, (count, n))


def pareto(rng: np.random.Generator, count: int, n: int) -> Array:
    """Independent Pareto values, shape 2.5, from 1."""
    return 1 + rng.pareto(2.5, (count, n))


def normal(rng: np.random.Generator, count: int, n: int) -> Array:
    """Independent normal values, mean 1, standard deviation 0.2."""
    return rng.normal(1.0, 0.2, (count, n))


def constant(rng: np.random.Generator, count: int, n: int) -> Array:
    """What never varies."""
    return np.full((count, n), 5.0)


# Cases. --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Found:
    """What a method gives of one sample."""

    low: float
    high: float
    warning: str = ""


@dataclass(frozen=True)
class Case:
    """A method on a process of which the truth is known."""

    method: str
    process: str
    #: how many values, or customers
    n: str
    draw: Callable[[np.random.Generator, int], Array]
    estimate: Callable[[Array], Found]
    truth: float
    #: values of one repetition
    size: int


@dataclass(frozen=True)
class Measured:
    """Shares of the repetitions: refused, given with a warning; and coverage of all given, of those without warning."""

    refused: float
    warned: float
    all_given: float
    unwarned: float

    @property
    def verdict(self) -> str:
        """`accepted` where the library refuses or warns in fewer than a quarter of the repetitions."""
        if self.refused >= 0.25:
            return "refused"
        return "warned of" if self.refused + self.warned >= 0.25 else "accepted"


def of(interval: stats.Interval) -> Found:
    """An interval's ends."""
    return Found(interval.low, interval.high, interval.warning)


def quantile(found: list[stats.Percentile]) -> Found:
    """A percentile's ends; without a bound where it has none."""
    (one,) = found
    low = -math.inf if one.low is None else one.low
    return Found(low, math.inf if one.high is None else one.high, one.warning)


def halves(compare: Callable[[Array, Array], Found]) -> Callable[[Array], Found]:
    """A comparison of the first half of a sample with the second."""
    return lambda sample: compare(sample[: len(sample) // 2], sample[len(sample) // 2 :])


def cut(series: Array) -> Found:
    """MSER-5, then batch means."""
    warm_up = stats.mser5(series)
    found = of(stats.batch_means(series[warm_up.length :]))
    return Found(found.low, found.high, warm_up.warning or found.warning)


def replicated(series: Array, each: str) -> Found:
    """Ten replications, concatenated: their means after no cut, one cut each, or one cut for all."""
    runs = series.reshape(10, -1)
    found = [stats.mser5(run) for run in (runs if each == "each" else [runs])] if each else []
    if each == "each":  # what is left of them has different lengths
        interval = of(stats.student([run[told.length :].mean() for run, told in zip(runs, found, strict=True)]))
    else:
        interval = of(stats.replication_means(runs[:, found[0].length if found else 0 :]))
    warning = next((told.warning for told in found if told.warning), interval.warning)
    return Found(interval.low, interval.high, warning)


def sequential(relative: float) -> Callable[[Array], Found]:
    """`replicate` until the half-width is within a share of the mean."""

    def estimate(sample: Array) -> Found:
        *_, last = stats.replicate(lambda i: float(sample[i]), relative=relative, at_most=len(sample))
        return of(last)

    return estimate


def until(relative: float) -> Callable[[Array], Found]:
    """A sweep's rule, which adds several replications at once."""

    def estimate(sample: Array) -> Found:
        rule, n = Until("x", relative, len(sample)), 10
        while (wanted := rule.wanted(sample[:n].tolist())) > n:
            n = wanted
        interval = rule.interval(sample[:n].tolist())
        if interval is None:
            raise ValueError("one run")
        return of(interval)

    return estimate


def cases() -> Iterator[Case]:
    """All that is measured."""

    def independent(
        method: str, estimate: Callable[[Array], Found], numbers: tuple[int, ...], truths: dict[str, float], k: int = 1
    ) -> Iterator[Case]:
        draws = {"normal": normal, "lognormal": lognormal, "Pareto 2.5": pareto, "deterministic": constant}
        for name, truth in truths.items():
            for n in numbers:
                draw = draws[name]
                yield Case(method, name, str(n), lambda g, c, d=draw, n=n: d(g, c, k * n), estimate, truth, k * n)  # type: ignore[misc]

    def series(
        method: str,
        process: str,
        lengths: tuple[int, ...],
        draw: Callable[[np.random.Generator, int, int], Array],
        estimate: Callable[[Array], Found],
        truth: float,
        k: int = 1,
    ) -> Iterator[Case]:
        for n in lengths:
            yield Case(method, process, f"{n:,}", lambda g, c, n=n: draw(g, c, n), estimate, truth, k * n)  # type: ignore[misc]

    means = {"normal": 1.0, "lognormal": math.exp(0.5), "Pareto 2.5": 5 / 3, "deterministic": 5.0}
    geometric = {"lognormal": 1.0, "Pareto 2.5": math.exp(1 / 2.5), "deterministic": 5.0}
    yield from independent("student", lambda x: of(stats.student(x)), (5, 10, 30, 100, 1000), means)
    yield from independent("geometric_mean", lambda x: of(stats.geometric_mean(x)), (5, 10, 30, 100), geometric)
    arithmetic = {name: means[name] for name in ("lognormal", "Pareto 2.5", "deterministic")}
    yield from independent("lognormal_mean", lambda x: of(stats.lognormal_mean(x)), (5, 10, 30, 100), arithmetic)
    alike = {"normal": 0.0, "lognormal": 0.0, "Pareto 2.5": 0.0, "deterministic": 0.0}
    one = dict.fromkeys(("lognormal", "Pareto 2.5", "deterministic"), 1.0)
    yield from independent("ratio", halves(lambda x, y: of(stats.ratio(x, y))), (5, 10, 30), one, 2)
    yield from independent("paired", halves(lambda x, y: difference(stats.paired(x, y))), (5, 10, 30), alike, 2)
    from_1 = lambda x: difference(stats.paired(x, np.ones_like(x)))  # noqa: E731
    for n in (5, 10, 30, 100):
        waits = lambda g, c, n=n: g.exponential(1.0, (c, n))  # noqa: E731
        yield Case("paired", "exponential differences", str(n), waits, from_1, 0.0, n)
    yield from independent("welch", halves(lambda x, y: difference(stats.welch(x, y))), (5, 10, 30), alike, 2)

    half, busy = "M/M/1, load 0.5", "M/M/1, load 0.9"
    batch = lambda x: of(stats.batch_means(x))  # noqa: E731
    light, heavy = (2_000, 10_000, 50_000, 200_000), (10_000, 100_000, 1_000_000)
    yield from series("batch_means", half, light, lambda g, c, n: mm1(g, c, n, 0.5), batch, 1.0)
    yield from series("batch_means", busy, heavy, lambda g, c, n: mm1(g, c, n, 0.9), batch, 9.0)
    yield from series("batch_means", "AR(1), 0.95", (2_000, 20_000, 100_000), ar1, batch, 0.0)
    yield from series("batch_means", "lognormal", (1_000, 20_000), lognormal, batch, math.exp(0.5))
    yield from series("batch_means", "Pareto 2.5", (1_000, 20_000), pareto, batch, 5 / 3)
    yield from series("batch_means", "deterministic", (2_000,), constant, batch, 5.0)
    method = "mser5, then batch_means"
    yield from series(method, f"{half}, from empty", light, lambda g, c, n: mm1(g, c, n, 0.5, empty=True), cut, 1.0)
    yield from series(method, f"{busy}, from empty", heavy, lambda g, c, n: mm1(g, c, n, 0.9, empty=True), cut, 9.0)
    for title, each in (
        ("replication_means of ten, no cut", ""),
        ("student of ten replications, mser5 for each", "each"),
        ("replication_means of ten, mser5 for all", "all"),
    ):
        estimate = lambda x, each=each: replicated(x, each)  # noqa: E731
        for name, load, lengths in ((half, 0.5, (500, 1_000, 2_000)), (busy, 0.9, (2_000, 20_000))):
            draw = lambda g, c, n, load=load: mm1(g, 10 * c, n, load, empty=True).reshape(c, -1)  # noqa: E731
            yield from series(title, f"{name}, from empty", lengths, draw, estimate, load / (1 - load), 10)
        if not each:
            from_5 = lambda g, c, n: settling(g, 10 * c, n).reshape(c, -1)  # noqa: E731
            yield from series(title, "AR(1), 0.95, from 5", (2_000, 20_000), from_5, estimate, 0.0, 10)

    for p in (50, 95):
        truths = {"lognormal": math.exp(norm.ppf(p / 100)), "Pareto 2.5": (1 - p / 100) ** (-1 / 2.5)}
        estimate = lambda x, p=p: quantile(stats.percentiles(x, [p]))  # noqa: E731
        yield from independent(f"percentiles, {p} %", estimate, (100, 1000), truths)
    p95 = lambda x: quantile(stats.percentiles(x, [95]))  # noqa: E731
    by_batch = lambda x: quantile(stats.batch_percentiles(x, [95]))  # noqa: E731
    wait_95 = {load: math.log(load / 0.05) / (1 - load) for load in (0.5, 0.9)}
    yield from series("percentiles, 95 %", "AR(1), 0.95", (2_000,), ar1, p95, norm.ppf(0.95))
    method = "batch_percentiles, 95 %"
    yield from series(method, "AR(1), 0.95", (20_000, 100_000), ar1, by_batch, norm.ppf(0.95))
    yield from series(method, half, (10_000, 100_000), lambda g, c, n: mm1(g, c, n, 0.5), by_batch, wait_95[0.5])
    yield from series(method, busy, (100_000, 1_000_000), lambda g, c, n: mm1(g, c, n, 0.9), by_batch, wait_95[0.9])
    yield from series(method, "lognormal", (2_000,), lognormal, by_batch, math.exp(norm.ppf(0.95)))
    yield from series(method, "Pareto 2.5", (2_000,), pareto, by_batch, 0.05 ** (-1 / 2.5))

    for method, rule in (("replicate", sequential), ("until", until)):
        for relative in (0.2, 0.1, 0.08, 0.05):  # around 10, 18, 27 and 65 normal replications
            title = f"{method}, to {relative:.0%}"
            truths = {"normal": 1.0, "lognormal": math.exp(0.5), "deterministic": 5.0}
            yield from independent(title, rule(relative), (200,), truths)


def difference(found: stats.Difference) -> Found:
    """A difference's ends. `ValueError` where it has no interval."""
    if math.isnan(found.interval.half_width):
        raise ValueError(found.interval.warning)
    return of(found.interval)


def repeated(case: Case, least: int) -> int:
    """How often a case is repeated: what is quick, four times as often, so that chance moves the coverage by 0.4 %."""
    return least if case.size > 20_000 or case.method.startswith(("replicate", "until")) else 4 * least


def measure(case: Case, repetitions: int, seed: int = SEED) -> Measured:
    """Repeat a case. Its random numbers depend on nothing but its name and the seed."""
    name = f"{case.method} {case.process} {case.n}".encode()
    rng = np.random.default_rng([seed, *name])
    refused = warned = held = given = held_unwarned = 0
    done = 0
    while done < repetitions:
        count = min(repetitions - done, max(1, AT_ONCE // case.size))
        for sample in case.draw(rng, count):
            try:
                found = case.estimate(sample)
            except ValueError:
                refused += 1
                continue
            holds = found.low <= case.truth <= found.high
            given += 1
            held += holds
            warned += bool(found.warning)
            held_unwarned += holds and not found.warning
        done += count
    unwarned = given - warned
    return Measured(
        refused / repetitions,
        warned / repetitions,
        held / given if given else math.nan,
        held_unwarned / unwarned if unwarned else math.nan,
    )


def starred(draw: Callable[[np.random.Generator, int, int], Array], n: int, tables: int, correct: bool) -> float:
    """The share of tables with a star, in which 20 identical variants are compared with one more, pair by pair."""
    rng = np.random.default_rng([SEED, n, int(correct)])
    stars = 0
    for _ in range(tables):
        base, *variants = draw(rng, 21, n)
        found = [stats.paired(variant, base) for variant in variants]
        stars += any(p <= 0.05 for p in adjusted(found)) if correct else any(one.significant for one in found)
    return stars / tables


# Output. -------------------------------------------------------------------------------------------------------------


def row(case: Case, found: Measured) -> str:
    """A line of the table."""
    shown = ["-" if math.isnan(x) else f"{100 * x:.1f}" for x in (found.all_given, found.unwarned)]
    shares = [f"{100 * x:.0f}" for x in (found.refused, found.warned)]
    return f"| {case.process} | {case.n} | {' | '.join([*shares, *shown])} | {found.verdict} |"


def main() -> None:
    """Measure, print and perhaps write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--only", default="", metavar="WORD", help="methods and processes with this word")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/coverage.md")
    options = parser.parse_args()
    began, method, outside = time.monotonic(), "", []
    lines: list[str] = []
    for case in cases():
        if options.only not in f"{case.method} {case.process}":
            continue
        if case.method != method:
            method = case.method
            head = "| process | n | refused, % | warned, % | coverage, % | without a warning, % | the case is |"
            lines += ["", f"### {method}", "", head, "|---|---|---|---|---|---|---|"]
            print("\n".join(lines[-5:]), flush=True)
        found = measure(case, repeated(case, options.repetitions))
        lines.append(row(case, found))
        print(lines[-1], flush=True)
        most = 1.0 if case.method.startswith("percentiles") else 0.97  # these promise 95 % or more
        if found.verdict == "accepted" and not 0.93 <= found.all_given <= most:
            outside.append(f"{case.method}, {case.process}, {case.n}: {found.all_given:.1%}")
    lines += ["", "### Tables of 20 identical variants with a star", ""]
    lines += ["| process | n | no correction, % | Holm, % |", "|---|---|---|---|"]
    for name, draw in (("normal", normal), ("lognormal", lognormal), ("Pareto 2.5", pareto)):
        for n in (5, 10, 30) if not options.only else ():
            shares = [starred(draw, n, 2 * options.repetitions, correct) for correct in (False, True)]
            lines.append(f"| {name} | {n} | {' | '.join(f'{100 * share:.1f}' for share in shares)} |")
            print(lines[-1], flush=True)
    print(f"{time.monotonic() - began:.0f} s; accepted and outside 93 to 97 %: {'; '.join(outside) or 'none'}")
    if options.write:
        page = PAGE.read_text()
        before, after = page.partition(BEGIN)[0], page.partition(END)[2]
        found_outside = "; ".join(outside) or "none"
        note = f"Accepted cases outside 93 to 97 %: {found_outside}."
        PAGE.write_text("\n".join([f"{before}{BEGIN}", "", note, *lines, "", f"{END}{after}"]))


if __name__ == "__main__":
    main()
