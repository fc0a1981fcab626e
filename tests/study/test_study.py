"""The machinery of studies, without an engine: claims, families of runs, files, the report."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ackclock.batch.study import (
    StudyError,
    Verdict,
    find_studies,
    find_study,
    load_paper,
    load_study,
    run_study,
)
from ackclock.batch.study.progress import Bar
from ackclock.batch.study.text import command, describe, summary, table
from small_study import run, study_folder

GOOD, BAD = Verdict.REPRODUCED, Verdict.CONTRADICTED


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return study_folder(tmp_path)


def test_outcome(folder: Path, tmp_path: Path) -> None:
    outcome = run(folder, tmp_path / "out")
    assert [c.verdict for c in outcome.checked] == [GOOD, BAD, Verdict.DEPENDS]
    assert outcome.checked[2].judged.says == "on the seed: does not hold in the base run; holds in 1 of 2 others"
    assert outcome.holds, "the claim that ns-2 contradicts is contradicted here too"
    text = table(outcome)
    assert "contradicted, as ns-2.35" in text
    assert "1 of 1 traces" in text
    assert summary([outcome]) == (
        "studies 1, claims 3: reproduced 1, contradicted 1, depends 1, undetermined 0; "
        "published figures matched exactly: 007 others 1 of 1"
    )


def test_families(folder: Path, tmp_path: Path) -> None:
    study = load_study(folder)
    assert [r.id for r in study.at("quick")] == ["only", "times2", "times2#1", "times3", "times3#1"]
    assert len(study.at("normal")) == 7 and len(study.runs) == 11
    assert [r.args for r in study.at("normal") if r.group == "times3"] == [("3", "1"), ("3", "11"), ("3", "12")]
    quick = run(folder, tmp_path / "out", "quick")
    assert [c.claim.id for c in quick.checked] == ["value", "bound"], "the third needs more replications"


def test_derived_seeds_stay_when_there_are_more(folder: Path) -> None:
    claims = folder / "claims.toml"
    claims.write_text(claims.read_text().replace("first = 11\n", ""))
    seeds = [r.seed for r in load_study(folder).runs if r.group == "times2"]
    claims.write_text(claims.read_text().replace("full = 4", "full = 9"))
    more = [r.seed for r in load_study(folder).runs if r.group == "times2"]
    assert more[: len(seeds)] == seeds and len(set(more)) == 10
    others = [r.seed for r in load_study(folder).runs if r.group == "times3"]
    assert not set(others[1:]) & set(more[1:])
    assert all(0 < seed < 2**31 - 1 for seed in more + others)


def test_runs_are_not_repeated(folder: Path, tmp_path: Path) -> None:
    first = run(folder, tmp_path / "out")
    again = run(folder, tmp_path / "out")
    assert [first.runs[id].folder for id in first.runs] == [again.runs[id].folder for id in again.runs]
    assert first.runs["times2"].files == {}, "nothing of it was to be kept"


def test_a_trace_unlike_ns2s_is_said(folder: Path, tmp_path: Path) -> None:
    claims = folder / "claims.toml"
    claims.write_text(claims.read_text().replace("7902699b", "00000000"))
    outcome = run(folder, tmp_path / "out")
    assert not outcome.holds
    assert "out.txt differs" in table(outcome)


def test_another_script_is_run_anew(folder: Path, tmp_path: Path) -> None:
    run(folder, tmp_path / "out")
    (folder / "script.py").write_text("pass")
    with pytest.raises(KeyError, match=r"out\.txt"):
        run(folder, tmp_path / "out")


def test_a_failing_run_is_named_with_its_message(folder: Path, tmp_path: Path) -> None:
    (folder / "script.py").write_text("import sys; sys.exit('went wrong')")
    with pytest.raises(StudyError, match=r"of study 007.*went wrong"):
        run(folder, tmp_path / "out")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('rule = "digits"', 'rule = "by eye"', r':\d+: claim\.0\.rule = "by eye": expected a rule'),
        ('rule = "digits"', 'rule = "digit"', "nearest known: digits"),
        ('published = "7"', 'published = "seven"', r"claim\.0\.published"),
        ('words = "seven"', "", r"claim\.0\.words: the key is missing"),
        ('words = "seven"', 'wrods = "seven"', r"nearest known: words"),
        ('settings = "printed"', "", r"claim\.0\.settings: the key is missing"),
        ('settings = "printed"', 'settings = "guessed"', r'claim\.0\.settings = "guessed": expected .*printed'),
        ('settings = "printed"', 'settings = "printed"\norigin = "our"', "nearest known: ours"),
        ('reason = "It draws', 'raeson = "It draws', r"unweighed\.0\.raeson"),
        ('reason = "It draws the network."', 'reason = " "', r"unweighed\.0\.reason.*not empty"),
        ("[[run]]", "[[walk]]", "walk: unknown key"),
        ('script = "script.py"', 'script = "nonesuch.tcl"', r"run\.0\.script"),
        ('"{factor}", "{seed}"', '"{faktor}", "{seed}"', "nearest known: factor"),
        ('"{factor}", "{seed}"', '"{factor}"', r"run\.1\.args: .*needs \{seed\}"),
        ('id = "times{factor}"', 'id = "times"', r"differ in factor need it in their id"),
        ("normal = 2", "normal = 5", "quick <= normal <= full"),
        ('id = "bound"', 'id = "value"', r"claim\.1\.id.*another of this id"),
        ('runs = ["only"]', 'runs = ["once"]', r"claim\.0\.runs\.0"),
        ('"only/out.txt"', '"lonely/out.txt"', "nearest known: only"),
        ("[paper]", "[paper", "not TOML"),
    ],
)
def test_bad_claims_are_named(folder: Path, old: str, new: str, says: str) -> None:
    claims = folder / "claims.toml"
    assert old in claims.read_text()
    claims.write_text(claims.read_text().replace(old, new, 1))
    with pytest.raises(StudyError, match=rf"(?s)claims\.toml.*{says}"):
        load_study(folder)


def test_an_error_has_the_line(folder: Path) -> None:
    claims = folder / "claims.toml"
    text = claims.read_text().replace('rule = "at_least"', 'rule = "at least"', 1)
    claims.write_text(text)
    line = text.splitlines().index('rule = "at least"') + 1
    with pytest.raises(StudyError, match=rf"claims\.toml:{line}: claim\.1\.rule"):
        load_study(folder)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"value": text,', "", "nothing was measured for claim value"),
        ('"value": text,', '"value": text, "more": 1.0,', "more, of which claims.toml says nothing"),
        ("def figures", "def pictures", "no function figures"),
    ],
)
def test_code_that_does_not_fit_the_claims(folder: Path, tmp_path: Path, old: str, new: str, says: str) -> None:
    code = folder / "one_number.py"
    code.write_text(code.read_text().replace(old, new))
    with pytest.raises(StudyError, match=says):
        run(folder, tmp_path / "out")


def test_ctrl_c_loses_nothing_that_was_done(folder: Path, tmp_path: Path) -> None:
    (folder / "script.py").write_text(
        "import sys, time, pathlib\n"
        "open('out.txt', 'w').write('6')\n"
        f"if sys.argv[1] == '3' and not pathlib.Path({str(tmp_path / 'go')!r}).exists():\n"
        "    time.sleep(60)\n"
    )
    words = [sys.executable, "-m", "ackclock", "study", "run", "007", "--quick", "--jobs", "1"]
    words += ["--studies", str(folder.parent), "--out", str(tmp_path / "out"), "--program", sys.executable]
    running = subprocess.Popen(
        words,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Tests that run in the background are started with Ctrl-C ignored, and what they start would be, too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    store = tmp_path / "out" / "store"
    until = time.monotonic() + 60
    # The fourth has begun: it has written, and sleeps.
    while len(list(store.rglob("key.json"))) < 3 or not list(store.glob("*/.*.part/files/out.txt")):
        assert time.monotonic() < until
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGINT)
    assert running.communicate(timeout=30)[1] == "ackclock: interrupted\n"
    assert running.returncode == 130
    done = {path: path.stat().st_mtime_ns for path in store.rglob("key.json")}
    assert len(done) == 3 and not list(store.glob("*/.*.part"))

    (tmp_path / "go").write_text("")
    again = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert "studies 1, claims 2" in again.stdout, again.stderr
    assert {path: path.stat().st_mtime_ns for path in done} == done and len(list(store.rglob("key.json"))) == 5


def test_one_run_by_itself(folder: Path, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "ackclock", "study", "run", "007", "--only", "times3#2"]
    words += ["--studies", str(folder.parent), "--out", str(tmp_path / "out"), "--program", sys.executable]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    assert Path(done.stdout.strip()).read_text() == str(3 * 12)
    words[-7] = "times4"
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and "nearest known: times" in done.stderr


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_for_a_terminal_only() -> None:
    terminal, pipe = Terminal(), io.StringIO()
    for out in (terminal, pipe):
        with Bar("study 007", 2, out) as bar:
            bar.advance("the only run")
    assert "1/2" in terminal.getvalue() and "the only run" in terminal.getvalue()
    assert pipe.getvalue() == ""


def test_a_paper_is_read_wherever_it_stands(folder: Path) -> None:
    file = folder / "claims.toml"
    text = file.read_text()
    paper, _, rest = text.partition("\n[[")
    assert load_paper(folder) == load_study(folder).paper
    file.write_text(f"[[{rest}\n{paper}")
    assert load_paper(folder) == load_study(folder).paper
    file.write_text(text.replace("title", "titel", 1))
    with pytest.raises(StudyError, match=r"claims\.toml:\d+: paper\.titel"):
        load_paper(folder)


def test_finding(folder: Path, tmp_path: Path) -> None:
    root = folder.parent
    assert find_studies(root) == [folder]
    assert find_study("007", root) == find_study("007_one_number", root) == folder
    with pytest.raises(StudyError, match="there is 007"):
        find_study("008", root)
    with pytest.raises(StudyError, match="--studies"):
        find_studies(tmp_path / "nowhere")


def test_every_study_of_the_repository_loads() -> None:
    for folder in find_studies():
        study = load_study(folder)
        assert load_paper(folder) == study.paper
        assert study.code.is_file()
        assert (folder / "README.md").is_file()
        assert study.paper.title in describe(study)


@pytest.mark.parametrize("id", ["002", "003", "004"])
def test_every_place_of_these_papers_is_listed(id: str) -> None:
    study = load_study(find_study(id))
    assert [place.name for place in study.places] == study.paper.places
    assert study.unweighed and {"Abstract"} < set(study.paper.places)
    # What rule undetermined says of a claim is why nothing printed can be compared; it holds nothing against the paper.
    assert all(claim.note for claim in study.claims if claim.rule == "undetermined")


NETWORKS = """
[paper]
title = "Networks"
authors = "A. Author"
year = 2001
venue = "nowhere"
question = "Which is faster?"

