"""A disk that is full: every command ends with a message that names the file, and leaves no half of one."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from commands import ackclock as command

#: Bytes of the disk's files that are not there when a command begins.
ROOM = 16 << 10

NET = """
duration = "20 s"
[topology]
kind = "dumbbell"
pairs = 1
bottleneck = { rate = "1 Mb/s", delay = "10 ms" }
[[flows]]
pair = 1
tcp = "sack"
[record]
sample = "0.01 s"
"""
GRID = 'scenario = "net.toml"\nreplications = 2\n[vary]\nflows.0.tcp = ["reno", "sack"]\n'
TRACED = """
set ns [new Simulator]
$ns trace-all [open out.tr w]
set a [$ns node]; set b [$ns node]
$ns duplex-link $a $b 1Mb 10ms DropTail
set udp [new Agent/UDP]; set null [new Agent/Null]
$ns attach-agent $a $udp; $ns attach-agent $b $null; $ns connect $udp $null
set cbr [new Application/Traffic/CBR]; $cbr attach-agent $udp
$ns at 0.0 "$cbr start"
$ns at 50.0 {exit 0}
$ns run
"""
PUTS = "set f [open lines.txt w]\nfor {set i 0} {$i < 100000} {incr i} {puts $f $i}\n"
#: All of it is in Tcl's buffer until the script is over.
AT_END = "set f [open lines.txt w]\nfconfigure $f -buffersize 100000\nputs $f [string repeat a 60000]\n"


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the commands read; it is on another disk."""
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "net.toml").write_text(NET)
    (folder / "grid.toml").write_text(GRID)
    (folder / "traced.tcl").write_text(TRACED)
    (folder / "puts.tcl").write_text(PUTS)
    (folder / "at_end.tcl").write_text(AT_END)
    done = command("run", "net.toml", "--trace", "in.tr", "--out", "run", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert command("sweep", "grid.toml", "--store", "store", cwd=folder).returncode == 0
    return folder


@pytest.fixture
def disk(tmp_path: Path, inputs: Path) -> Iterator[Path]:
    """A disk with little room; the test is skipped where none can be mounted."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(folder)]
    if os.name != "posix" or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("no file system can be mounted here")
    try:
        for path in inputs.iterdir():
            (folder / path.name).symlink_to(path)
        (folder / "others").write_bytes(bytes((128 << 10) - ROOM))
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize(
    ("words", "named", "left"),
    [
        ("run net.toml --out results", "results", ()),
        ("run net.toml --csv results", "results", ()),
        ("run net.toml --trace out.tr", "out.tr", ()),
        ("run net.toml --nam out.nam", "out.nam", ()),
        ("run net.toml --pcapng out.pcapng", "out.pcapng", ()),
        ("ns2 traced.tcl", "out.tr", ("out.tr",)),
        ("ns2 puts.tcl", "lines.txt", ("lines.txt",)),
        ("ns2 at_end.tcl", "lines.txt", ("lines.txt",)),
        ("sweep grid.toml --store new", "new", ("new",)),
        ("study run 001 --quick --out new", "window.dat", ("new",)),
        ("trace convert in.tr out.csv", "out.csv", ()),
        ("trace convert in.tr out.parquet", "out.parquet", ()),
        ("trace convert in.tr out.pcapng", "out.pcapng", ()),
        ("trace series in.tr --what queue --interval 0.001 --out out.csv", "out.csv", ()),
        ("trace series in.tr --what queue --interval 0.001 --out out.txt", "out.txt", ()),
        ("trace series in.tr --what queue --interval 0.0001 --out out.parquet", "out.parquet", ()),
        ("plot run --out out.svg", "out.svg", ()),
        ("plot run --out out.png", "out.png", ()),
        ("report run --out out.html", "out.html", ()),
    ],
)
def test_the_file_is_named(words: str, named: str, left: tuple[str, ...], disk: Path) -> None:
    before = {path.name for path in disk.iterdir()}
    done = command(*words.split(), cwd=disk)
    assert done.returncode == 1, (done.stdout, done.stderr)
    said = done.stderr.splitlines()[-1]
    assert said.startswith("ackclock: ") and "no space left on device" in said.lower() and named in said
    assert "Errno" not in said and "Traceback" not in done.stderr
    assert {path.name for path in disk.iterdir()} - before == set(left)


@pytest.mark.parametrize(
    "words", ["init new.toml", "sweep grid.toml --store store --csv out.csv", "plot run --out out.pdf"]
)
def test_a_disk_without_any_room(words: str, disk: Path) -> None:
    (disk / "fill").write_bytes(b"")
    with pytest.raises(OSError), (disk / "fill").open("ab", buffering=0) as file:
        while True:
            file.write(bytes(512))
    done = command(*words.split(), cwd=disk)
    named = words.split()[-1]
    assert (done.returncode, done.stderr) == (1, f"ackclock: {named}: No space left on device\n")
    assert not (disk / named).exists()
