"""Evaluation suites: the documents' numbers, figures against the runs they are of, rules, and what goes wrong."""

from __future__ import annotations

import hashlib
import html
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import scipy.stats  # type: ignore[import-untyped]

import ackclock as ac
from ackclock import stats
from ackclock._native import queue_disciplines, tcp_senders
from ackclock.analysis.report.evaluation import text
from ackclock.batch.evaluate import (
    Cell,
    Condition,
    Criterion,
    Row,
    Traffic,
    begin,
    evaluate,
    find_subject,
    load_suite,
)
from ackclock.batch.evaluate.build import expanded
from ackclock.batch.evaluate.judge import corrected
from ackclock.batch.sweep import seed_of
from ackclock.cli import main
from ackclock.scenario import ScenarioError
from commands import ackclock

SUITE = """
id = "small"
document = "a test"
title = "A small suite"
about = "Two criteria."
evaluates = "variant"
baseline = "reno"
baseline_why = "it is old"
replications = { quick = 3, full = 4, why = "enough for an interval" }

[scenario]
defaults = "rfc"
duration = "20 s"
record = { sample = "0.1 s" }
[scenario.topology]
kind = "dumbbell"
bottleneck = { rate = "3 Mb/s", delay = "20 ms", queue = { limit = "1 BDP" } }
access = { rate = "1 Gb/s", delay = "1 ms" }

[[condition]]
id = "plain"
title = "plain"
where = "1"
asks = "nothing"
[[condition]]
id = "lossy"
title = "lossy"
where = "2"
asks = "losses"
scenario = { topology = { bottleneck = { loss = { rate = 0.02 } } } }
quick = { duration = "10 s" }
[[condition]]
id = "elsewhere"
title = "elsewhere"
where = "3"
asks = "what there is not"
needs = "no_such_queue"

[[traffic]]
id = "alone"
title = "one flow"
flows = [{ name = "long", pair = 1, tcp = "{subject}", start_jitter = "5 %" }]
[[traffic]]
id = "steady"
title = "one flow beside a steady one"
warm_up = "0 %"
[[traffic.flows]]
name = "long"
pair = 1
tcp = "{subject}"
start_jitter = "5 %"
[[traffic.flows]]
name = "steady"
pair = 1
packet_size = "1500 B"
app = { kind = "cbr", rate = "1.2 Mb/s", packet_size = "1500 B" }

[[criterion]]
id = "goodput"
title = "goodput"
where = "1.1"
strength = "SHOULD"
asks = "to be fast"
traffic = "alone"
conditions = ["plain", "lossy", "elsewhere"]
measure = { of = "goodput", flows = "long" }
comparison = "ratio"
rule = "at_least"
bound = "0.5"
why = "half is enough"
[[criterion]]
id = "used"
title = "use"
where = "1.2"
strength = "SHOULD"
asks = "to be thrifty"
traffic = "steady"
conditions = ["plain"]
measure = { of = "utilisation" }
[[criterion]]
id = "lost"
title = "losses"
where = "1.3"
strength = "SHOULD"
asks = "to lose little"
traffic = "steady"
conditions = ["plain"]
measure = { of = "loss" }
[[criterion]]
id = "sent"
title = "sent"
where = "1.4"
strength = "SHOULD"
asks = "to send little"
traffic = "steady"
conditions = ["plain"]
measure = { of = "goodput", flows = "steady" }
[[criterion]]
id = "thought"
title = "thoughts"
where = "1.5"
strength = "MUST"
asks = "to think"
unevaluated = "machines do not"
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    file = tmp_path / "small.toml"
    file.write_text(SUITE)
    return file


def command(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return ackclock("evaluate", *words, cwd=cwd)


def test_figures_are_those_of_the_runs(small: Path, tmp_path: Path) -> None:
    found = evaluate("sack", str(small), quick=True, store=tmp_path / "store")
    rows = {row.criterion.id: row for row in found.rows}
    assert (found.replications, found.runs, found.failures) == (3, 3 * 2 * 3, [])
    plain = next(cell for cell in rows["goodput"].cells if cell.condition.id == "plain")
    for replication, value in plain.subject.items():
        results = ac.run(found.scenario("plain", "alone"), seed=seed_of(1, replication))
        flow = results.rows("flows")[0]
        series = [row for row in results.rows("flow_series") if row["time_s"] > 4.05]
        mean = sum(row["throughput_bps"] for row in series) / len(series)
        assert value == pytest.approx(mean * flow["delivered_bytes"] / flow["received_bytes"])
        # The flow's own goodput is of its whole life; it starts within a second and is slow for another.
        assert value == pytest.approx(flow["goodput_bps"], rel=0.08)
    for name, column in (("used", "utilisation"), ("lost", "")):
        for replication, value in rows[name].cells[0].subject.items():
            results = ac.run(found.scenario("plain", "steady"), seed=seed_of(1, replication))
            link = results.rows("links")[results.names["links"].index("router1->router2")]
            wanted = link[column] if column else link["dropped_packets"] / link["arrived_packets"]
            # The last tenth of a second has no sample.
            assert value == pytest.approx(wanted, rel=0.05)
    # 100 packets of 1500 bytes a second, but for those that are lost.
    steady = rows["sent"].cells[0].subject
    assert all(1.1e6 < value <= 1.21e6 for value in steady.values())


def test_the_page_has_the_figures_of_the_api(small: Path, tmp_path: Path) -> None:
    found = evaluate("sack", str(small), quick=True, store=tmp_path / "store")
    page = html.unescape(text(found))
    for row in found.rows:
        assert row.criterion.title in page and row.criterion.asks in page
        for cell in row.cells:
            if cell.lacks:
                continue
            for values in (cell.subject, cell.baseline):
                mean = scipy.stats.tmean(list(values.values()))
                half = (
                    mean
                    - scipy.stats.t.interval(0.95, len(values) - 1, mean, scipy.stats.sem(list(values.values())))[0]
                )
                per = {"goodput": 1e6, "utilisation": 0.01, "loss": 0.01}[row.criterion.measure["of"]]
                assert f"{mean / per:.4g} ± {half / per:.2g}" in page
    assert "this build has no queue discipline no_such_queue" in page
    assert "machines do not" in page
    assert "http" not in page.replace("http://www.w3.org", "")


def test_the_same_evaluation_runs_nothing_twice(small: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, int, int]] = []
    first = evaluate("sack", str(small), quick=True, store=tmp_path, progress=lambda *now: seen.append(now))
    # Runs of a point may be told of together.
    done = [now[0] for now in seen]
    assert seen[-1] == (18, 0, 18) and done == sorted(set(done)) and len(done) > 6
    before = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.parquet")}
    again = evaluate("sack", str(small), quick=True, store=tmp_path)
    assert before and {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.parquet")} == before
    assert text(first) == text(again)


OPEN = "undetermined"
TRAFFIC = Traffic(id="t", title="t", flows=[])
CONDITION = Condition(id="c", title="c", where="1", asks="")


def criterion(**given: object) -> Criterion:
    plain: dict[str, object] = {
        "id": "x", "title": "x", "where": "1", "strength": "MUST", "asks": "x", "traffic": "t", "conditions": ["c"],
        "measure": {"of": "goodput", "flows": "f"}, "why": "so",
    }  # fmt: skip
    return Criterion(**{**plain, **given})  # type: ignore[arg-type]


def cell(
    one: Criterion, mine: Sequence[float], theirs: Sequence[float], title: str = "c", solo: Sequence[float] = ()
) -> Cell:
    where = Condition(id=title, title=title, where="1", asks="")
    return Cell(
        one, where, TRAFFIC, dict(enumerate(mine)), {"standard": dict(enumerate(theirs))}, dict(enumerate(solo))
    )


@pytest.mark.parametrize(
    ("given", "mine", "theirs", "compared", "word"),
    [
        ({"comparison": "ratio", "rule": "at_least", "bound": "0.8"}, [9, 10, 11], [10] * 3, [0.9, 1, 1.1], OPEN),
        ({"comparison": "ratio", "rule": "at_least", "bound": "0.7"}, [9, 10, 11], [10, 10, 10], [0.9, 1, 1.1], "met"),
        ({"comparison": "ratio", "rule": "at_least", "bound": "1.3"}, [9, 10, 11], [10] * 3, [0.9, 1, 1.1], "not met"),
        ({"comparison": "difference", "rule": "at_most", "bound": "0"}, [1, 2, 3], [2, 3, 4], [-1, -1, -1], "met"),
        ({"rule": "at_most", "bound": "7"}, [5, 5, 5], [10, 10, 10], [5, 5, 5], "met"),
        # Where neither sends, they are equal.
        ({"comparison": "ratio", "rule": "at_least", "bound": "0.8"}, [0, 0, 0], [0, 0, 0], [1, 1, 1], "met"),
        # A baseline of 0 has no ratio to it: that replication is out.
        ({"comparison": "ratio", "rule": "at_least", "bound": "1"}, [1, 1, 1], [0, 0, 1], [1], "undetermined"),
        ({}, [1, 2, 3], [2, 3.1, 4], [1, 2, 3], "less"),
        ({}, [1, 2, 3], [2, 1, 3], [1, 2, 3], "no difference seen"),
    ],
)  # fmt: skip
def test_rules(
    given: dict[str, object], mine: list[float], theirs: list[float], compared: list[float], word: str
) -> None:
    found = cell(criterion(**given), mine, theirs)
    assert found.compared == pytest.approx(compared)
    assert found.word == word


def test_harm_is_what_is_lost_of_the_solo_figure() -> None:
    """Ware et al., HotNets 2019, section 4: (solo - workload) / solo, and where less is better (workload - solo) /
    workload. Equivalent-bounded harm: no more than the status quo does to itself.
    """
    goodput = criterion(comparison="harm", rule="at_most", bound="0.1")
    # 10 Mb/s alone, 5 beside a standard: harm 0.5. 2 Mb/s beside the subject: 0.8.
    found = cell(goodput, [2, 2], [5, 5], solo=[10, 10])
    assert found.harms(found.subject) == [0.8, 0.8] and found.harms(found.baseline) == [0.5, 0.5]
    assert found.compared == pytest.approx([0.3, 0.3]) and found.word == "not met"
    # Beside another standard it has as little: the standards do as much harm to each other.
    allowed = replace(found, baselines={**found.baselines, "cubic": {0: 2.0, 1: 2.5}})
    assert allowed.by == "cubic" and allowed.compared == pytest.approx([0.0, 0.05]) and allowed.word != "not met"
    rtt = criterion(measure={"of": "rtt", "flows": "f"}, comparison="harm", rule="at_most", bound="0.1")
    # 20 ms alone, 40 ms beside a standard: half of what it has now. 50 ms: three fifths.
    assert cell(rtt, [0.05, 0.05], [0.04, 0.04], solo=[0.02, 0.02]).compared == pytest.approx([0.1, 0.1])


def test_holms_correction_of_a_published_example() -> None:
    """statsmodels.stats.multitest.multipletests(p, method="holm") gives these, and R's p.adjust(p, "holm")."""
    p_values = [0.01, 0.04, 0.03, 0.005]
    assert stats.holm(p_values).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert stats.holm([0.6, 0.7]).tolist() == [1.0, 1.0] and not len(stats.holm([]))


