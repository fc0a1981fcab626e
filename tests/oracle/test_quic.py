"""`ackclock quic`: what it prints and writes, its capture as tshark reads it, and one line for each mistake.

`make test` builds the program before: `cargo test --manifest-path crates/quic/Cargo.toml --target-dir target`.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ackclock as ac
from ackclock.execution.quic import BUILD, PROGRAM

ROOT = Path(__file__).resolve().parents[2]
BUILT = [
    ROOT / folder / "target" / profile / PROGRAM for folder in (".", "crates/quic") for profile in ("debug", "release")
]

SCENARIO = """\
duration = "3 s"
seed = 4
name = "beside CUBIC"

[topology]
kind = "dumbbell"
bottleneck = { rate = "20 Mb/s", delay = "9 ms", queue = { kind = "fq_codel" } }
access = { rate = "1 Gb/s", delay = "500 us" }

[[flows]]
pair = 1
tcp = "cubic"
"""


@pytest.fixture(scope="module")
def program() -> Path:
    found = [path for path in BUILT if path.is_file()]
    if not found:
        pytest.skip(f"{PROGRAM} is not built ({BUILD})")
    return max(found, key=lambda path: path.stat().st_mtime)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "net.toml").write_text(SCENARIO)
    return tmp_path


def command(*words: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "ackclock", "quic", *map(str, words)]
    return subprocess.run(line, cwd=cwd, capture_output=True, text=True, timeout=120, check=False)


def download(program: Path, cwd: Path, *more: str) -> dict[str, Any]:
    """2 MB from right1 to left1 beside the scenario's flow, which goes the other way."""
    words = ("quinn", "net.toml", "--from", "right1", "--to", "left1", "--size", "2 MB", "--program", program)
    done = command(*words, "--json", *more, cwd=cwd)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


