"""Fills disks while commands write: `python -m fuzz.disks COUNT`; the last line is a `Row`.

A file may have a random number of bytes (RLIMIT_FSIZE), or, where one can be mounted, the disk is one in memory of some
hundred kilobytes. What must hold: the exit status is not 0, the message says that there is no room and names the file;
no folder of results, table, capture or trace has its name unless it is whole; a trace that a script writes as it goes
is what the whole one begins with.
"""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import ackclock as ac
from fuzz.kills import ACKCLOCK, NET, SCRIPT
from fuzz.row import Row

#: Commands, and the files that each makes, which have their names only when they are whole.
COMMANDS = {
    "run --out": (["run", "net.toml", "--out", "results"], []),
    "run --csv": (["run", "net.toml", "--csv", "tables"], []),
    "run --trace --nam --pcapng": (
        ["run", "net.toml", "--trace", "out.tr", "--nam", "out.nam", "--pcapng", "out.pcapng"],
        ["out.tr", "out.nam", "out.pcapng"],
    ),
    "sweep": (["sweep", "grid.toml", "--store", "store", "--csv", "out.csv"], ["out.csv"]),
    "trace convert": (["trace", "convert", "in.tr", "out.parquet"], ["out.parquet"]),
    "trace pcap": (["trace", "convert", "in.tr", "out.pcapng"], ["out.pcapng"]),
    "trace stats": (["trace", "stats", "in.tr", "--out", "out.txt"], ["out.txt"]),
    "plot": (["plot", "in.tr", "--what", "throughput", "--out", "out.svg"], ["out.svg"]),
    "ns2": (["ns2", "script.tcl", "1"], []),
}
#: What the message names, of the commands that say it in another way than by the names of their files.
NAMED = {"run --out": ["results"], "run --csv": ["tables"], "sweep": ["store", "out.csv"], "ns2": ["out.tr"]}
GRID = 'scenario = "net.toml"\nreplications = 1\n[vary]\nflows.0.tcp = ["reno", "sack"]\n'
NO_ROOM = ("no space left", "file too large")


def prepare(place: Path, trace: bytes) -> None:
    """What the commands need."""
    (place / "net.toml").write_text(NET.format(duration="4 s"))
    (place / "script.tcl").write_text(SCRIPT.replace("40.0", "4.0"))
    (place / "in.tr").write_bytes(trace)
    (place / "grid.toml").write_text(GRID)


def limited(most: int | None) -> None:
    """In the command's process: its files have so many bytes at most."""
    if most is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


def wrong(name: str, place: Path, whole: Path, most: int | None) -> str | None:
    """Run a command; what is wrong with how it ends, "" for nothing, `None` if there was room for all."""
    words, files = COMMANDS[name]
    done = subprocess.run(
        [*ACKCLOCK, *words], cwd=place, preexec_fn=lambda: limited(most), capture_output=True, text=True, check=False
    )
    for file in files:
        if (place / file).exists() and (place / file).read_bytes() != (whole / file).read_bytes():
            return f"{file} has its name and is not whole"
    if (place / "results").exists() and flows(place) != flows(whole):
        return "the results are others"
    if (place / "tables").exists() and not (place / "tables" / "run.json").exists():
        return "the folder of tables has its name and is not whole"
    written = (place / "out.tr").read_bytes() if name == "ns2" and (place / "out.tr").exists() else b""
    if name == "ns2" and not (whole / "out.tr").read_bytes().startswith(written):
        return "the trace is not what the whole one begins with"
    if done.returncode == 0:
        return None if _same(place, whole, name) else "status 0, and not all is there"
    if not any(words in done.stderr.lower() for words in NO_ROOM):
        return f"status {done.returncode}, and it does not say that there is no room: {done.stderr[-500:]}"
    if not any(file in done.stderr for file in NAMED.get(name, files)):
        return f"it does not name the file: {done.stderr[-500:]}"
    return "a traceback" if "Traceback" in done.stderr else ""


def flows(place: Path) -> list[dict[str, Any]]:
    """The flows of the results there."""
    return ac.open(place / "results").rows("flows")


def _same(place: Path, whole: Path, name: str) -> bool:
    if name == "ns2":
        return (place / "out.tr").read_bytes() == (whole / "out.tr").read_bytes()
    made = {path.name for path in whole.iterdir()}
    return made <= {path.name for path in place.iterdir()}


def main(count: int) -> int:
    """Fill so many disks; 1 when one of them left something wrong."""
    chance, began, filled, failures, tries = random.Random(6), time.monotonic(), 0, 0, 0
    with tempfile.TemporaryDirectory(prefix="ackclock-disks-") as scratch:
        root = Path(scratch)
        (root / "trace").mkdir()
        (root / "trace" / "script.tcl").write_text(SCRIPT.replace("40.0", "4.0"))
        subprocess.run([*ACKCLOCK, "ns2", "script.tcl", "1"], cwd=root / "trace", check=True, capture_output=True)
        trace = (root / "trace" / "out.tr").read_bytes()
        sizes = {}
        for name, (words, _) in COMMANDS.items():
            whole = root / "whole" / name
            whole.mkdir(parents=True)
            prepare(whole, trace)
            subprocess.run([*ACKCLOCK, *words], cwd=whole, check=True, capture_output=True)
            before = {"net.toml", "script.tcl", "in.tr", "grid.toml"}
            made = [file for file in whole.rglob("*") if file.is_file() and file.name not in before]
            sizes[name] = [file.stat().st_size for file in made]
        disk = root / "disk"
        disk.mkdir()
        mounts = os.geteuid() == 0
        while filled < count and tries < 3 * count:
            name = chance.choice(list(COMMANDS))
            most: int | None = chance.randrange(max(sizes[name]))
            mounted = False
            if mounts and chance.random() < 0.5:
                room = len(trace) // 1024 + 12 + chance.randrange(max(sum(sizes[name]) // 1024, 1))
                line = ["mount", "-t", "tmpfs", "-o", f"size={room}k", "none", str(disk)]
                mounted = subprocess.run(line, check=False, capture_output=True).returncode == 0
                mounts = mounted
                most = None if mounted else most
            place = disk if mounted else Path(tempfile.mkdtemp(dir=root))
            try:
                prepare(place, trace)
                said = wrong(name, place, root / "whole" / name, most)
            finally:
                if mounted:
                    with suppress(OSError):
                        subprocess.run(["umount", str(disk)], check=True)
            tries += 1
            filled += said is not None
            if said:
                failures += 1
                print(f"{name}, {'a disk' if mounted else f'{most} bytes'}: {said}", file=sys.stderr)
    what = (
        "disks filled while `run`, `ns2`, `sweep`, `trace`, `plot` write: the file is named, nothing half looks whole"
    )
    print(Row(what, filled, 0, 0, failures, time.monotonic() - began).line())
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
