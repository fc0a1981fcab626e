"""Captures: tshark counts in them what the engine counted."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ackclock as ac
from ackclock import trace

SCRIPT = Path(__file__).parent / "traces" / "lossy_sack.tcl"

SCENARIO = """\
duration = "20 s"
[topology]
kind = "dumbbell"
[topology.bottleneck]
rate = "1.5 Mb/s"
delay = "20 ms"
loss = { kind = "uniform", rate = 0.02 }
[[flows]]
pair = 1
tcp = "sack"
"""

#: All that Wireshark calls a segment whose bytes it has seen before.
AGAIN = "tcp.analysis.retransmission || tcp.analysis.out_of_order"


@pytest.fixture(scope="module")
def tshark() -> str:
    found = shutil.which("tshark")
    if found is None:
        pytest.skip("tshark is not installed (Debian: apt-get install tshark)")
    return found


@pytest.fixture(scope="module")
def lossy(program: list[str], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, int, int]:
    """A lossy SACK run: its trace, its capture, retransmissions and segments that the sender counted."""
    folder = tmp_path_factory.mktemp("lossy")
    done = subprocess.run(
        [*program, SCRIPT, folder / "out.tr", folder / "out.pcapng"], capture_output=True, text=True, check=True
    )
    _, retransmitted, _, sent = done.stdout.split()
    return folder / "out.tr", folder / "out.pcapng", int(retransmitted), int(sent)


def fields(tshark: str, path: Path, keep: str, *names: str) -> list[list[str]]:
    """Fields of the packets that a display filter keeps."""
    wanted = [word for name in names for word in ("-e", name)]
    line = [tshark, "-r", str(path), "-o", "tcp.check_checksum:TRUE", "-Y", keep, "-T", "fields", *wanted]
    done = subprocess.run(line, capture_output=True, text=True, check=True, timeout=120)
    return [line.split("\t") for line in done.stdout.splitlines()]


def acknowledgements(path: Path) -> list[list[str]]:
    """Lines of the ACKs that reach the sender."""
    with path.open() as file:
        lines = (line.split() for line in file)
        return [words for words in lines if words[0] == "r" and words[3] == "0" and words[4] == "ack"]


def test_retransmissions_are_those_that_the_sender_counted(tshark: str, lossy: tuple[Path, Path, int, int]) -> None:
    _, capture, retransmitted, sent = lossy
    assert retransmitted > 50
    assert len(fields(tshark, capture, "tcp.len > 0 || tcp.flags.syn == 1 && ip.src == 10.0.0.0", "tcp.seq")) == sent
    assert len(fields(tshark, capture, AGAIN, "tcp.seq")) == retransmitted


def test_sack_blocks_are_those_that_arrived(tshark: str, lossy: tuple[Path, Path, int, int]) -> None:
    out, capture, _, _ = lossy
    # The last column of a trace with TCP headers is the number of SACK blocks.
    blocks = [int(words[15]) for words in acknowledgements(out)]
    found = fields(tshark, capture, "ip.dst == 10.0.0.0", "tcp.options.sack.count", "tcp.options.sack_le")
    assert sum(blocks) > 500
    assert [int(count or 0) for count, _ in found] == blocks
    assert sum(len(edges.split(",")) for _, edges in found if edges) == sum(blocks)


def test_acknowledged_bytes_and_times(tshark: str, lossy: tuple[Path, Path, int, int]) -> None:
    out, capture, _, _ = lossy
    found = fields(tshark, capture, "ip.dst == 10.0.0.0", "tcp.ack", "frame.time_epoch", "tcp.options.timestamp.tsval")
    expected = acknowledgements(out)
    # Packet 0 is the SYN; packet n ends before byte 1 + 1000 n.
    assert [int(ack) for ack, _, _ in found] == [1 + 1000 * int(words[10]) for words in expected]
    assert [round(float(time), 6) for _, time, _ in found] == [float(words[1]) for words in expected]
    stamps = [int(stamp) for _, _, stamp in found]
    assert stamps == sorted(stamps)


def test_checksums_are_right_and_nothing_is_malformed(tshark: str, lossy: tuple[Path, Path, int, int]) -> None:
    _, capture, _, _ = lossy
    assert fields(tshark, capture, "_ws.malformed || ip.checksum.status == 0", "frame.number") == []


def test_a_capture_made_of_a_trace_has_the_same_segments(
    tshark: str, lossy: tuple[Path, Path, int, int], tmp_path: Path
) -> None:
    out, capture, retransmitted, _ = lossy
    made = tmp_path / "made.pcapng"
    assert trace.read(out).write(made, at_node=0) == len(fields(tshark, capture, "tcp", "frame.number"))
    names = ("ip.src", "tcp.seq", "tcp.ack", "tcp.len", "tcp.flags")
    assert fields(tshark, made, "tcp", *names) == fields(tshark, capture, "tcp", *names)
    assert len(fields(tshark, made, AGAIN, "tcp.seq")) == retransmitted


def test_ecn_bits_and_datagrams(tshark: str, tmp_path: Path) -> None:
    lines = [
        "+ 1 0 2 tcp 1040 ------N 1 0.0 3.1 0 1",
        "+ 2 0 2 tcp 1040 ---AE-N 1 0.0 3.1 1 2",
        "r 3 2 0 ack 40 C------ 1 3.1 0.0 1 3",
        "+ 4 0 2 cbr 500 ------- 2 0.5 3.2 0 4",
    ]
    (tmp_path / "out.tr").write_text("".join(f"{line}\n" for line in lines))
    made = tmp_path / "made.pcapng"
    assert trace.read(tmp_path / "out.tr").write(made) == 4
    names = ("ip.dsfield.ecn", "tcp.flags.ece", "tcp.flags.cwr", "ip.len", "udp.dstport")
    assert fields(tshark, made, "ip", *names) == [
        ["2", "0", "0", "1040", ""],
        ["3", "0", "1", "1040", ""],
        ["0", "1", "0", "40", ""],
        ["0", "", "", "500", "49154"],
    ]


def test_a_scenarios_capture(tshark: str, tmp_path: Path) -> None:
    """Of a run without Tcl: at the sender, what the sender counted; on a link, what the link's table counted."""
    (tmp_path / "net.toml").write_text(SCENARIO)
    for name, places in (("host", None), ("link", '["router1->router2"]')):
        words = ["--set", f"record.capture={places}"] if places else []
        line = [
            sys.executable,
            "-m",
            "ackclock",
            "run",
            "net.toml",
            "--out",
            name,
            "--pcapng",
            f"{name}.pcapng",
            *words,
        ]
        done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, "")
    results = ac.open(tmp_path / "host")
    (flow,) = results.rows("flows")
    assert flow["retransmitted_packets"] > 10
    # The first packet of ns-2 has no data: Wireshark sees a SYN.
    assert (
        len(fields(tshark, tmp_path / "host.pcapng", "tcp.dstport && ip.src == 10.0.0.0", "tcp.seq"))
        == flow["sent_packets"]
    )
    assert len(fields(tshark, tmp_path / "host.pcapng", AGAIN, "tcp.seq")) == flow["retransmitted_packets"]
    links = dict(zip(results.names["links"], results.rows("links"), strict=True))
    seen = fields(tshark, tmp_path / "link.pcapng", "ip", "frame.number")
    assert len(seen) == links["router1->router2"]["arrived_packets"] < flow["sent_packets"]


