"""`ackclock.trace` and `ackclock trace`: the figures are awk's and perl's on the same file, to the last digit."""

from __future__ import annotations

import ast
import gzip
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ackclock import trace
from ackclock._native import Table, TraceError

SCRIPTS = Path(__file__).parent / "traces"

FLOW = ("flow", "kind", "source", "destination")
ONE = "r 1.5 2 3 tcp 1040 ------- 1 0.0 3.1 7 42\n"


def command(*words: str | Path) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "ackclock", "trace", *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="session")
def million(program: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace of over a million lines, made by an ns-2 script."""
    path = tmp_path_factory.mktemp("million") / "out.tr"
    subprocess.run([*program, SCRIPTS / "million.tcl", path, "162"], check=True, timeout=300)
    with path.open("rb") as file:
        assert sum(1 for _ in file) > 1_000_000
    return path


@pytest.fixture(scope="session")
def script() -> Callable[..., list[list[str]]]:
    """Run an awk or perl script of tests/oracle/traces; its lines, in words."""

    def run(name: str, *words: str | Path) -> list[list[str]]:
        program = {"awk": "awk", "pl": "perl"}[name.rpartition(".")[2]]
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
        first = [program, "-f"] if program == "awk" else [program]
        options = [word for word in words if isinstance(word, str) and word.startswith("-v")]
        rest = [str(word) for word in words if word not in options]
        line = [first[0], *options, *first[1:], str(SCRIPTS / name), *rest]
        done = subprocess.run(line, capture_output=True, text=True, timeout=300, check=True)
        return [words.split() for words in done.stdout.splitlines()]

    return run


def words(table: Table, names: list[str]) -> list[list[str]]:
    """A table's rows as printf with %.17g prints them, ends as node.port."""

    def column(name: str) -> list[str]:
        if name in ("source", "destination"):
            ends = zip(table.column(f"{name}_node"), table.column(f"{name}_port"), strict=True)
            return [f"{node}.{port}" for node, port in ends]
        values = table.column(name)
        return [
            "-" if value is None else f"{value:.17g}" if isinstance(value, float) else f"{value}" for value in values
        ]

    return [list(row) for row in zip(*map(column, names), strict=True)]


@pytest.mark.parametrize("name", ["flows.awk", "flows.pl"])
def test_flows_are_the_scripts_to_the_last_digit(
    million: Path, script: Callable[..., list[list[str]]], name: str
) -> None:
    names = [*FLOW, "sent_packets", "sent_bytes", "received_packets", "received_bytes", "dropped_packets"]
    names += ["dropped_bytes", "loss_rate", "first_sent_s", "last_received_s", "throughput_bps"]
    names += ["delay_mean_s", "delay_min_s", "delay_max_s", "jitter_s"]
    assert words(trace.read(million).stats().flows, names) == script(name, million)


@pytest.mark.parametrize("name", ["links.awk", "links.pl"])
def test_links_are_the_scripts_to_the_last_digit(
    million: Path, script: Callable[..., list[list[str]]], name: str
) -> None:
    counts = [
        f"{what}_{unit}" for what in ("enqueued", "dequeued", "received", "dropped") for unit in ("packets", "bytes")
    ]
    names = ["from_node", "to_node", *counts, "loss_rate", "throughput_bps", "queue_delay_mean_s", "queue_delay_max_s"]
    names.append("queue_max_packets")
    assert words(trace.read(million).stats().links, names) == script(name, million)


@pytest.mark.parametrize("interval", ["0.5", "10"])
def test_series_are_awks_to_the_last_digit(
    million: Path, script: Callable[..., list[list[str]]], interval: str
) -> None:
    one = trace.read(million)
    ours = words(one.series("throughput", float(interval)), ["time_s", *FLOW, "throughput_bps"])
    for what, name in (("delay", "delay_mean_s"), ("loss", "loss_rate")):
        table = one.series("delay" if what == "delay" else "loss", float(interval))
        ours = [[*row, *value] for row, value in zip(ours, words(table, [name]), strict=True)]
    assert ours == script("series.awk", f"-vinterval={interval}", million)


@pytest.mark.parametrize("granularity", ["0.5", "0.3", "20"])
def test_the_throughput_script(million: Path, script: Callable[..., list[list[str]]], granularity: str) -> None:
    arguments = ("4", "0.0", "4.0", granularity)
    done = command("throughput", million, *arguments)
    assert [line.split() for line in done.stdout.splitlines()] == script("throughput.pl", million, *arguments)


def test_the_packet_table_has_every_field_of_every_line(million: Path, tmp_path: Path) -> None:
    """Its CSV, put together again, is the trace."""
    trace.read(million).write(tmp_path / "out.csv", end_s=5.0)
    letters = {"enqueue": "+", "dequeue": "-", "receive": "r", "drop": "d"}
    rows = (line.split(",") for line in (tmp_path / "out.csv").read_text().splitlines()[1:])
    again = [
        f"{letters[event]} {time} {' '.join(rest[:2])} {' '.join(rest[2:6])} {rest[6]}.{rest[7]} {rest[8]}.{rest[9]} "
        f"{rest[10]} {rest[11]}"
        for event, time, *rest in rows
    ]
    with million.open() as file:
        lines = [line.rstrip("\n") for line in file if float(line.split()[1]) < 5.0]
    assert len(lines) > 1000
    assert again == lines


def test_parquet_and_gzip_hold_the_same(million: Path, tmp_path: Path) -> None:
    packed = tmp_path / "out.tr.gz"
    packed.write_bytes(gzip.compress(million.read_bytes(), 1))
    count = trace.read(packed).write(tmp_path / "out.parquet", kind="cbr")
    table = Table.read_parquet(str(tmp_path / "out.parquet"))
    assert len(table) == count > 10_000
    assert set(table.column("kind")) == {"cbr"}
    names = trace.read(million).stats().flows.column_names()
    plain, unpacked = (trace.read(path).stats().flows for path in (million, packed))
    assert [plain.column(name) for name in names] == [unpacked.column(name) for name in names]


def test_filters(million: Path) -> None:
    one = trace.read(million)
    assert set(one.stats(flow=9).flows.column("kind")) == {"cbr"}
    assert one.stats(kind="ack").flows.column("flow") == [1, 2, 3]
    at_four = one.stats(node=4)
    assert set(at_four.flows.column("flow")) == {1, 9}
    assert at_four.links.column("to_node") == [4, 3]
    whole, first, second = (
        sum(one.stats(start_s=start, end_s=end).links.column("received_packets"))
        for start, end in ((None, None), (None, 80.0), (80.0, None))
    )
    assert whole == first + second


def test_tables_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "out.tr"
    path.write_text("v 1 eval {set sim_annotation {begin}}\n" + ONE.replace("r 1.5 2 3", "+ 1 0 3") + ONE)
    text = command("stats", path).stdout
    shown = [line.split() for line in text.splitlines()[1:7]]
    assert [" ".join(words) for words in shown] == [
        "flow 1", "kind tcp", "source 0.0", "destination 3.1", "sent_packets 1", "sent_bytes 1040",
    ]  # fmt: skip
    assert max(map(len, text.splitlines())) <= 120
    assert text.splitlines()[-1] == "2 packet events, 1 lines of other kinds"
    rows = command("series", path, "--what", "throughput", "--format", "csv").stdout.splitlines()
    assert rows[0].startswith("time_s,flow,kind,")
    assert rows[1] == "1,1,tcp,0,0,3,1,1040,8320"
    assert "--of flows or --of links" in command("stats", path, "--format", "csv").stderr
    assert command("stats", path, "--of", "links", "--out", tmp_path / "links.parquet").returncode == 0
    assert Table.read_parquet(str(tmp_path / "links.parquet")).column("from_node") == [0, 2]
    assert command("stats", path, "--flow", "77", "--of", "flows").stdout == "no rows\n"
    many = tmp_path / "many.tr"
    many.write_text("".join(ONE.replace(" 1 0.0 3.1", f" {flow} 0.0 3.1") for flow in range(1, 31)))
    lines = command("stats", many, "--of", "flows").stdout.splitlines()
    assert max(map(len, lines)) <= 120
    assert [word for line in lines if line.startswith("flow ") for word in line.split()[1:]] == [
        str(flow) for flow in range(1, 31)
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ONE + ONE[:30], "line 2: the file ends within the line"),
        (
            ONE + "r 1.6 2 three tcp 1040 ------- 1 0.0 3.1 7 42\n" + ONE,
            "line 2: expected the node that the link enters",
        ),
        ("<html>\n", "line 1: not an ns-2 packet trace: no line is a packet event"),
        ("", "line 1: the file is empty"),
        ("r 1.6 _2_ AGT --- 3 tcp 1040\n", "line 1: expected the node that the link leaves, a number, found `_2_`"),
    ],
)
def test_damaged_files_say_where_and_how_much_was_read(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "out.tr"
    path.write_text(text)
    for words in (["stats"], ["series", "--what", "loss"], ["throughput", "3", "0.0", "3.1"], ["convert", "x.csv"]):
        done = command(words[0], path, *(tmp_path / word if word == "x.csv" else word for word in words[1:]))
        assert done.returncode == 1
        assert done.stderr.startswith(f"ackclock: {path}: {said}"), done.stderr
        assert " bytes, " in done.stderr
        assert "Traceback" not in done.stderr
    assert not (tmp_path / "x.csv").exists()


@pytest.fixture(scope="session")
def cut_short(million: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A trace that is cut short in several ways, and what is whole of each as a trace of its own (`whole ...`)."""
    folder = tmp_path_factory.mktemp("cut")
    with million.open("rb") as file:
        text = file.read(2_000_000)
    lines = text[: text.rindex(b"\n") + 1]
    found = {}
    packed = gzip.compress(million.read_bytes(), 1)
    for name, damaged in (
        ("text", text),
        ("within", lines + b"r 1.6 2 three tcp 1040 ------- 1 0.0 3.1 7 42\n" + lines),
        ("gzip", packed[:500_000]),
        ("gzip with a bad byte", packed[:400_000] + b"\xff" * 50 + packed[400_050:]),
    ):
        found[name] = folder / name
        found[name].write_bytes(damaged)
    for name in ("text", "within"):
        found[f"whole {name}"] = folder / f"{name}.whole"
        found[f"whole {name}"].write_bytes(lines)
    for name in ("gzip", "gzip with a bad byte"):
        # gzip itself says how much can be had.
        out = subprocess.run(["gzip", "-dc"], input=found[name].read_bytes(), capture_output=True, check=False).stdout
        found[f"whole {name}"] = folder / f"{name}.whole"
        found[f"whole {name}"].write_bytes(out[: out.rindex(b"\n") + 1])
    return found


@pytest.mark.parametrize("name", ["text", "within", "gzip"])
def test_the_good_part_of_a_damaged_trace(cut_short: dict[str, Path], name: str, tmp_path: Path) -> None:
    damaged, whole = cut_short[name], cut_short[f"whole {name}"]
    lines = whole.read_bytes().count(b"\n")
    for words in (
        ["stats"],
        ["stats", "--of", "flows", "--format", "csv"],
        ["series", "--what", "queue"],
        ["throughput", "4", "0.0", "4.0"],
    ):
        verb, *rest = words
        refused = command(verb, damaged, *rest)
        assert (refused.returncode, refused.stdout) == (1, "")
        done = command(verb, damaged, *rest, "--partial")
        assert done.returncode == 0
        assert done.stdout == command(verb, whole, *rest).stdout
        said = done.stderr.splitlines()[0]
        assert said.startswith(f"ackclock: {damaged}: ") and said.endswith(
            "the result covers only the part before the damage"
        )
        assert f" {lines} lines, {whole.stat().st_size} bytes" in said
    for output in ("csv", "parquet", "pcapng"):
        assert command("convert", damaged, tmp_path / f"d.{output}").returncode == 1
        assert list(tmp_path.iterdir()) == [], "a part was left"
        assert command("convert", damaged, tmp_path / f"d.{output}", "--partial").returncode == 0
        assert command("convert", whole, tmp_path / f"w.{output}").returncode == 0
        assert (tmp_path / f"d.{output}").read_bytes() == (tmp_path / f"w.{output}").read_bytes()
        for path in tmp_path.iterdir():
            path.unlink()


def test_a_bad_byte_in_a_gzipped_trace(cut_short: dict[str, Path]) -> None:
    """What is behind it may be unpacked into anything before it shows; never is more said than there was."""
    damaged = cut_short["gzip with a bad byte"]
    refused = command("stats", damaged)
    assert refused.returncode == 1 and "line " in refused.stderr and "Traceback" not in refused.stderr


def test_a_partial_trace_warns_in_python(cut_short: dict[str, Path]) -> None:
    one = trace.read(cut_short["text"], partial=True)
    with pytest.warns(trace.PartialTrace, match="cut short"):
        stats = one.stats()
    assert stats.lines == cut_short["whole text"].read_bytes().count(b"\n")
    with pytest.raises(trace.TraceError):
        trace.read(cut_short["text"]).stats()
    nanoarrow = pytest.importorskip("nanoarrow")
    with pytest.warns(trace.PartialTrace, match="cut short"):
        assert sum(len(part) for part in nanoarrow.ArrayStream(one)) == stats.packet_lines


@pytest.mark.parametrize("text", ["<html>\n", "", "r 1.6 _2_ AGT --- 3 tcp 1040\n"])
def test_a_foreign_file_has_no_good_part(tmp_path: Path, text: str) -> None:
    (tmp_path / "out.tr").write_text(text)
    done = command("stats", tmp_path / "out.tr", "--partial")
    assert (done.returncode, done.stdout) == (1, "")
    assert "line 1: " in done.stderr


def test_the_guides_python_runs(
    million: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "trace-tools.md").read_text(encoding="utf-8")
    code = guide.split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(million.parent)
    exec(compile(code, "trace-tools.md", "exec"), {})
    rates = ast.literal_eval(capsys.readouterr().out)
    assert set(rates) == {1, 2, 3}


def test_other_programs_take_the_packet_table_as_a_stream(million: Path) -> None:
    nanoarrow = pytest.importorskip("nanoarrow")
    rows = sum(len(part) for part in nanoarrow.ArrayStream(trace.read(million)))
    assert rows == trace.read(million).stats().packet_lines


def test_hierarchical_addresses_are_those_that_the_script_prints(program: list[str], tmp_path: Path) -> None:
    # What this script prints and traces is ns-2's own: tests/oracle/test_like_ns2.py.
    line = [*program, str(SCRIPTS.parent / "ns2/scripts/hierarchy.tcl")]
    printed = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True).stdout
    lines = [line.split() for line in printed.splitlines()]
    told = {" ".join(line[1:]) for line in lines if len(line) == 4 and line[0].count(".") == 2}
    read = trace.read(tmp_path / "out.tr")
    table = read.packets(kind="tcp")
    columns = [table.column(name) for name in ("source_node", "destination_node", "destination_port")]
    assert len(told) == 5
    assert {" ".join(map(str, ends)) for ends in zip(*columns, strict=True)} == told
    for ask in (lambda: read.stats(), lambda: read.series("loss"), lambda: read.write(tmp_path / "out.pcapng")):
        with pytest.raises(TraceError, match="addresses in levels"):
            ask()


def test_files_that_are_not_there(tmp_path: Path) -> None:
    done = command("stats", tmp_path / "none.tr")
    assert (done.returncode, done.stderr) == (1, f"ackclock: no such trace file: {tmp_path / 'none.tr'}\n")
    (tmp_path / "out.tr").write_text(ONE)
    assert command("convert", tmp_path / "out.tr", tmp_path / "out.txt").returncode == 1
    with pytest.raises(ValueError, match=r"expected node\.port"):
        trace.read(tmp_path / "out.tr").throughput(4, "0", "4.0")
