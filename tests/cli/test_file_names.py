"""File names that are not UTF-8, and names with hidden characters: they work, and are shown escaped."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ackclock as ac
from ackclock._internal.escape import escaped, escaped_json

#: A byte that no UTF-8 text has, as Python has it in a file's name (PEP 383).
BYTE = "\udcff"
#: Turns the direction of writing (Unicode Standard Annex #9): what follows is read from right to left.
TURNED = "\u202eFNP"

NET = """
duration = "1 s"
[topology]
kind = "dumbbell"
pairs = 1
bottleneck = { rate = "1 Mb/s", delay = "10 ms" }
[[flows]]
pair = 1
tcp = "sack"
"""
GRID = 'scenario = "{name}"\nreplications = 1\n[vary]\nflows.0.tcp = ["reno", "sack"]\n'


def command(*words: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    line = [sys.executable, "-m", "ackclock", *words]
    return subprocess.run(
        line, cwd=cwd, env={**os.environ, **environment}, capture_output=True, timeout=100, check=False
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scenario, a trace and a run whose names are not UTF-8."""
    folder = tmp_path_factory.mktemp("names")
    try:
        (folder / f"{BYTE}.toml").write_text(NET)
    except OSError:
        pytest.skip("this file system takes no names that are not UTF-8")
    done = command("run", f"{BYTE}.toml", "--trace", f"{BYTE}.tr", "--out", f"{BYTE}.run", cwd=folder)
    assert (done.returncode, done.stderr) == (0, b"")
    (folder / "other.run").symlink_to(f"{BYTE}.run")
    return folder


@pytest.mark.parametrize(
    ("words", "made"),
    [
        (["run", f"{BYTE}.toml", "--nam", f"{BYTE}1.nam", "--pcapng", f"{BYTE}1.pcapng"], f"{BYTE}1.nam"),
        (["run", f"{BYTE}.toml", "--csv", f"{BYTE}1.csvs"], f"{BYTE}1.csvs/run.json"),
        (["trace", "stats", f"{BYTE}.tr"], None),
        (["trace", "stats", f"{BYTE}.tr", "--of", "links", "--out", f"{BYTE}1.csv"], f"{BYTE}1.csv"),
        (["trace", "series", f"{BYTE}.tr", "--what", "queue", "--out", f"{BYTE}1.parquet"], f"{BYTE}1.parquet"),
        (["trace", "convert", f"{BYTE}.tr", f"{BYTE}2.parquet"], f"{BYTE}2.parquet"),
        (["trace", "convert", f"{BYTE}.tr", f"{BYTE}2.csv"], f"{BYTE}2.csv"),
        (["trace", "convert", f"{BYTE}.tr", f"{BYTE}2.pcapng"], f"{BYTE}2.pcapng"),
        (["plot", f"{BYTE}.run", "--out", f"{BYTE}3.svg"], f"{BYTE}3.svg"),
        (["plot", f"{BYTE}.run", "other.run", "--out", f"{BYTE}3.png"], f"{BYTE}3.png"),
        (["plot", f"{BYTE}.tr", "--what", "throughput", "--out", f"{BYTE}4.pdf"], f"{BYTE}4.pdf"),
        (["report", f"{BYTE}.run", "--out", f"{BYTE}5.html"], f"{BYTE}5.html"),
        (["report", f"{BYTE}.run", "other.run", "--label", BYTE, "--label", "b", "--out", "6.html"], "6.html"),
        (["init", f"{BYTE}7.toml"], f"{BYTE}7.toml"),
    ],
)
def test_what_can_be_done_with_such_names_is_done(words: list[str], made: str | None, place: Path) -> None:
    done = command(*words, cwd=place, PYTHONIOENCODING="utf-8:strict")
    assert (done.returncode, done.stderr) == (0, b"")
    assert made is None or (place / made).stat().st_size > 0
    assert b"\xff" not in done.stdout and b"udcff" not in done.stdout


def test_a_grid_and_its_store(place: Path) -> None:
    (place / f"{BYTE}.grid.toml").write_text(GRID.format(name="net.toml"))
    (place / "net.toml").write_text(NET)
    done = command("sweep", f"{BYTE}.grid.toml", "--store", "store", "--csv", f"{BYTE}.csv", cwd=place)
    assert (done.returncode, done.stderr) == (0, b"") and (place / f"{BYTE}.csv").stat().st_size > 0


