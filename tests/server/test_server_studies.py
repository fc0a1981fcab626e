"""The studies on the page: words are the paper's, numbers those of `ackclock study run`, runs the study's."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import tomllib
from starlette.testclient import TestClient

from ackclock._internal.checksums import write_sums
from ackclock.batch.study import Verdict, find_study, load_study
from ackclock.server.app import application
from ackclock.server.catalog import Catalog
from test_server_playground import events


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder in which study 004 was run, and what the command printed."""
    folder = tmp_path_factory.mktemp("studies")
    line = [sys.executable, "-m", "ackclock", "study", "run", "004", "--quick"]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=600, check=True)
    return folder, done.stdout


@pytest.fixture
def client(ran: tuple[Path, str]) -> Iterator[TestClient]:
    app = application(Catalog(folder=ran[0]))
    with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        yield client
    app.state.runs.close()
    app.state.catalog.close()


def test_verdicts_are_those_that_the_command_counts(client: TestClient, ran: tuple[Path, str]) -> None:
    studies = {study["id"]: study for study in client.get("/api/studies").json()}
    assert set(studies) == {"000", "001", "002", "003", "004", "005"}
    counted = re.search(r"claims (\d+): reproduced (\d+), contradicted (\d+)", ran[1])
    assert counted is not None
    study = studies["004"]
    assert study["measured"] and study["claims"] == int(counted[1])
    assert study["verdicts"] == {"reproduced": int(counted[2]), "contradicted": int(counted[3])}
    assert not studies["003"]["measured"] and studies["003"]["verdicts"] == {}


def test_our_own_statements_do_not_count_as_the_paper_s(client: TestClient, ran: tuple[Path, str]) -> None:
    (line,) = (study for study in client.get("/api/studies").json() if study["id"] == "004")
    claims = load_study(find_study("004")).claims
    ours = {claim.id for claim in claims if claim.origin == "ours"}
    assert ours and line["claims"] == len(claims) - len(ours) == sum(line["verdicts"].values())
    shown = client.get("/api/studies/004").json()["claims"]
    assert ours <= {claim["id"] for claim in shown}, "shown all the same"


def test_verdicts_are_counted_by_settings_as_the_command_does(client: TestClient, ran: tuple[Path, str]) -> None:
    counts = client.get("/api/studies/004").json()["counts"]
    assert counts["settings"] == ["printed", "inferred", "fitted"]
    shown = {row["verdict"] or "all": row["counts"] for row in counts["rows"]}
    printed = {}
    for word in shown:
        row = re.search(rf"^  {word} +(\d+) +(\d+) +(\d+) +(\d+)$", ran[1], re.MULTILINE)
        assert row is not None, word
        printed[word] = [int(number) for number in row.groups()]
    assert shown == printed and list(shown) == [*(verdict.value for verdict in Verdict), "all"]
    ours = re.search(r"statements of our own, which no paper makes: contradicted (\d+)$", ran[1], re.MULTILINE)
    assert ours is not None and counts["ours"] == {"contradicted": int(ours[1])}
    assert counts["left_out"] == 0
    assert client.get("/api/studies/003").json()["counts"] is None, "what was not run has no verdicts"


def test_what_cannot_be_weighed_is_listed(client: TestClient) -> None:
    lines = {study["id"]: study for study in client.get("/api/studies").json()}
    for id, line in lines.items():
        file = tomllib.loads((find_study(id) / "claims.toml").read_text(encoding="utf-8"))
        shown = client.get(f"/api/studies/{id}").json()["unweighed"]
        assert shown == [{name: one[name] for name in ("place", "words", "reason")} for one in file["unweighed"]]
        assert line["not_weighed"] == len(shown) > 0
        assert sum(line["settings"].values()) == line["claims"]


def test_tables_have_the_paper_s_numbers_and_ours(client: TestClient) -> None:
    study = client.get("/api/studies/004").json()
    printed = study["tables"][0]
    assert (printed["rows"][0], printed["columns"]) == ("SACK 1", ["Src1", "Src2"])
    # All twelve come out to their last digit, as ns-2.35 prints them (claims.toml has the record).
    assert printed["cells"][0][0] == {
        "published": "0.52330800000000588",
        "measured": "0.52330800000000588",
        "verdict": "reproduced",
        "note": "",
        "run": "SACK1",
        "runs": ["SACK1", "SACK2", "SACK3", "VEGAS1", "VEGAS2", "VEGAS3"],
    }
    assert [row[0]["run"] for row in printed["cells"]] == ["SACK1", "SACK2", "SACK3", "VEGAS1", "VEGAS2", "VEGAS3"]
    claims = {claim["id"]: claim for claim in study["claims"]}
    assert claims["sack.growth"]["runs"] == ["SACK1", "SACK3"] and claims["sack.growth"]["verdict"] == "reproduced"
    assert "expected at most 1.5" in claims["sack.growth"]["why"]
    assert claims["sack.growth"]["why"].endswith("Settings inferred.")


