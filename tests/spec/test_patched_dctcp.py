"""DCTCP as ns-2 scripts of its patch ask for it: echoes, averages and cuts of a trace are those of RFC 8257."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "patched/dctcp.tcl"
#: RFC 8257, 4.2: the weight of a window's fraction
G = 1 / 16
HEADER = 40


class Flow:
    """RFC 8257, 3.3, of what a trace shows of one sender."""

    def __init__(self) -> None:
        self.alpha, self.cuts = 0.0, 0
        self.acked = self.marked = self.window_end = self.una = self.next = 0

    def acknowledged(self, ack: int, echoes: bool) -> None:
        if ack <= self.una:
            return
        self.acked += ack - self.una
        self.marked += (ack - self.una) * echoes
        self.una = ack
        if ack > self.window_end:
            self.alpha = self.alpha * (1 - G) + G * self.marked / self.acked
            self.acked = self.marked = 0
            self.window_end = self.next


def run(program: list[str], folder: Path, *words: str) -> dict[str, list[str]]:
    line = [*program, str(SCRIPT), *words]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=60, check=True)
    return {line[0]: line.split() for line in done.stdout.splitlines()}


@pytest.mark.parametrize("sender", ["Agent/TCP/FullTcp", "Agent/TCP/FullTcp/Newreno", "Agent/TCP/FullTcp/Sack"])
def test_estimates_and_cuts_follow_the_rfc(program: list[str], tmp_path: Path, sender: str) -> None:
    printed = run(program, tmp_path, "1", sender)
    flows = {"0": Flow(), "1": Flow()}
    cuts: dict[str, list[tuple[float, float]]] = {"0": [], "1": []}
    for line in (tmp_path / "out.tr").read_text().splitlines():
        event, time_s, _, to, _, size, flags, fid, _, _, seqno, _, ackno, tcp_flags, *_ = line.split()
        flow = flows[fid]
        is_ack = int(size) == HEADER
        if event == "+" and not is_ack:
            flow.next = max(flow.next, int(seqno) + int(size) - HEADER)
        if event == "r" and is_ack and int(to) >= 2 and not int(tcp_flags, 16) & 2:
            before = flow.una
            flow.acknowledged(int(ackno), flags[0] == "C")
            if flow.una > before and flags[0] == "C":
                cuts[fid].append((float(time_s), flow.alpha))
    for fid, flow in flows.items():
        assert float(printed[fid][1]) == pytest.approx(flow.alpha, rel=1e-12)
        assert 0.0 < flow.alpha < 1.0
    # Each cut comes with an ACK that echoes a mark, and leaves 1 - alpha / 2 of the window (to three decimals).
    window: dict[str, float] = {}
    seen = dict.fromkeys(flows, 0)
    for line in (tmp_path / "out.var").read_text().splitlines():
        time_s, node, _, _, _, _, cwnd = line.split()
        fid = str(int(node) - 2)
        left = float(cwnd) / window.get(fid, float("inf"))
        window[fid] = float(cwnd)
        if left < 1 and float(cwnd) > 1:
            seen[fid] += 1
            alphas = [alpha for at_s, alpha in cuts[fid] if abs(at_s - float(time_s)) < 1e-5]
            assert any(left == pytest.approx(1 - alpha / 2, abs=2e-3) for alpha in alphas), line
    # A first mark that comes before a window has ended meets an average of 0, and leaves all.
    assert all(0 <= int(words[2]) - seen[fid] <= 1 for fid, words in printed.items())
    assert min(seen.values()) > 20


@pytest.mark.parametrize("ratio", [1, 2])
def test_each_ack_echoes_the_segments_it_acknowledges(program: list[str], tmp_path: Path, ratio: int) -> None:
    run(program, tmp_path, str(ratio), "Agent/TCP/FullTcp/Sack")
    marks: dict[str, dict[int, bool]] = {"0": {}, "1": {}}
    last = {"0": 0, "1": 0}
    counts = [0, 0]
    for line in (tmp_path / "out.tr").read_text().splitlines():
        event, _, start, to, _, size, flags, fid, _, _, seqno, _, ackno, tcp_flags, *_ = line.split()
        length = int(size) - HEADER
        if event == "r" and to == "1" and length:
            marks[fid][int(seqno) + length] = flags[4] == "E"
        if event == "+" and start == "1" and not length and not int(tcp_flags, 16) & 2:
            covered = {mark for end, mark in marks[fid].items() if last[fid] < end <= int(ackno)}
            last[fid] = max(last[fid], int(ackno))
            if covered:
                # 3.2: one ACK never covers segments with marks and segments without.
                assert covered == {flags[0] == "C"}, line
                counts[flags[0] == "C"] += 1
    assert min(counts) > 200


def test_one_way_senders_refuse_it(program: list[str], tmp_path: Path) -> None:
    script = tmp_path / "one_way.tcl"
    script.write_text("set ns [new Simulator]\nAgent/TCP set dctcp_ true\nnew Agent/TCP/Sack1\n")
    done = subprocess.run([*program, str(script)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "dctcp_" in done.stderr
