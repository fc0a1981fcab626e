"""What a progress bar says of runs and sweeps."""

from __future__ import annotations

from ackclock._internal.progress import Bar

#: A run shorter than this, s, shows no bar.
PATIENCE_S = 1.0


class RunProgress:
    """The simulated time, for runs that take a while."""

    def __init__(self, what: str) -> None:
        self._bar = Bar(what, patience_s=PATIENCE_S)

    def __call__(self, now_s: float, duration_s: float) -> None:
        """The simulation has come to `now_s`."""
        self._bar.update(now_s, duration_s, f"{now_s:.1f} of {duration_s:g} s simulated, left")

    def clear(self) -> None:
        """Take the bar away."""
        self._bar.close()


class SweepProgress:
    """Runs that are done, of a sweep."""

    def __init__(self, what: str) -> None:
        self._bar = Bar(what)

    def __call__(self, done: int, failed: int, total: int) -> None:
        """One run more has ended."""
        wrong = f", {failed} failed" if failed else ""
        self._bar.update(done + failed, total, f"{done + failed} of {count(total, 'run')}{wrong}, left")

    def clear(self) -> None:
        """Take the bar away."""
        self._bar.close()


def count(number: int, what: str, several: str | None = None) -> str:
    """A number of things; `several` is their plural where no s makes it."""
    return f"{number} {what}" if number == 1 else f"{number} {several or f'{what}s'}"


def duration(seconds: float) -> str:
    """A time in its unit, as one says it."""
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 1 else "a second"
