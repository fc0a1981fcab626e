"""`ackclock packetdrill`: output and exit status."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PASSES = """\
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 connect(3, ..., ...) = -1 EINPROGRESS (Operation now in progress)
+0 > S 0:0(0) <...>
"""
PASSES = PASSES.replace("+0 connect", "+0 fcntl(3, F_SETFL, O_RDWR|O_NONBLOCK) = 0\n+0 connect")


def command(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "ackclock", "packetdrill", *words]
    return subprocess.run(line, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.pkt").write_text(PASSES)
    (tmp_path / "b.pkt").write_text(PASSES.replace("> S 0", "> S. 0"))
    (tmp_path / "c.pkt").write_text(PASSES + "+0 epoll_create(1) = 4\n")
    (tmp_path / "d.pkt").write_text("0 what\n")
    return tmp_path


def test_one_script_prints_nothing_if_it_passes(folder: Path) -> None:
    done = command("a.pkt", cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_one_script_says_what_differs(folder: Path) -> None:
    done = command("b.pkt", cwd=folder)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(
        "b.pkt:4: error handling packet: live packet field tcp_ack: expected: 1 (0x1) vs actual: 0"
    )
    assert "\nscript packet:  0.000000 S. 0:0(0) ack 0 <...>\nactual packet:  0.000000 S 0:0(0) win " in done.stderr


def test_one_script_that_is_not_applicable_is_no_failure(folder: Path) -> None:
    done = command("c.pkt", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "c.pkt: not applicable: epoll (line 5)\n")


def test_a_folder_prints_a_table(folder: Path) -> None:
    done = command(".", cwd=folder)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0] == "passes          a.pkt"
    assert lines[1].startswith("differs         b.pkt:4: error handling packet: live packet field tcp_ack")
    assert lines[2] == "not applicable  c.pkt: epoll (line 5)"
    assert lines[3] == "unreadable      d.pkt:2:1: expected '(', found the end of the script"
    assert lines[4] == "1 passes, 1 differs, 1 not applicable, 1 unreadable"


def test_options_are_those_of_packetdrill(folder: Path) -> None:
    (folder / "e.pkt").write_text(PASSES.replace("<...>", "<mss MSS,sackOK,TS val 100 ecr 0,nop,wscale 10>"))
    assert command("-D", "MSS=1440", "--ip_version=ipv6", "e.pkt", cwd=folder).stderr == ""
    assert command("-D", "MSS", "e.pkt", cwd=folder).returncode == 2
    done = command("--mtu=none", "a.pkt", cwd=folder)
    assert (done.returncode, done.stderr) == (1, "the option --mtu=none\n")


def test_verbose_prints_packets(folder: Path) -> None:
    done = command("--verbose", "a.pkt", cwd=folder)
    assert done.stdout.startswith("outbound packet:  0.000000 [noecn] S 0:0(0) win ")


def test_a_file_that_is_not_there(folder: Path) -> None:
    done = command("none.pkt", cwd=folder)
    assert (done.returncode, done.stderr) == (1, "none.pkt: No such file or directory\n")