# A handshake and a request take two round trips of 20 ms at least; 2 MB at 20 Mb/s take 0.8 s without headers. CUBIC's
# data go the other way, where only its ACKs compete: 2 s allow for slow start.
def test_the_transfer_is_a_flow_of_the_run(program: Path, folder: Path) -> None:
    told = download(program, folder, "--out", "results")
    assert told["flows"][1]["delivered_bytes"] == 2_000_000 == told["transfer"]["read_bytes"]
    assert 0.02 <= told["transfer"]["connected_s"] <= 0.06
    assert 0.84 <= told["transfer"]["received_s"] <= 2.0
    results = ac.open(folder / "results")
    assert [flow.about for flow in results.external_flows] == ["QUIC: quinn, cubic, download"]
    assert results.names["flows"][1] == "quinn"
    row = results.rows("flows")[1]
    # The server answers the client's first packet: 10 ms of propagation, and 1,228 bytes take 0.49 ms at 20 Mb/s.
    assert 0.0105 <= row["start_s"] <= 0.0106
    assert row["completion_s"] == pytest.approx(told["transfer"]["received_s"] - row["start_s"], abs=1e-6)
    assert row["goodput_bps"] == pytest.approx(16e6 / row["completion_s"])
    # It can be drawn beside the scenario's own flow.
    drawn = subprocess.run(
        [sys.executable, "-m", "ackclock", "plot", "results", "--what", "throughput,queue", "--out", "out.svg"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert drawn.returncode == 0, drawn.stderr
    assert "quinn" in (folder / "out.svg").read_text()


def test_the_guide_shows_what_it_prints(program: Path, folder: Path) -> None:
    page = (ROOT / "docs" / "guide" / "library.md").read_text()
    text, words, printed = re.findall(
        r"^```toml\n(.*?)^```\n.*?^```text\n\$ ackclock quic ([^\n]*)\n(.*?)^```", page, re.M | re.S
    )[0]
    (folder / "net.toml").write_text(text)
    done = command(*shlex.split(words), "--program", program, cwd=folder)
    assert (done.returncode, done.stdout) == (0, printed), done.stderr


def test_the_same_command_gives_the_same_bytes(program: Path, folder: Path) -> None:
    one, other = (download(program, folder, "--pcapng", name) for name in ("one.pcapng", "other.pcapng"))
    assert one["transfer"]["digest"] == other["transfer"]["digest"]
    assert (folder / "one.pcapng").read_bytes() == (folder / "other.pcapng").read_bytes()
    assert download(program, folder, "--seed", "5")["transfer"]["digest"] != one["transfer"]["digest"]


def test_tshark_reads_the_handshake(program: Path, folder: Path) -> None:
    tshark = shutil.which("tshark")
    if tshark is None:
        pytest.skip("tshark is not installed (Debian: apt-get install tshark)")
    told = download(program, folder, "--pcapng", "out.pcapng")
    options = ["-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE"]
    names = [
        "quic.long.packet_type",
        "tls.handshake.extensions_server_name",
        "udp.checksum.status",
        "ip.checksum.status",
    ]
    fields = [word for name in ("frame.number", *names, "frame.protocols") for word in ("-e", name)]
    line = [tshark, "-r", "out.pcapng", "-T", "fields", *options, *fields]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=120, check=True)
    rows = [row.split("\t") for row in done.stdout.splitlines()]
    flow = told["flows"][1]
    assert len(rows) == flow["sent_packets"] + flow["replies_received_packets"]
    types = {kind for row in rows for kind in row[1].split(",") if kind}
    assert {"0", "2"} <= types, "Initial and Handshake packets (RFC 9000, 17.2)"
    # Initial packets are read by anybody (RFC 9001, 5.2): the name is the client's.
    assert [row[2] for row in rows if row[2]] == ["localhost"]
    assert {(row[3], row[4]) for row in rows} == {("1", "1")}
    assert all("quic" in row[5] for row in rows)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["quin", "--from", "right1", "--to", "left1"], 'unknown stack "quin"; did you mean "quinn"?'),
        (["quinn", "--from", "right1", "--to", "lefd1"], '--to = "lefd1": expected a node: .*; nearest known: left1'),
        (["quinn", "--from", "right1"], "--to: expected both --from and --to"),
        (["quinn"], "expected --from NODE and --to NODE, or two external_nodes in the scenario; nodes: left1, left2"),
        (
            ["quinn", "--from", "right1", "--to", "left1", "--cc", "newreno"],
            '--cc: unknown congestion control of quinn "newreno"; did you mean "new_reno"?',
        ),
        (["quinn", "--from", "right1", "--to", "left1", "--size", "2 MBs"], '--size = "2 MBs": '),
        (
            ["quinn", "--from", "right1", "--to", "left1", "--start", "3 s"],
            "--start: expected less than the duration, 3 s",
        ),
        (
            ["quinn", "--from", "right1", "--to", "left1", "--set", 'flows.0.tcp={control="own:Mine"}'],
            "net.toml",
        ),
    ],
)
def test_a_mistake_is_one_line(program: Path, folder: Path, words: list[str], message: str) -> None:
    done = command(words[0], "net.toml", *words[1:], "--program", program, cwd=folder)
    assert done.returncode == 1 and done.stdout == ""
    assert re.search(message if ".*" in message else re.escape(message), done.stderr), done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_what_the_program_does_not_read_is_named_with_its_line(program: Path, folder: Path) -> None:
    (folder / "net.toml").write_text(SCENARIO.replace('"fq_codel"', '"mine:Queue"'))
    (folder / "mine.py").write_text("import ackclock as ac\n\nclass Queue(ac.QueueDiscipline):\n    pass\n")
    done = command("quinn", "net.toml", "--from", "right1", "--to", "left1", "--program", program, cwd=folder)
    assert done.returncode == 1
    assert done.stderr.startswith("ackclock: net.toml:7: topology.bottleneck"), done.stderr
    assert "is not read here" in done.stderr


def test_a_stack_that_gives_up_is_told(program: Path, folder: Path) -> None:
    words = ("noq", "net.toml", "--from", "right1", "--to", "left1", "--program", program)
    done = command(*words, "--set", 'duration="60 s"', "--set", "topology.bottleneck.loss.rate=1", cwd=folder)
    assert done.returncode == 1 and done.stdout == ""
    assert re.fullmatch(r"ackclock: noq: the client gave up at \d+ s: timed out\n", done.stderr), done.stderr


def test_a_program_that_is_not_there_or_not_it_is_told(folder: Path) -> None:
    words = ("quinn", "net.toml", "--from", "right1", "--to", "left1", "--program")
    done = command(*words, "nowhere", cwd=folder)
    assert done.returncode == 1 and "nowhere" in done.stderr and len(done.stderr.splitlines()) == 1
    done = command(*words, shutil.which("true") or "true", cwd=folder)
    assert done.returncode == 1 and "ended with status 0: no answer" in done.stderr
