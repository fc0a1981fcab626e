"""What a run may take, and how it stops itself where it takes more: with the reason, and without a result.

The usual limits are out of any honest run's reach: ten million events at one instant, and nine tenths of the machine's
memory. Real time and disk space have no limit by default. A full disk is an error of its own.

Here a process looks at itself. `ackclock.execution.supervise` looks at it from outside, for what it does not notice.
"""

from __future__ import annotations

import _thread
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

#: Events at one instant that are held for a loop without end.
EVENTS_AT_ONE_TIME = 10_000_000
#: Part of the machine's memory.
_PART = 0.9
#: Between two looks at clock and memory, s.
EVERY_S = 0.25
#: The same where a limit was asked for.
EVERY_WITH_LIMIT_S = 0.1
#: The options of commands, and what each takes.
OPTIONS = {
    "--max-wall": ("S", "stop after this many seconds of real time"),
    "--max-memory": ("BYTES", "stop above this much memory: 500M, 2G (default: nine tenths of the machine's)"),
    "--max-output": ("BYTES", "maximum size of each file written: 500M, 2G"),
    "--max-events-at-one-time": ("N", "stop after this many events at one instant (default: 10000000)"),
}


class Limits:
    """Seconds of real time, bytes of memory, bytes of each file written, events at one instant; None for no limit."""

    __slots__ = ("_memory_bytes", "events_at_one_time", "output_bytes", "wall_s")

    def __init__(
        self,
        *,
        wall_s: float | None = None,
        memory_bytes: int | None = None,
        output_bytes: int | None = None,
        events_at_one_time: int = EVENTS_AT_ONE_TIME,
    ) -> None:
        """`ValueError` for one that is not positive. Without `memory_bytes` it is nine tenths of the machine's."""
        self.wall_s, self.output_bytes, self.events_at_one_time = wall_s, output_bytes, events_at_one_time
        self._memory_bytes = memory_bytes
        for name in self.__slots__:
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"{name.removeprefix('_')} = {value}: a limit is more than 0")

    @property
    def every_s(self) -> float:
        """Seconds between two looks."""
        return EVERY_WITH_LIMIT_S if self.are_given else EVERY_S

    @property
    def are_given(self) -> bool:
        """Whether somebody asked for a limit of real time, of memory or of files."""
        return any(limit is not None for limit in (self.wall_s, self._memory_bytes, self.output_bytes))

    @property
    def has_memory_limit(self) -> bool:
        """Whether somebody asked for a limit of memory."""
        return self._memory_bytes is not None

    @property
    def memory_bytes(self) -> int | None:
        """Memory that the process may take; None where the system does not tell how much there is."""
        # The machine is asked when somebody looks: most runs are over by then.
        if self._memory_bytes is None:
            self._memory_bytes = machine_bytes()
        return self._memory_bytes

    def as_words(self) -> dict[str, str]:
        """The limits that somebody asked for as options, for `given`."""
        values = (self.wall_s, self._memory_bytes, self.output_bytes, self.events_at_one_time)
        return {option: repr(value) for option, value in zip(OPTIONS, values, strict=True) if value is not None}

    def impose(self) -> None:
        """The system holds every file to its size, for good: what writes on gets an `OSError`."""
        if self.output_bytes is not None:
            import resource

            _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
            most = self.output_bytes if hard == resource.RLIM_INFINITY else min(self.output_bytes, hard)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))


def given(words: Mapping[str, str | None]) -> Limits:
    """The limits that options ask for, `--max-wall` and the others. `ValueError` for what is no number."""
    wall, memory, output, events = (words.get(option) for option in OPTIONS)
    return Limits(
        wall_s=None if wall is None else _number("--max-wall", wall),
        memory_bytes=None if memory is None else int(_number("--max-memory", memory)),
        output_bytes=None if output is None else int(_number("--max-output", output)),
        events_at_one_time=EVENTS_AT_ONE_TIME if events is None else int(_number("--max-events-at-one-time", events)),
    )


def _number(option: str, word: str) -> float:
    what, meaning = OPTIONS[option]
    unit = {"k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}.get(word[-1:].lower(), 1.0) if what == "BYTES" else 1.0
    try:
        number = float(word[:-1] if unit != 1.0 else word) * unit
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise ValueError(f"{option} {word}: expected a number of more than 0: {meaning}")
    return number


def machine_bytes() -> int | None:
    """Nine tenths of the memory of the machine, or of the group that this process is in; None if it is not told."""
    found = []
    try:
        found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as file:
            found.append(int(file.read()))
    except (AttributeError, OSError, ValueError):
        pass  # another system, no group, or a group without a limit ("max")
    return int(_PART * min(found)) if found else None


def memory_bytes(pid: int | None = None) -> int:
    """Memory that a process takes, this one unless given; 0 where the system does not tell.

    A process that does not see /proc, since it is confined, tells the most that it has ever taken.
    """
    try:
        with open(f"/proc/{pid or 'self'}/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        if pid is not None:
            return 0
    try:
        import resource
    except ImportError:  # Windows
        return 0
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest if sys.platform == "darwin" else largest * 1024  # macOS counts bytes, Linux and the BSDs KiB


class LimitWatch:
    """Looks at the clock and at the memory of this process while it runs something."""

    __slots__ = ("began", "limits", "reason")

    def __init__(self, limits: Limits) -> None:
        self.limits, self.began = limits, time.monotonic()
        #: why it was stopped
        self.reason: str | None = None

    def is_over(self) -> bool:
        """Whether something is more than it may be: `reason` says what."""
        limits = self.limits
        if self.reason is None and limits.wall_s is not None and time.monotonic() - self.began > limits.wall_s:
            self.reason = f"it took more than {limits.wall_s:g} s of real time"
        if self.reason is None and limits.memory_bytes is not None:
            taken = memory_bytes()
            if taken > limits.memory_bytes:
                self.reason = f"it took {taken / 1e6:.0f} MB of memory, more than {limits.memory_bytes / 1e6:.0f} MB"
        return self.reason is not None


def watched(limits: Limits, run: Callable[[], None]) -> str | None:
    """Run something in the main thread; why it was stopped, if it was. It must be something that Ctrl-C ends."""
    watch, over = LimitWatch(limits), _thread.allocate_lock()
    over.acquire()

    def look() -> None:
        while not over.acquire(timeout=limits.every_s):
            if watch.is_over():
                _thread.interrupt_main()
                return

    _thread.start_new_thread(look, ())
    try:
        run()
    except KeyboardInterrupt:
        if watch.reason is None:
            raise
    finally:
        over.release()
    return watch.reason
