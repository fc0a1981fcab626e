"""Lines on stderr that say how far a command is, for terminals."""

from __future__ import annotations

import sys
import time

from ackclock._internal.escape import escaped

#: Seconds between two looks at the line.
EVERY_S = 0.2

#: A run shorter than this, s, shows no line.
PATIENCE_S = 1.0


class Line:
    """One line that is written over again and again."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.began = time.monotonic()
        #: when the line was last written, s; 0 before the first time
        self.shown = 0.0

    def is_due(self, clock: float) -> bool:
        """Whether the line has stood long enough to be written again."""
        return clock - self.shown >= EVERY_S

    def write(self, clock: float, text: str) -> None:
        """Put this in the line's place."""
        self.shown = clock
        print(f"\r\x1b[K{escaped(f'{self.what}: {text}')}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Take the line away."""
        if self.shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


class RunProgress(Line):
    """The simulated time and the time left, for runs that take a while."""

    def __call__(self, now_s: float, duration_s: float) -> None:
        """The simulation has come to `now_s`."""
        clock = time.monotonic()
        lasted = clock - self.began
        if lasted < PATIENCE_S or not self.is_due(clock):
            return
        left = f", {lasted * (duration_s - now_s) / now_s:.0f} s left" if now_s > 0 else ""
        self.write(clock, f"{now_s:.1f} of {duration_s:g} s simulated{left}")


class SweepProgress(Line):
    """Runs that are done, and the time left."""

    #: how many runs were done when the first of this sweep ended
    first: int | None = None

    def __call__(self, done: int, failed: int, total: int) -> None:
        """One run more has ended."""
        clock, ended = time.monotonic(), done + failed
        if self.first is None:
            # What was there before tells nothing about the time that the rest takes.
            self.first, self.began = ended, clock
        if not self.is_due(clock):
            return
        each_s = (clock - self.began) / (ended - self.first) if ended > self.first else None
        left = "some time" if each_s is None else duration(each_s * (total - ended))
        wrong = f", {failed} failed" if failed else ""
        self.write(clock, f"{ended} of {count(total, 'run')}{wrong}, {left} left")


def count(number: int, what: str, several: str | None = None) -> str:
    """A number of things; `several` is their plural where no s makes it."""
    return f"{number} {what}" if number == 1 else f"{number} {several or f'{what}s'}"


def duration(seconds: float) -> str:
    """A time in its unit, as one says it."""
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 1 else "a second"