def test_a_claim_against_the_subject_is_corrected_for_all_places() -> None:
    """20 cells whose mean is a little beyond the bound: one alone would be not met."""
    one = criterion(rule="at_most", bound="0")
    values = [0.05, 0.1, 0.15, 0.2]
    p_value = scipy.stats.ttest_1samp(values, 0, alternative="greater").pvalue
    assert 0.05 / 20 < p_value < 0.05
    assert cell(one, values, []).p_value == pytest.approx(p_value) and cell(one, values, []).word == "not met"
    (row,) = corrected([Row(one, [cell(one, values, []) for _ in range(20)])])
    assert {found.word for found in row.cells} == {"undetermined"} and row.word == "undetermined"
    assert row.cells[0].p_holm == pytest.approx(20 * p_value)


def test_the_standards_are_those_of_the_subjects_stack() -> None:
    named = {
        "tcp/bbr": ["tcp/reno", "tcp/cubic"],
        "linux/vegas": ["linux/reno", "linux/cubic"],
        "ns3/westwood": ["ns3/new_reno"],  # ns-3.25 has no CUBIC
        "vegas": ["sack", "linux/cubic"],
        "reno": ["reno", "linux/cubic"],
    }
    for name, standards in named.items():
        found = begin(name, "rfc9743", quick=True)
        assert [one.name for one in found.baselines] == standards
        tcp = {flow.tcp for flow in found.scenario("wired", "beside").flows}
        assert tcp <= {find_subject(name).settings["tcp"], standards[0]}
    # With the baselines' own seeds, the runs of a standard would be the baseline's.
    assert begin("tcp/cubic", "rfc9743").seed != 1 and begin("tcp/bbr", "rfc9743").seed == 1