[[run]]
id = "built/{tcp}"
build = "network"
over = { tcp = ["reno", "vegas"] }
keep = ["flows"]
seeds = { quick = 1, normal = 1, full = 2 }

[[run]]
id = "read/{tcp}"
scenario = "net.toml"
set = { "flows.0.tcp" = "{tcp}" }
over = { tcp = ["reno", "vegas"] }

[[claim]]
id = "same"
where = "page 1"
words = "the same"
quantity = "goodput, built over read"
rule = "within"
settings = "printed"
deterministic = true
published = "1"
"""

NETWORK = """
import ackclock as ac
from ackclock.batch.study import Settings

def network(tcp):
    link = ac.Link(rate="1 Mb/s", delay="10 ms")
    return ac.Scenario(topology=ac.Dumbbell(bottleneck=link), flows=[ac.Flow(pair=1, tcp=tcp)], duration="2 s")

def measure(runs):
    def goodput(kept):
        return kept.results.rows("flows")[0]["goodput_bps"]
    assert [runs.run(id).seed for id in ("built/reno", "built/reno#1")][0] == 0
    return {
        "same": Settings({
            tcp: {"built": goodput(runs[f"built/{tcp}"]), "read": goodput(runs[f"read/{tcp}"])}
            for tcp in ("reno", "vegas")
        })
    }

