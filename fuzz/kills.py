"""Kills commands at random moments, looks at what they leave: `python -m fuzz.kills COUNT`; the last line is a `Row`.

What must hold after a kill: a folder of results opens and is the whole run's, or is not there; a trace that
`ackclock run` named is the whole one, and one that a script writes as it goes is what the whole one begins with; the
stores of a sweep and of a study have lost nothing, and completed they are those of one that was never killed.
"""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from pathlib import Path

import ackclock as ac
from fuzz.row import Row

ACKCLOCK = [sys.executable, "-m", "ackclock"]
NET = """\
duration = "{duration}"

[topology]
kind = "dumbbell"
pairs = 2

[topology.bottleneck]
rate = "10 Mb/s"
delay = "10 ms"

[[flows]]
pair = 0
tcp = "sack"

[record]
packets = true
changes = true
"""
SCRIPT = """\
set ns [new Simulator]
set f [open out.tr w]
$ns trace-all $f
set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b 5Mb 10ms DropTail
set tcp [new Agent/TCP]
set sink [new Agent/TCPSink]
$ns attach-agent $a $tcp
$ns attach-agent $b $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 0.[lindex $argv 0] "$ftp start"
$ns at 40.0 "$ns flush-trace; close $f; exit 0"
$ns run
"""
GRID = """\
scenario = "net.toml"
replications = 20
[vary]
flows.0.tcp = ["reno", "sack", "vegas"]
"""
STUDY = """\
[paper]
title = "Kills"
authors = "A. Author"
year = 1999
venue = "nowhere"
question = "Is all there?"

[[run]]
id = "from{start}"
script = "script.tcl"
args = ["{start}"]
over = { start = [1, 2, 3, 4, 5, 6] }

[[claim]]
id = "bytes"
quantity = "bytes"
where = "page 1"
words = "some"
published = "1"
rule = "at_least"
settings = "printed"
deterministic = true
"""
MEASURE = """\
def measure(runs):
    return {"bytes": float(runs["from1"].files["out.tr"].stat().st_size)}

def figures(runs, folder):
    return []
"""


class Killed(ABC):
    """A command, in a folder of its own."""

    words: list[str]

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "killed").mkdir(parents=True)
        (folder / "whole").mkdir()
        for place in (folder / "killed", folder / "whole"):
            self.prepare(place)
        began = time.monotonic()
        subprocess.run([*ACKCLOCK, *self.words], cwd=folder / "whole", check=True, capture_output=True)
        self.seconds = time.monotonic() - began

    @abstractmethod
    def prepare(self, place: Path) -> None:
        """What the command needs."""

    @abstractmethod
    def wrong(self, place: Path) -> str:
        """What is wrong with what a kill left; "" for nothing."""

    def last(self, place: Path) -> str:
        """The same when there will be no more kills."""
        return ""

    def kill(self, chance: random.Random) -> tuple[bool, str]:
        """Start it, kill it; whether it was under way, and what is wrong now."""
        place = self.folder / "killed"
        line = [*ACKCLOCK, *self.words]
        with subprocess.Popen(line, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(chance.uniform(0, 1.1 * self.seconds))
            process.kill()
        return process.returncode != 0, self.wrong(place)


class Run(Killed):
    """A scenario into a folder of results and a trace; each kill meets it from the beginning."""

    words = ["run", "net.toml", "--out", "results", "--trace", "out.tr", "--replace"]  # noqa: RUF012

    def prepare(self, place: Path) -> None:
        """The scenario."""
        (place / "net.toml").write_text(NET.format(duration="20 s"))

    def wrong(self, place: Path) -> str:
        """Results and trace."""
        whole = self.folder / "whole"
        if (place / "out.tr").exists() and (place / "out.tr").read_bytes() != (whole / "out.tr").read_bytes():
            return "the trace is another one"
        if not (place / "results").exists():
            return ""
        results = ac.open(place / "results")
        return "" if results.rows("flows") == ac.open(whole / "results").rows("flows") else "the results are others"


class Script(Killed):
    """An ns-2 script, which writes its trace as it goes."""

    words = ["ns2", "script.tcl", "1"]  # noqa: RUF012

    def prepare(self, place: Path) -> None:
        """The script."""
        (place / "script.tcl").write_text(SCRIPT)

    def wrong(self, place: Path) -> str:
        """The trace."""
        trace = place / "out.tr"
        left = trace.read_bytes() if trace.exists() else b""
        trace.unlink(missing_ok=True)
        begins = (self.folder / "whole" / "out.tr").read_bytes().startswith(left)
        return "" if begins else "the trace is not what the whole one begins with"


class Stored(Killed):
    """Runs in a store, of which each kill may leave more."""

    store: str

    def kept(self, place: Path) -> dict[str, str]:
        """The files of the store, without those that a process had under way."""
        root = place / self.store
        files = [file.relative_to(root) for file in root.rglob("*") if file.is_file()]
        kept = [name for name in files if not any(part.startswith(".") for part in name.parts)]
        return {str(name): hashlib.sha256((root / name).read_bytes()).hexdigest() for name in kept}

    def last(self, place: Path) -> str:
        """Complete it; it is the one that was never killed."""
        done = subprocess.run([*ACKCLOCK, *self.words], cwd=place, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            return f"it could not be completed: {done.stderr[-1000:]}"
        ours, theirs = self.kept(place), self.kept(self.folder / "whole")
        differ = sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))
        return f"it was completed to another one: {differ[:5]}" if differ else ""