def test_a_row_depends_where_conditions_differ() -> None:
    one = criterion(rule="at_least", bound="1")
    good, bad = cell(one, [2, 2.1], [1, 1], "here"), cell(one, [0.2, 0.3], [1, 1], "there")
    open_ = cell(one, [0.5, 1.5], [1, 1], "elsewhere")
    assert (Row(one, [good, bad]).word, Row(one, [good, bad]).says) == ("depends", "met in 1 of 2; not met: there")
    assert Row(one, [bad, open_]).word == "depends" and Row(one, [bad, bad]).word == "not met"
    assert Row(one, [good, open_]).word == "undetermined"
    assert Row(one, [good, good]).word == "met"
    assert Row(one, [good, Cell(one, CONDITION, TRAFFIC, lacks="gone")]).word == "met"
    assert Row(one, [Cell(one, CONDITION, TRAFFIC, lacks="gone")]).word == "not evaluated"


@pytest.mark.parametrize("name", [name for name, _ in tcp_senders()])
def test_every_variant_can_be_evaluated(name: str, tmp_path: Path) -> None:
    found = evaluate(name, "rfc9743", quick=True, only=["feedback"], replications=2, store=tmp_path)
    assert found.failures == []
    assert found.rows[0].word == "met", found.rows[0].says