def test_a_run_of_a_scenario_tells_it(client: TestClient) -> None:
    runs = {run["id"]: run for run in client.get("/api/studies/002").json()["runs"]}
    id = "q12/II/100/new_reno"
    assert runs[id] == {"id": id, "label": id, "scenario": True}
    told = client.get(f"/api/studies/002/scenarios/{id}").json()["scenario"]
    assert told == client.get("/api/studies/002/scenarios/q12%2FII%2F100%2Fnew_reno").json()["scenario"]
    # Table II of the paper: the rate of the router link, in kbit/s.
    assert told["topology"]["bottleneck"]["rate"] == "100 kb/s" and told["flows"][0]["control"] == "new_reno"
    cells = client.get("/api/studies/002").json()["tables"][0]["cells"]
    assert id in cells[0][0]["runs"] and "q20/II/10000/high_speed" in cells[8][2]["runs"]
    assert not any(run["scenario"] for run in client.get("/api/studies/004").json()["runs"])
    answer = client.get("/api/studies/004/scenarios/SACK1")
    assert answer.status_code == 404 and "of an ns-2 script, sack_vegas.tcl" in answer.json()["error"]


def test_figures_are_the_files(client: TestClient, ran: tuple[Path, str]) -> None:
    figures = client.get("/api/studies/004").json()["figures"]
    assert len(figures) > 2
    for figure in figures:
        answer = client.get(figure["svg"])
        assert answer.headers["content-type"].startswith("image/svg+xml")
        assert answer.content == (ran[0] / "out" / "004_sack_vs_vegas" / "figures" / figure["id"]).read_bytes()


def test_what_was_not_run_is_published_alone(client: TestClient) -> None:
    study = client.get("/api/studies/003").json()
    assert not study["measured"] and study["command"] == "ackclock study run 003"
    cells = [cell for table in study["tables"] for row in table["cells"] for cell in row if cell["published"]]
    assert cells and all(cell["measured"] is None and cell["verdict"] is None for cell in cells)


def test_an_outcome_of_other_claims_counts_as_none(client: TestClient, ran: tuple[Path, str]) -> None:
    file = ran[0] / "out" / "004_sack_vs_vegas" / "outcome.json"
    whole = file.read_text()
    try:
        gone = {"level": "quick", "claims": {"gone": {}}, "figures": [], "comparisons": []}
        no_verdict = {
            "level": "quick",
            "claims": {"sack.growth": {"verdict": "perhaps"}},
            "figures": [],
            "comparisons": [],
        }
        for text in (whole[:500], "[]", json.dumps(gone), json.dumps(no_verdict)):
            file.write_text(text)
            write_sums(file.parent)
            study = client.get("/api/studies/004").json()
            assert not study["measured"] and study["tables"][0]["cells"][0][0]["published"] == "0.52330800000000588"
    finally:
        file.write_text(whole)
        write_sums(file.parent)


def test_a_damaged_outcome_is_an_error_that_names_it(client: TestClient, ran: tuple[Path, str]) -> None:
    file = ran[0] / "out" / "004_sack_vs_vegas" / "outcome.json"
    whole = file.read_bytes()
    try:
        file.write_bytes(bytes([whole[0], whole[1] ^ 1]) + whole[2:])
        answer = client.get("/api/studies/004")
        assert answer.status_code == 409 and f"{file}: damaged" in answer.json()["error"]
        lines = {study["id"]: study for study in client.get("/api/studies").json()}
        assert not lines["004"]["measured"]
    finally:
        file.write_bytes(whole)


def test_a_point_opens_its_run(client: TestClient) -> None:
    id = client.post("/api/studies/004/open", json={"run": "VEGAS2"}).json()["id"]
    name, told = events(client.get(f"/api/runs/{id}/events").text)[-1]
    assert name == "done", told
    path = client.app.state.catalog.item(told["recording"]).path  # type: ignore[attr-defined]
    # The sha256 of the trace as the real ns-2.35 writes it.
    expected = load_study(find_study("004")).traces["VEGAS2", "out_VEGAS2-S1.tr"]
    assert hashlib.sha256(path.read_bytes()).hexdigest() == expected
    assert client.get(f"/api/recordings/{told['recording']}").json()["flows"]


@pytest.mark.parametrize(
    ("method", "path", "says"),
    [
        ("GET", "/api/studies/999", "unknown study '999'"),
        ("GET", "/api/studies/..", "not found: "),
        ("GET", "/api/studies/004/figures/outcome.json", "has no plot"),
        ("GET", "/api/studies/004/figures/..%2f..%2foutcome.json", "not found: "),
        ("POST", "/api/studies/004/open", "has no run '../x'"),
    ],
)
def test_what_is_not_there_is_said(client: TestClient, method: str, path: str, says: str) -> None:
    answer = client.request(method, path, json={"run": "../x"} if method == "POST" else None)
    assert answer.status_code == 404 and says in answer.json()["error"]