class Sweep(Stored):
    """A grid of scenarios."""

    words = ["sweep", "grid.toml", "--store", "store", "--jobs", "2"]  # noqa: RUF012
    store = "store"

    def prepare(self, place: Path) -> None:
        """The grid."""
        (place / "net.toml").write_text(NET.format(duration="3 s"))
        (place / "grid.toml").write_text(GRID)

    def wrong(self, place: Path) -> str:
        """What is kept can be read."""
        shown = [*ACKCLOCK, "sweep", "show", "grid.toml", "--store", "store", "--json"]
        done = subprocess.run(shown, cwd=place, check=False, capture_output=True, text=True)
        return "" if done.returncode == 0 else f"what is kept cannot be read: {done.stderr[-1000:]}"


class Study(Stored):
    """A study's runs of scripts."""

    words = ["study", "run", "007", "--studies", "studies", "--out", "out", "--jobs", "1"]  # noqa: RUF012
    store = "out/store"

    def prepare(self, place: Path) -> None:
        """The study."""
        folder = place / "studies" / "007_kills"
        folder.mkdir(parents=True)
        for name, text in {"claims.toml": STUDY, "kills.py": MEASURE, "script.tcl": SCRIPT}.items():
            (folder / name).write_text(text)

    def wrong(self, place: Path) -> str:
        """No trace that is kept is half of one."""
        theirs = self.kept(self.folder / "whole")
        half = [name for name, digest in self.kept(place).items() if theirs.get(name) != digest]
        return f"what is kept is not whole: {half[:5]}" if half else ""


def main(count: int) -> int:
    """Kill so many, a quarter each; 1 when one of them left something wrong."""
    chance, began = random.Random(5), time.monotonic()
    killed = wrong = 0
    with tempfile.TemporaryDirectory(prefix="ackclock-kills-") as scratch:
        for kind in (Run, Script, Sweep, Study):
            command = kind(Path(scratch, kind.__name__))
            under_way, tries, said = 0, 0, ""
            while under_way < count // 4 and tries < count and not said:
                met, said = command.kill(chance)
                tries += 1
                under_way += met
            said = said or command.last(command.folder / "killed")
            print(f"ackclock {command.words[0]}: {under_way} kills of {tries} starts. {said}", file=sys.stderr)
            killed += under_way
            wrong += bool(said)
    what = "kills (SIGKILL) of `run`, `ns2`, `sweep` and `study run` at random moments; what is left is whole or marked"
    print(Row(what, killed, 0, 0, wrong, time.monotonic() - began).line())
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