def figures(runs, folder):
    return []
"""

NET = """
duration = "2 s"
[topology]
kind = "dumbbell"
bottleneck = { rate = "1 Mb/s", delay = "10 ms" }
[[flows]]
pair = 1
tcp = "sack"
"""


def test_runs_may_be_scenarios(tmp_path: Path) -> None:
    folder = tmp_path / "studies" / "008_networks"
    folder.mkdir(parents=True)
    for name, text in (("claims.toml", NETWORKS), ("networks.py", NETWORK), ("net.toml", NET)):
        (folder / name).write_text(text)
    study = load_study(folder)
    outcome = run_study(study, tmp_path / "out")
    assert [c.verdict for c in outcome.checked] == [GOOD]
    assert set(outcome.runs["built/vegas"].results.tables) == {"flows"}, "of the others nothing was to be kept"
    seeds = [kept.results.scenario.seed for kept in outcome.runs.replications("built/reno")]
    assert outcome.runs["built/reno"].results.scenario.seed is None and len(seeds) == 1 and seeds[0] is not None
    commands = [command(outcome.runs.run(id)) for id in ("read/vegas", "built/vegas")]
    assert commands[0].endswith("net.toml --set flows.0.tcp=vegas")
    assert commands[1] == "ackclock study run 008 --only built/vegas"

    words = [sys.executable, "-m", "ackclock", "study", "run", "008", "--studies", str(folder.parent)]
    words += ["--only", "built/vegas", "--out", str(tmp_path / "out")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    trace, tables = map(Path, done.stdout.split())
    assert trace.read_text().startswith("+ 0 0 2 tcp 1000") and (tables / "run.json").is_file()


def test_a_scenario_that_cannot_be_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "studies" / "008_networks"
    folder.mkdir(parents=True)
    for name, text in (("claims.toml", NETWORKS), ("networks.py", NETWORK), ("net.toml", NET.replace("10 ms", "10 m"))):
        (folder / name).write_text(text)
    with pytest.raises(StudyError, match=r"net\.toml:5: topology\.bottleneck"):
        run_study(load_study(folder), tmp_path / "out")