@pytest.mark.parametrize(
    "words",
    [
        ["run", f"no{BYTE}"],
        ["ns2", f"no{BYTE}"],
        ["sweep", f"no{BYTE}"],
        ["emulate", f"no{BYTE}"],
        ["trace", "stats", f"no{BYTE}"],
        ["trace", "stats", "net.tr", "--kind", f"no{BYTE}"],
        ["trace", "convert", f"{BYTE}.tr", f"no{BYTE}"],
        ["plot", f"no{BYTE}"],
        ["report", f"no{BYTE}"],
        ["view", f"no{BYTE}"],
        ["serve", f"no{BYTE}"],
        ["study", "list", "--studies", f"no{BYTE}"],
        ["study", "run", f"no{BYTE}"],
        ["evaluate", f"no{BYTE}", "--suite", "rfc9743"],
        ["evaluate", "reno", "--suite", f"no{BYTE}"],
        ["run", f"{BYTE}.toml", "--set", f"name=no{BYTE}"],
        ["init", f"none/no{BYTE}"],
        ["list", f"no{BYTE}"],
    ],
)
def test_messages_show_the_name_escaped(words: list[str], place: Path) -> None:
    done = command(*words, cwd=place, PYTHONIOENCODING="ascii:strict")
    said = done.stderr.decode("ascii")
    assert done.returncode in (1, 2) and said
    # argparse shows what it does not know as Python does.
    assert r"no\xff" in said or (words[0] == "list" and r"no\udcff" in said)
    assert "Traceback" not in said and "codec" not in said


def test_a_script_that_tcl_cannot_open(place: Path) -> None:
    (place / f"{BYTE}.tcl").write_text("puts hi")
    done = command("ns2", f"{BYTE}.tcl", cwd=place)
    assert done.returncode == 1
    assert done.stderr.startswith(rb"ackclock: \xff.tcl: this file name is not UTF-8")


def test_an_error_of_a_script_is_shown_escaped(place: Path) -> None:
    (place / "args.tcl").write_text('error "not [lindex $argv 0]"')
    done = command("ns2", "args.tcl", f"\x1b[31m{TURNED}", cwd=place)
    assert done.stderr == b"ackclock: args.tcl:1: not \\x1b[31m\\u202eFNP\n"


def test_a_damaged_trace_is_shown_escaped(tmp_path: Path) -> None:
    (tmp_path / f"{TURNED}.tr").write_text(f"+ {TURNED}\x1b[31m\n")
    done = command("trace", "stats", f"{TURNED}.tr", cwd=tmp_path)
    assert done.returncode == 1 and done.stderr.startswith(rb"ackclock: \u{202e}FNP.tr: line 1: ")
    assert not re.search("[\u202a-\u202e\x1b]", done.stderr.decode())


HIDDEN = [*map(chr, range(0x20)), "\x7f", *map(chr, range(0x80, 0xA0)), "\u061c", "\u200e", "\u200f"]
HIDDEN += [*map(chr, range(0x2028, 0x202F)), *map(chr, range(0x2066, 0x206A)), "\ud800", "\udcff", "\udfff"]


@pytest.mark.parametrize("letter", HIDDEN, ids=lambda letter: f"{ord(letter):04x}")
def test_hidden_characters_are_escaped(letter: str) -> None:
    shown = escaped(f"a{letter}b")
    assert re.fullmatch(r"a\\(x[0-9a-f]{2}|u[0-9a-f]{4}|[tnr])b", shown)
    assert escaped(f"a{letter}b", lines=True) == (f"a{letter}b" if letter in "\t\n" else shown)
    assert escaped_json(f'"{letter}"') == f'"\\u{ord(letter):04x}"'


def test_what_is_not_hidden_stays() -> None:
    text = "Größe → 5 µs, العربية, עברית, 日本語, 🙂, a\u0301"
    assert escaped(text) == text


def test_a_page_and_a_plot_show_hidden_characters(tmp_path: Path) -> None:
    scenario = ac.Scenario(
        name=f"my {TURNED}",
        topology=ac.Dumbbell(bottleneck=ac.Link(rate="1 Mb/s", delay="10 ms")),
        flows=[ac.Flow(pair=1, tcp="sack", name=f"flow {TURNED}\x07")],
        duration="1 s",
    )
    results = ac.run(scenario)
    results.save(tmp_path / "run")
    assert command("report", "run", cwd=tmp_path).returncode == 0
    page = (tmp_path / "report.html").read_text()
    assert r"my \u202eFNP" in page and r"flow \u202eFNP\x07" in page
    assert not re.search("[\u202a-\u202e\x07]", page)
    figure = results.plot.topology()
    texts = [text.get_text() for text in figure.findobj(lambda one: hasattr(one, "get_text"))]  # type: ignore[attr-defined]
    assert any(r"flow \u202eFNP\x07" in text for text in texts)
    assert not any(re.search("[\u202a-\u202e\x07]", text) for text in texts)
