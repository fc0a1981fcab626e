"""RFC 9743's suite on controls whose worth is known: standards pass, and bad ones fail where they are bad."""

from __future__ import annotations

import html
import re
import shlex
from pathlib import Path

import pytest

from ackclock.analysis.report.evaluation import text
from ackclock.batch.evaluate import Evaluation, evaluate, evaluate_all
from ackclock.cli import main
from ackclock.scenario import ScenarioError

BAD = '''
import ackclock as ac


class HardlyBacksOff(ac.CongestionControl):
    """Gives up 2 % of its window for a loss. RFC 5681 gives up half, RFC 9438 30 %."""

    def on_loss(self, state):
        state.cwnd_packets = state.ssthresh_packets = max(2, int(0.98 * state.window_packets))


class FillsBuffers(ac.CongestionControl):
    """Gives up two packets for a loss: the buffer is full from the first loss on."""

    def on_loss(self, state):
        state.cwnd_packets = state.ssthresh_packets = max(2, int(state.window_packets) - 2)


class Timid(ac.CongestionControl):
    """Never has more than four packets in flight."""

    def on_ack(self, state, ack):
        state.cwnd_packets = 4.0
'''

MUTE = '''
import ackclock as ac


class Mute(ac.CongestionControl):
    """Its eleventh packet, the first that is paced, would go after thirty years."""

    def on_start(self, state):
        state.pacing_packets_per_s = 1e-9
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bad.py").write_text(BAD)
    (tmp_path / "mute.py").write_text(MUTE)
    return tmp_path


def words(found: Evaluation) -> dict[str, dict[str, str]]:
    return {row.criterion.id: {cell.title: cell.word for cell in row.cells} for row in found.rows}


@pytest.mark.parametrize("name", ["tcp/cubic", "sack"])
def test_a_standard_passes_itself_under_seeds_of_its_own(name: str, tmp_path: Path) -> None:
    only = [
        "bufferbloat", "standing_queue", "utilisation", "loss", "fairness", "harm_goodput", "harm_delay", "starvation",
        "short_completion", "short_standard", "wired", "deep",
    ]  # fmt: skip
    found = evaluate(name, "rfc9743", quick=True, only=only, store=tmp_path)
    assert found.failures == [] and len(found.rows) == 10
    wrong = [cell for row in found.rows for cell in row.cells if cell.word == "not met"]
    assert wrong == [], [f"{cell.criterion.id}, {cell.title}: {cell.says}" for cell in wrong]
    # Its runs are not the baseline's, or it would pass whatever the rules were.
    cell = next(cell for row in found.rows for cell in row.cells if row.criterion.id == "utilisation")
    assert dict(cell.subject) != dict(cell.baselines[name])
    met = sum(cell.word == "met" for row in found.rows for cell in row.cells)
    assert met > sum(len(row.cells) for row in found.rows) / 2, "the suite tells nothing"


def test_bad_controls_fail_where_they_are_bad(folder: Path) -> None:
    """All three side by side: each fails its own criteria, and not the others'."""
    only = [
        "standing_queue", "bufferbloat", "loss", "utilisation", "harm_goodput", "harm_delay", "starvation",
        "wired", "shallow", "deep",
    ]  # fmt: skip
    names = ["bad:HardlyBacksOff", "bad:FillsBuffers", "bad:Timid"]
    # More than quick runs have, which are six.
    found = evaluate_all(
        names, "rfc9743", quick=True, replications=14, only=only, store=folder / "store", beside=folder
    )
    hard, fills, timid = (words(one) for one in found)
    assert [one.failures for one in found] == [[], [], []]
    assert hard["loss"]["wired"] == hard["loss"]["buffer 0.25 BDP"] == "not met"
    for rival in ("sack", "linux/cubic"):
        assert hard["harm_goodput"][f"buffer 0.25 BDP beside {rival}"] == "not met"
    assert hard["starvation"]["buffer 0.25 BDP beside sack"] == "not met"
    for place in ("wired", "buffer 4 BDP"):
        assert fills["standing_queue"][place] == "not met", place
    assert fills["bufferbloat"]["buffer 4 BDP"] == "not met"
    assert fills["harm_delay"]["wired beside sack"] == "not met"
    (harm,) = (row for row in found[1].rows if row.criterion.id == "harm_delay")
    beside = {cell.title: cell.p_holm for cell in harm.cells}
    # Clearly so, and not just below 5 %.
    assert beside["wired beside sack"] is not None and beside["wired beside sack"] < 0.01
    assert fills["utilisation"] == {"wired": "met", "buffer 0.25 BDP": "met", "buffer 4 BDP": "met"}
    assert set(timid["utilisation"].values()) == {"not met"}
    for id in ("standing_queue", "bufferbloat", "loss", "harm_goodput", "harm_delay", "starvation"):
        assert "not met" not in timid[id].values(), id
    page = text(found)
    for word, look in (("not met", "against"), ("depends", "depends"), ("met", "good")):
        rows = sum(row.word == word for one in found for row in one.rows)
        # Each in the table of all subjects, and in the criterion's own part.
        assert page.count(f'<span class="chip {look}">{word}</span>') == 2 * rows > 0
    for name in names:
        assert f'<th scope="col">{name}</th>' in page


SUITE = """
id = "small"
document = "a test"
title = "A small suite"
about = "One criterion."
evaluates = "variant"
standards = ["reno"]
baseline_why = "it is old"
sender = "tcp"
replications = { quick = 2, full = 2, why = "enough for an interval" }
[scenario]
duration = "5 s"
record = { sample = "0.1 s" }
[scenario.topology]
kind = "dumbbell"
bottleneck = { rate = "3 Mb/s", delay = "20 ms" }
[[condition]]
id = "plain"
title = "plain"
where = "1"
asks = "nothing"
[[traffic]]
id = "beside"
title = "beside a standard"
flows = [
    { name = "own", pair = 1, tcp = "{subject}", start = "0 %" },
    { name = "standard", pair = 1, tcp = "{standard}" },
]
[[criterion]]
id = "harm"
title = "harm"
where = "1"
strength = "MUST"
asks = "to do no harm"
traffic = "beside"
conditions = ["plain"]
measure = { of = "goodput", flows = "standard" }
comparison = "harm"
rule = "at_most"
bound = "0.1"
why = "so"
"""


@pytest.mark.parametrize(
    "given", [["--replications", "3"], ["--seed", "7"], ["--seed", "1"], ["--quick", "--baseline", "tcp/cubic"]]
)
def test_the_command_on_the_page_makes_the_page(
    given: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where one of two is a standard, whose runs have another seed unless one is given."""
    monkeypatch.chdir(tmp_path)
    Path("my small suite.toml").write_text(SUITE)
    first = ["evaluate", "tcp/reno", "tcp/vegas", "--suite", "my small suite.toml", *given, "--store", "store"]
    assert main([*first, "--out", "first.html"]) == 0
    page = Path("first.html").read_text()
    shown = re.search(r"<code>(ackclock evaluate .*?)</code>", page)
    assert shown is not None
    again = shlex.split(html.unescape(shown[1]))[1:]
    assert set(given) <= set(again) and ("--seed" in again) is ("--seed" in given)
    assert main([*again, "--store", "store", "--out", "second.html"]) == 0
    assert Path("second.html").read_text() == page


@pytest.mark.parametrize(
    ("subject", "start"),
    [("mute:Mute", "0 %"), ("tcp/vegas", "150 %")],  # the second is never started
)
def test_what_never_sends_is_one_line(
    subject: str, start: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would do no harm: without a word of its own, a rule about its rivals would be met."""
    monkeypatch.chdir(folder)
    (folder / "small.toml").write_text(SUITE.replace('start = "0 %"', f'start = "{start}"'))
    assert main(["evaluate", subject, "--suite", "small.toml"]) == 1
    wrote = capsys.readouterr()
    assert wrote.out == "" and wrote.err == (
        f'ackclock: variant = "{subject}": expected one that sends: it sent no more than its first packets in any run;'
        " nothing to evaluate\n"
    )
    assert list(folder.glob("*.html")) == []


def test_a_queue_that_lets_nothing_pass_is_one_line(folder: Path) -> None:
    (folder / "shut.py").write_text(
        "import ackclock as ac\n\n\nclass Shut(ac.QueueDiscipline):\n"
        "    def enqueue(self, packet, now_s):\n        packet.drop()\n"
    )
    with pytest.raises(ScenarioError, match="expected one that lets packets pass: none did in any run"):
        evaluate("shut:Shut", "rfc7928", quick=True, only=["queue", "base"], store=folder / "store", beside=folder)