def test_names_of_what_is_evaluated() -> None:
    assert find_subject("newreno").settings == {"tcp": "new_reno"}
    assert find_subject("New-Reno").name == "new_reno"
    assert find_subject("linux/vegas").settings == {"tcp": "linux", "control": "vegas"}
    assert find_subject("vegas").settings == {"tcp": "vegas"}
    assert find_subject("drop-tail", "queue").settings == {"kind": "drop_tail"}
    for queue, _ in queue_disciplines():
        assert find_subject(queue, "queue").name == queue
    assert find_subject("linux/cubic").settings == {"tcp": "linux", "control": "cubic"}
    # As in a scenario, a control's own name is that of today's sender.
    assert find_subject("cubic").settings == find_subject("tcp/cubic").settings
    assert find_subject("westwood_plus").settings == {"tcp": "ns3", "control": "westwood_plus"}
    with pytest.raises(ScenarioError, match="expected a TCP variant, and this is a queue discipline"):
        find_subject("red")
    with pytest.raises(ScenarioError, match="expected a queue discipline, and this is a variant"):
        find_subject("vegas", "queue")
    with pytest.raises(ScenarioError, match="nearest known: vegas"):
        find_subject("vegsa")
    with pytest.raises(ScenarioError, match=r"expected a queue discipline .*nearest known: red"):
        find_subject("redd", "queue")


def test_a_crowd_offers_its_load() -> None:
    """A = E[f]/E[t] (tcpeval draft, section 3.1) over all ways and both sizes of packets."""
    flow = {
        "name": "web", "sources": ["a", "b", "c"], "destinations": ["d", "e", "f"], "load": 0.85, "of": "100 Mb/s",
        "packet_sizes": [["1460 B", 0.9], ["496 B", 0.1]], "arrivals": {"size": "500 kB"}, "tcp": "sack",
    }  # fmt: skip
    flows = list(expanded(flow))
    assert len(flows) == 18 and {(one["source"], one["destination"]) for one in flows} == {
        (first, last) for first in "abc" for last in "def"
    }
    offered = dict.fromkeys(("1460 B", "496 B"), 0.0)
    for one in flows:
        offered[one["packet_size"]] += 8 * 500e3 / float(one["arrivals"]["interval"].removesuffix(" s"))
    assert offered == pytest.approx({"1460 B": 0.9 * 85e6, "496 B": 0.1 * 85e6})


OWN = """
import ackclock as ac

class Wrong(ac.CongestionControl):
    def on_ack(self, state, ack):
        if state.now_s > 5:
            raise RuntimeError("I have lost count")
        super().on_ack(state, ack)

class Fine(ac.CongestionControl):
    pass
"""