#: Linux's TCP over a path that is never full, and the numbers of segments that Wireshark may call unusual in it: none.
CLEAN = """\
duration = "3 s"
defaults = "linux"
[topology]
kind = "dumbbell"
bottleneck = { rate = "10 Mb/s", delay = "10 ms", queue = { limit = "1000 packets" } }
[[flows]]
pair = 1
tcp = "cubic"
"""


def test_wireshark_has_no_complaint(tshark: str, tmp_path: Path) -> None:
    # Severities of Wireshark's expert information (epan/proto.h): chat 0x200000, note 0x400000, warning 0x600000.
    (tmp_path / "net.toml").write_text(CLEAN)
    line = [sys.executable, "-m", "ackclock", "run", "net.toml", "--pcapng", "out.pcapng"]
    subprocess.run(line, cwd=tmp_path, capture_output=True, timeout=60, check=True)
    assert len(fields(tshark, tmp_path / "out.pcapng", "tcp.len > 0", "frame.number")) > 1000
    said = "_ws.expert.severity >= 0x400000 || _ws.malformed || tcp.checksum.status == 0"
    assert fields(tshark, tmp_path / "out.pcapng", said, "frame.number", "_ws.expert.message") == []


def test_a_trace_of_two_way_tcp_is_no_capture(tmp_path: Path) -> None:
    # Its lines have sequence numbers of bytes, no acknowledgement numbers, and no word of which TCP it is.
    (tmp_path / "net.toml").write_text(CLEAN)
    line = [sys.executable, "-m", "ackclock", "run", "net.toml", "--trace", "out.tr"]
    subprocess.run(line, cwd=tmp_path, capture_output=True, timeout=60, check=True)
    words = [sys.executable, "-m", "ackclock", "trace", "convert", "out.tr", "out.pcapng"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and done.stderr.startswith("ackclock: out.tr: line 10: segments go both ways")
    assert "`ackclock run --pcapng FILE`" in done.stderr and not (tmp_path / "out.pcapng").exists()


def test_an_unknown_place_of_a_capture(tmp_path: Path) -> None:
    (tmp_path / "net.toml").write_text(f'{SCENARIO}\n[record]\ncapture = ["lefty1"]\n')
    line = [sys.executable, "-m", "ackclock", "run", "net.toml", "--pcapng", "out.pcapng"]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith('ackclock: net.toml:13: record.capture.0 = "lefty1": expected a link')
    assert "nearest known: left1" in done.stderr
    assert not (tmp_path / "out.pcapng").exists()


# RFC 9331, 4.1: L4S senders use ECT(1), 1 in the header; RFC 3168, 5: others that understand marks ECT(0), 2.
@pytest.mark.parametrize(
    ("control", "ecn", "codepoint"), [("prague", True, "1"), ("dctcp", True, "2"), ("cubic", False, "0")]
)
def test_codepoints_of_ecn(tshark: str, tmp_path: Path, control: str, ecn: bool, codepoint: str) -> None:
    scenario = ac.Scenario(
        topology=ac.Chain(nodes=2, link=ac.Link(rate="10 Mb/s", delay="10 ms")),
        flows=[ac.Flow(source="node1", destination="node2", tcp=control, parameters={"ecn": True} if ecn else {})],
        duration="0.2 s",
        defaults="linux",
    )
    ac.run(scenario, pcapng=tmp_path / "out.pcapng")
    found = fields(tshark, tmp_path / "out.pcapng", "tcp.len > 0", "ip.dsfield.ecn")
    assert len(found) > 10 and {ecn for (ecn,) in found} == {codepoint}
