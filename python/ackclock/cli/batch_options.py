"""What commands of many runs share: options of where runs are stored and what runs them, progress, failures."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path

from ackclock._internal.escape import escaped, tell
from ackclock.cli.limit_options import OF_MANY, add_limits
from ackclock.cli.progress import SweepProgress, count

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from ackclock.cli.limit_options import Name

#: Where runs are stored if no folder is given.
STORE = Path("out/store")

#: Failed runs that are printed before they are only counted.
NAMED = 20


def add_store(parser: argparse.ArgumentParser, default: Path | None = STORE, shown: str = str(STORE)) -> None:
    """Give a command `--store`; `shown` is how its help names the default."""
    text = f"where runs are stored (default: {shown})"
    parser.add_argument("--store", type=Path, default=default, metavar="DIR", help=text)


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """Give a command `--jobs`; `check_jobs` checks it."""
    parser.add_argument("--jobs", type=int, metavar="N", help="parallel runs (default: one per core)")


def add_dask(parser: argparse.ArgumentParser) -> None:
    """Give a command `--dask`; `check_jobs` checks it."""
    parser.add_argument("--dask", metavar="ADDRESS", help="run on the workers of this Dask scheduler (tcp://HOST:8786)")


def add_limits_of_many(parser: argparse.ArgumentParser, name: Name) -> None:
    """Give a command the limits of many runs; `name` is what messages call it."""
    add_limits(parser, name, OF_MANY, "limits of the whole command (completed runs are kept)")


def check_jobs(options: argparse.Namespace) -> None:
    """`ScenarioError` for fewer than one parallel run, and for `--jobs` on a cluster."""
    from ackclock.scenario import ScenarioError

    if options.jobs is None:
        return
    if options.jobs < 1:
        raise ScenarioError("expected a number of parallel runs, at least 1", key="--jobs", value=options.jobs)
    if getattr(options, "dask", None) is not None:
        expected = "--jobs cannot be used with --dask: the cluster sets the number of parallel runs"
        raise ScenarioError(expected, key="--dask")


@contextmanager
def progress_of(what: str) -> Iterator[SweepProgress | None]:
    """A progress bar for the runs of a block, taken away at its end; None where stderr is not a terminal."""
    bar = SweepProgress(what) if sys.stderr.isatty() else None
    try:
        yield bar
    finally:
        if bar is not None:
            bar.clear()


def tell_failures(failures: Sequence[object], runs: int) -> int:
    """Name the failed ones of `runs` runs on stderr, the first `NAMED` of them; the exit status: 1 if there are any."""
    for failed in failures[:NAMED]:
        print(escaped(f"failed: {failed}", lines=True), file=sys.stderr)
    if failures:
        tell(f"{len(failures)} of {count(runs, 'run')} failed")
    return 1 if failures else 0
