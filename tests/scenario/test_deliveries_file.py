"""Files named by `deliveries`: only a recording is read, never all of a device, and no other file is shown."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import ackclock as ac
from ackclock._native import read_deliveries

#: the largest recording that is read, as crates/scenario has it: a minute at 2 Gb/s
MAX_BYTES = 64 << 20

NET = """
duration = "1 s"
[topology]
kind = "dumbbell"
pairs = 1
bottleneck = {{ deliveries = "{file}", delay = "10 ms" }}
[[flows]]
pair = 1
tcp = "sack"
"""


def test_a_recording_is_read(tmp_path: Path) -> None:
    (tmp_path / "link").write_text("0\n 5 \r\n5\n10\n")
    assert read_deliveries(str(tmp_path / "link")) == [0, 5, 5, 10]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"2.5", "in line 2 of the recording, not 2.5"),
        (b"-1", "in line 2 of the recording, not -1"),
        (b"", "in line 2 of the recording"),
        (b"root:$6$salt$hash:19000:0", "in line 2 of the recording"),
        (b"hunter2", "in line 2 of the recording"),
        (b"1" * 40, "in line 2 of the recording"),
        (b"\xff\xfe", "in line 2 of the recording"),
        ("٣".encode(), "in line 2 of the recording"),
    ],
)
def test_a_line_that_is_no_number_is_not_shown(line: bytes, says: str, tmp_path: Path) -> None:
    file = tmp_path / "link"
    file.write_bytes(b"1\n" + line + b"\n9\n")
    with pytest.raises(ac.ScenarioError) as raised:
        read_deliveries(str(file))
    assert raised.value.expected == f"expected a whole number of milliseconds {says}"


@pytest.mark.skipif(os.name != "posix", reason="devices and FIFOs are of POSIX systems")
def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in ("/dev/zero", "/dev/tty", "/dev/null", tmp_path / "fifo", tmp_path, tmp_path / "none", "a\0b"):
        with pytest.raises(ac.ScenarioError, match="the recording cannot be read: "):
            read_deliveries(str(path))


def test_a_recording_has_a_largest_size(tmp_path: Path) -> None:
    with (tmp_path / "link").open("wb") as file:
        file.truncate(100 * MAX_BYTES)
    with pytest.raises(ac.ScenarioError, match=f"at most {MAX_BYTES} bytes"):
        read_deliveries(str(tmp_path / "link"))


@pytest.mark.skipif(os.name != "posix", reason="/dev/zero is of POSIX systems")
def test_the_command_takes_little_memory_and_names_file_and_key(tmp_path: Path) -> None:
    (tmp_path / "net.toml").write_text(NET.format(file="/dev/zero"))
    done = subprocess.run(
        [sys.executable, "-m", "ackclock", "run", "net.toml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)),
    )
    assert done.returncode == 1 and "net.toml:6: topology.bottleneck.deliveries" in done.stderr
    assert "not a regular file" in done.stderr
