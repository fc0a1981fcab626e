"""Offers a reader one made-up input after the other, from a process that is watched.

The reader is offered inputs in a process of its own, which keeps the present one in shared memory. So an input that
takes too long, too much memory or the process with it is known and counted; the next one is offered to a new process.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Protocol

from fuzz.mutate import MOST_BYTES, Mutator
from fuzz.row import HERE, Row

CORPUS = HERE / "corpus"
#: Where inputs are kept that something gave way at.
FOUND = HERE.parent / "out" / "fuzz" / "found"
#: An input may take so much processor time, s; so long by the clock, which other programs want, too; so much memory.
HANG_S = 20.0
CLOCK_S = 120.0
MEMORY_BYTES = 3 << 30
#: Inputs whose answers were new are built upon, but no more than these.
MOST_POOL = 4000
#: What is counted in shared memory, 8 bytes each, in front of the present input.
COUNTERS = ("tried", "crashes", "violations", "length")
HEAD = 8 * len(COUNTERS)


class Violation(AssertionError):
    """An answer that is wrong: what must hold of it does not."""


#: Answers an input: the kind of answer, such as its error without numbers. It raises for what nobody foresaw.
Offer = Callable[[bytes], str]


class Reader(Protocol):
    """Something that reads what others wrote; a module of `fuzz.readers`."""

    #: what the table calls it
    WHAT: str
    #: words of its language that no seed may have
    WORDS: list[bytes]

    def prepared(self, scratch: Path) -> Offer:
        """The way to offer it an input; `scratch` is a folder for its files."""


@dataclass
class Tried:
    """What came of the inputs so far, and where those are kept that something gave way at."""

    tried: int = 0
    crashes: int = 0
    hangs: int = 0
    violations: int = 0
    found: list[str] = field(default_factory=list)


def kind_of(message: object) -> str:
    """A message without what is quoted in it, and without numbers: inputs whose kinds differ took different ways."""
    text = re.sub(r"`[^`]*`|'[^']*'|\"[^\"]*\"", "Q", str(message)[:400])
    return re.sub(r"-?\d[\d.e+-]*", "N", text)[:160]


def seeds(name: str) -> list[bytes]:
    """The corpus of a reader."""
    found = [path.read_bytes() for path in sorted((CORPUS / name).iterdir())]
    assert found, f"{CORPUS / name} is empty"
    return found


def keep(name: str, data: bytes, why: str) -> str:
    """Keep an input that something gave way at."""
    FOUND.mkdir(parents=True, exist_ok=True)
    path = FOUND / f"{name}-{hashlib.sha256(data).hexdigest()[:10]}"
    path.write_bytes(data)
    path.with_suffix(".txt").write_text(why, encoding="utf-8")
    return str(path)


def fuzz(name: str, reader: Reader, inputs: int, seed: int = 1, tell: bool = False) -> tuple[Tried, Row]:
    """Offer so many inputs, always the same for a seed."""
    began, so_far = time.monotonic(), Tried()
    shared = mmap.mmap(-1, HEAD + MOST_BYTES)
    while so_far.tried < inputs:
        _one_process(name, reader, inputs, Random(f"{seed} {so_far.tried}"), shared, so_far, tell)
    so_far.found = sorted(map(str, FOUND.glob(f"{name}-*.txt"))) if so_far.crashes + so_far.violations else so_far.found
    seconds = time.monotonic() - began
    return so_far, Row(reader.WHAT, so_far.tried, so_far.crashes, so_far.hangs, so_far.violations, seconds)


def _one_process(
    name: str, reader: Reader, inputs: int, random: Random, shared: mmap.mmap, so_far: Tried, tell: bool
) -> None:
    """Until all are tried, or the process is gone."""
    _set(shared, tried=0, crashes=0, violations=0, length=0)
    with tempfile.TemporaryDirectory(prefix="ackclock-fuzz-", dir=_memory()) as scratch:
        child = os.fork()
        if child == 0:
            try:
                _offer(name, reader, inputs - so_far.tried, random, shared, Path(scratch))
                os._exit(0)
            except BaseException:
                traceback.print_exc()
                os._exit(70)
        status = _watch(child, shared, name, so_far.tried, tell)
    now = _get(shared)
    so_far.tried += now["tried"]
    so_far.crashes += now["crashes"]
    so_far.violations += now["violations"]
    if status == 0:
        return
    if status == 70 << 8:
        raise RuntimeError(f"the fuzzer of {name} itself failed")
    data = shared[HEAD : HEAD + now["length"]]
    so_far.tried += 1
    hung = status == signal.SIGPROF
    so_far.hangs += hung
    so_far.crashes += not hung
    why = f"it took over {HANG_S:g} s of processor time" if hung else f"the process ended with status {status}"
    so_far.found.append(keep(name, data, why))


def _watch(child: int, shared: mmap.mmap, name: str, before: int, tell: bool) -> int:
    """The process's wait status; SIGPROF's, which is that of the processor time's limit, for one that hung."""
    last, since, told = -1, time.monotonic(), time.monotonic()
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        now = time.monotonic()
        tried = _get(shared)["tried"]
        if tried != last:
            last, since = tried, now
        elif now - since > CLOCK_S:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return signal.SIGPROF
        if tell and now - told > 10:
            told = now
            print(f"{name}: {before + tried:,} tried", file=sys.stderr, flush=True)
        time.sleep(0.02)


def _offer(name: str, reader: Reader, inputs: int, random: Random, shared: mmap.mmap, scratch: Path) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    offer = reader.prepared(scratch)
    mutator = Mutator(random, reader.WORDS)
    mutator.pool = seeds(name)
    known: set[str] = set()
    crashes = violations = 0
    for tried in range(1, inputs + 1):
        data = mutator.made()
        shared[HEAD : HEAD + len(data)] = data
        _set(shared, length=len(data))
        signal.setitimer(signal.ITIMER_PROF, HANG_S)
        try:
            kind = offer(data)
        except BaseException as error:
            violations += isinstance(error, Violation)
            crashes += not isinstance(error, Violation)
            where = traceback.extract_tb(error.__traceback__)[-1]
            kind = f"{type(error).__name__} {where.filename}:{where.lineno} {kind_of(error)}"
            if kind not in known:
                keep(name, data, "".join(traceback.format_exception(error)))
            _set(shared, crashes=crashes, violations=violations)
        if kind not in known and len(mutator.pool) < MOST_POOL:
            known.add(kind)
            mutator.pool.append(data)
        _set(shared, tried=tried)


def _get(shared: mmap.mmap) -> dict[str, int]:
    return {name: int.from_bytes(shared[8 * n : 8 * n + 8], "little") for n, name in enumerate(COUNTERS)}


def _set(shared: mmap.mmap, **values: Any) -> None:
    for name, value in values.items():
        at = 8 * COUNTERS.index(name)
        shared[at : at + 8] = value.to_bytes(8, "little")


def _memory() -> str | None:
    """A folder in memory, where there is one: files of inputs live for a millisecond."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
