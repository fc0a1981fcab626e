"""Inputs that others wrote: the corpora, with all that once broke, and thousands of made-up ones, always the same.

`make fuzz` makes a million for each reader (docs/robustness.md).
"""

from __future__ import annotations

import faulthandler
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from ackclock import trace
from ackclock._internal.checksums import Checksums

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from fuzz import flips, row  # noqa: E402
from fuzz.__main__ import READERS, reader  # noqa: E402
from fuzz.mutate import Mutator  # noqa: E402
from fuzz.reading import CORPUS, Offer, Violation, fuzz, seeds  # noqa: E402

#: So many of each are made up here, some seconds' worth.
INPUTS = {"scenario": 3000, "saved_run": 300, "request": 1500, "script": 100, "tr": 2000, "nam": 800}


def _fuzz(*words: str) -> list[str]:
    """Lines of the fuzzer, in a process of its own: it forks, and what else was tested here has left threads."""
    command = [sys.executable, "-m", "fuzz", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("name", READERS)
def test_corpus(name: str) -> None:
    kinds = _fuzz(name, "--corpus")
    assert len(kinds) == len(list((CORPUS / name).iterdir()))
    assert any("good" in kind for kind in kinds), kinds


@pytest.mark.parametrize("name", READERS)
def test_made_up(name: str) -> None:
    found = row.Row.of(_fuzz(name, "--inputs", str(INPUTS[name]), "--jobs", "1")[-1])
    assert found.tried == INPUTS[name] and found.is_good


def test_shares_of_several_processes_are_one_row() -> None:
    found = row.Row.of(_fuzz("tr", "--inputs", "301", "--jobs", "3")[-1])
    assert found.tried == 301 and found.is_good


def test_captures_of_made_up_traces_are_read_by_tshark(tmp_path: Path) -> None:
    tshark = shutil.which("tshark")
    if tshark is None:
        pytest.skip("tshark is not installed (Debian: apt-get install tshark)")
    mutator = Mutator(Random(9), reader("tr").WORDS)
    mutator.pool = seeds("tr")
    captures, packets = b"", 0
    for _ in range(300):
        (tmp_path / "in.tr").write_bytes(mutator.made())
        with suppress(trace.TraceError):
            packets += trace.read(tmp_path / "in.tr").write(tmp_path / "out.pcapng")
            captures += (tmp_path / "out.pcapng").read_bytes()
    # Sections of pcapng stand behind one another in a file.
    (tmp_path / "all.pcapng").write_bytes(captures)
    line = [
        tshark,
        "-r",
        str(tmp_path / "all.pcapng"),
        "-T",
        "fields",
        "-e",
        "ip.checksum.status",
        "-e",
        "_ws.malformed",
    ]
    done = subprocess.run([*line, "-o", "ip.check_checksum:TRUE"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert packets > 200 and done.stdout.splitlines() == ["1\t"] * packets


def test_flipped_bits_are_noticed() -> None:
    (last,) = _fuzz_program("fuzz.flips", "300")
    assert last.tried == 300 and last.is_good


def test_flipped_bits_would_be_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Checksums, "problem", lambda self, name: "")
        assert flips.main(60) == 1
    told = capsys.readouterr()
    assert row.Row.of(told.out.splitlines()[-1]).violations > 10
    assert "another answer, and no error" in told.err and "check does not find it" in told.err


def _fuzz_program(*words: str) -> list[row.Row]:
    done = subprocess.run([sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return [row.Row.of(line) for line in done.stdout.splitlines()]


class Breaks:
    """A reader that does all that none may do, each once."""

    WHAT = "what breaks"

    def __init__(self, counter: Path) -> None:
        self.counter = counter
        self.WORDS: list[bytes] = []

    def prepared(self, scratch: Path) -> Offer:
        """The way to offer it an input."""

        def offer(data: bytes) -> str:
            number = int(self.counter.read_text())
            self.counter.write_text(str(number + 1))
            if number == 1:
                raise ZeroDivisionError
            if number == 2:
                faulthandler.disable()  # pytest's would print where
                os.abort()
            if number == 3:
                bytes(1 << 40)
            if number == 4:
                raise Violation("a wrong answer")
            while number == 5:
                pass
            return "good"

        return offer


def test_what_breaks_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fuzz.reading.CORPUS", tmp_path)
    monkeypatch.setattr("fuzz.reading.FOUND", tmp_path / "found")
    monkeypatch.setattr("fuzz.reading.HANG_S", 0.3)
    (tmp_path / "breaks").mkdir()
    (tmp_path / "breaks" / "seed").write_bytes(b"one line\n")
    (tmp_path / "counter").write_text("0")
    tried, found = fuzz("breaks", Breaks(tmp_path / "counter"), 10)
    assert (found.tried, found.crashes, found.hangs, found.violations) == (10, 3, 1, 1)
    assert not found.is_good and tried.found


def test_the_page_has_the_last_run() -> None:
    page = row.PAGE.read_text(encoding="utf-8")
    assert row.with_table(page) == page
    assert all(made.is_good for _, made in row.recorded().values())