def test_a_control_of_ones_own_is_evaluated(small: Path, tmp_path: Path) -> None:
    """What a class does not write is Reno's window: on SACK it gives SACK's own packets."""
    (tmp_path / "mine.py").write_text(OWN)
    done = command(
        "mine:Fine", "--suite", "small.toml", "--quick", "--baseline", "sack", "--only", "goodput", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    digest = hashlib.sha256(OWN.encode()).hexdigest()
    page = (tmp_path / "mine-Fine-small.html").read_text()
    assert digest in page and "--baseline sack --only goodput" in page
    store = tmp_path / "out" / "store"
    found = evaluate(
        "mine:Fine", str(small), baseline="sack", quick=True, only=["goodput"], store=store, beside=tmp_path
    )
    for one in found.rows[0].cells:
        assert len(one.subject) == 3 or one.lacks
        assert dict(one.subject) == dict(one.baseline)


def test_a_control_that_raises_is_in_its_row(small: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OWN)
    done = command("mine:Wrong", "--suite", "small.toml", "--quick", "--out", "page.html", cwd=tmp_path)
    assert done.returncode == 1
    assert "goodput   undetermined" in done.stdout, done.stdout
    assert "9 of 18 runs failed" in done.stderr and "I have lost count" in done.stderr
    page = html.unescape((tmp_path / "page.html").read_text())
    assert "3 runs failed: mine:Wrong: SimulationError" in page and "I have lost count" in page


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("vegas", "--suite", "rfc9473"), 'suite = "rfc9473": expected a suite'),
        (("vegas", "--suite", "rfc9473"), "nearest known: rfc9743"),
        (("vegsa", "--suite", "rfc9743"), 'variant = "vegsa": expected a TCP variant'),
        (("vegas", "--suite", "rfc9743", "--baseline", "renoo"), "nearest known: reno"),
        (("vegas", "--suite", "rfc9743", "--only", "fairnes"), "nearest known: fairness"),
        (("vegas", "--suite", "rfc9743", "--only", "media_loss", "--only", "deep"), "none of these criteria"),
        (("nowhere:Control", "--suite", "rfc9743"), "no module nowhere"),
        (("vegas", "--suite", "rfc9743", "--jobs", "0"), "--jobs = 0"),
        (("vegas", "--suite", "missing.toml"), "missing.toml"),
    ],
)
def test_a_bad_command_is_one_line(
    words: tuple[str, ...],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["evaluate", *words]) == 1
    wrote = capsys.readouterr().err
    assert said in wrote and wrote.startswith("ackclock: ") and wrote.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('of = "utilisation"', 'of = "utilization"', "criterion.1.measure.of = \"utilization\": expected a measure"),
        ('of = "utilisation"', 'of = "utilisation", flow = "x"', "criterion.1.measure: the measure does not take this"),
        ('rule = "at_least"', 'rule = "at_last"', "nearest known: at_least"),
        ('bound = "0.5"', 'bound = "half"', "expected a number, as text"),
        ('conditions = ["plain"]', 'conditions = ["plane"]', "nearest known: plain"),
        ('traffic = "alone"', 'traffic = "alon"', "nearest known: alone"),
        ('why = "half is enough"', "", "a bound needs to say whose it is"),
        ("quick = 3", "quick = 1", "fewer have no interval"),
        ('id = "lossy"', 'id = "plain"', "duplicate name"),
        ('needs = "no_such_queue"', 'need = "no_such_queue"', "nearest known: needs"),
    ],
)  # fmt: skip
def test_a_bad_suite_names_its_line(old: str, new: str, said: str, tmp_path: Path) -> None:
    assert old in SUITE
    file = tmp_path / "small.toml"
    file.write_text(SUITE.replace(old, new, 1))
    with pytest.raises(ScenarioError) as raised:
        load_suite(str(file))
    assert said in str(raised.value)
    assert str(file) in str(raised.value) and raised.value.line is not None


def test_a_scenario_that_cannot_be_is_in_its_row(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SUITE.replace("rate = 0.02", "rate = 2.0"))
    found = evaluate("sack", str(file), quick=True, store=tmp_path / "store")
    row = found.rows[0]
    assert "expected a probability" in next(c.failed for c in row.cells if c.condition.id == "lossy")
    assert row.cells[0].word == "met" and len(found.failures) == 6
    assert "expected a probability" in text(found)


def test_a_dry_run_counts_what_there_is_to_run(tmp_path: Path) -> None:
    """Beside each of two standards: the variant, either standard in its place, and nobody."""
    words = ["vegas", "--suite", "rfc9743", "--quick", "--only", "harm_goodput", "--only", "wired"]
    first = command(*words, "--dry-run", cwd=tmp_path)
    told, runs, time = first.stdout.splitlines()
    assert (told, runs) == (
        "1 criterion, 0 plots in 1 condition: vegas beside sack and linux/cubic",
        "8 scenarios x 6 replications = 48 runs, 0 in the store",
    ), first.stderr
    assert time.startswith("about ") and not list(tmp_path.iterdir())
    assert command(*words, cwd=tmp_path).returncode == 0
    again = command(*words, "--dry-run", cwd=tmp_path)
    assert again.stdout.splitlines()[1].endswith("= 48 runs, 48 in the store")
