"""The studies for the page: what each paper says, beside what `ackclock study run` has written of it."""

from __future__ import annotations

import json
import stat
from functools import cache
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ackclock._internal.checksums import Checksums
from ackclock.batch.study import (
    OUTCOME,
    SETTINGS,
    Claim,
    Run,
    Study,
    StudyError,
    Table,
    Tally,
    Verdict,
    by_settings,
    find_studies,
    load_study,
    scenario_of,
    tally_of,
)
from ackclock.batch.study.text import expected, settings_words
from ackclock.scenario import ScenarioError
from ackclock.server.answer import Answer, body
from ackclock.server.errors import Refusal
from ackclock.server.files import is_regular, read_regular
from ackclock.server.runs import Runs

#: Kinds of figures.
PICTURES = {".svg": "image/svg+xml", ".png": "image/png"}
#: What `ackclock study run` leaves of a study is smaller.
MOST_BYTES = 64 << 20

#: What is known of a study that was not run.
NOT_RUN: dict[str, Any] = {"level": None, "claims": {}, "figures": [], "comparisons": [], "settings": {}}


class Studies:
    """The studies, and where `ackclock study run` has left what came of them."""

    def __init__(self, out: Path, root: Path | None = None) -> None:
        self.out = out
        self.root = root

    def listed(self) -> list[dict[str, Any]]:
        """A line for each study. `Refusal` where there are none."""
        return [self._line(study, self._readable(study)) for study in map(_loaded_now, self._folders())]

    def study(self, id: str) -> Study:
        """A study by its number. `Refusal` where there is none."""
        for folder in self._folders():
            if folder.name.partition("_")[0] == id:
                return _loaded_now(folder)
        raise Refusal(404, f"unknown study {id!r}")

    def described(self, id: str) -> dict[str, Any]:
        """All of a study."""
        study = self.study(id)
        outcome = self._outcome(study)
        told = outcome["claims"]
        figures = [figure for figure in outcome["figures"] if self._figure(study, figure["file"]) is not None]
        return {
            **self._line(study, outcome),
            "venue": study.paper.venue,
            "command": f"ackclock study run {id}",
            "counts": _counts(_tally(study, told)) if told else None,
            "tables": [_table(study, table, outcome) for table in study.tables],
            "claims": [_claim(study, claim, told.get(claim.id)) for claim in study.claims if not claim.cell],
            "figures": [
                {
                    "id": figure["file"],
                    "title": figure["caption"],
                    "svg": f"/api/studies/{id}/figures/{figure['file']}",
                    "words": figure["caption"],
                    "runs": figure["runs"],
                }
                for figure in figures
            ],
            "comparisons": outcome["comparisons"],
            "unweighed": [{"place": one.place, "words": one.words, "reason": one.reason} for one in study.unweighed],
            "runs": [
                {"id": run.id, "label": run.label, "scenario": run.script is None}
                for run in study.runs
                if run.replication == 0
            ],
        }

    def scenario(self, id: str, run: str) -> dict[str, Any]:
        """The scenario of a run, as a table. `Refusal` for a run of a script."""
        return _scenario(self.run(id, run))

    def figure(self, id: str, name: str) -> Path:
        """A figure's file, if the outcome names it. `Refusal` for any other."""
        study = self.study(id)
        path = self._figure(study, name)
        if path is None or name not in {figure["file"] for figure in self._outcome(study)["figures"]}:
            raise Refusal(404, f"study {id} has no plot {name!r}")
        return path

    def run(self, id: str, run: object) -> Run:
        """A run of a study. `Refusal` where it has none of this id."""
        for known in self.study(id).runs:
            if known.id == run:
                return known
        raise Refusal(404, f"study {id} has no run {run!r}")

    def _folders(self) -> list[Path]:
        try:
            return find_studies(self.root)
        except StudyError as error:
            raise Refusal(404, str(error)) from None

    def _line(self, study: Study, outcome: dict[str, Any]) -> dict[str, Any]:
        # Statements of our own are shown, and do not count as the paper's.
        counts = _tally(study, outcome["claims"])
        settings = by_settings(study.claims)
        paper = study.paper
        return {
            "id": study.id,
            "title": paper.title,
            "authors": paper.authors,
            "year": paper.year,
            "question": paper.question,
            "claims": sum(settings.values()),
            "verdicts": {verdict.value: counts.count(verdict) for verdict in Verdict if counts.count(verdict)},
            "settings": settings,
            "not_weighed": len(study.unweighed),
            "measured": bool(outcome["claims"]),
            "level": outcome["level"],
        }

    def _outcome(self, study: Study) -> dict[str, Any]:
        """What was written of it; nothing where it was not run, or with other claims. `Refusal` for a damaged file."""
        folder = self.out / study.folder.name
        try:
            if wrong := Checksums(folder).problem(OUTCOME):
                raise Refusal(409, f"{folder / OUTCOME}: {wrong}; `ackclock study run {study.id}` makes it again")
            found = json.loads(read_regular(folder / OUTCOME, MOST_BYTES).decode("utf-8"))
            known = {claim.id for claim in study.claims}
            claims = {id: told for id, told in found["claims"].items() if id in known}
            for told in claims.values():
                Verdict(told["verdict"])
            kept = {key: found[key] for key in ("level", "figures", "comparisons")}
            settings = {table: [str(name) for name in names] for table, names in found.get("settings", {}).items()}
            return {**kept, "settings": settings, "claims": claims}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return dict(NOT_RUN)

    def _readable(self, study: Study) -> dict[str, Any]:
        """The same for a list of studies, in which a damaged one counts as not run."""
        try:
            return self._outcome(study)
        except Refusal:
            return dict(NOT_RUN)

    def _figure(self, study: Study, name: str) -> Path | None:
        folder = self.out / study.folder.name / "figures"
        path = folder / name
        if Path(name).name != name or path.suffix not in PICTURES or not is_regular(path):
            return None
        # Not what a link leads out of the folder to.
        return path if path.resolve().is_relative_to(self.out.resolve()) else None


@cache
def _loaded(folder: Path, changed_ns: int) -> Study:
    del changed_ns
    return load_study(folder)


def _loaded_now(folder: Path) -> Study:
    try:
        claims = (folder / "claims.toml").stat()
        if not stat.S_ISREG(claims.st_mode):
            raise StudyError(f"{folder / 'claims.toml'}: not a regular file")
        return _loaded(folder, claims.st_mtime_ns)
    except (StudyError, OSError) as error:
        raise Refusal(500, str(error)) from None


def _tally(study: Study, told: dict[str, Any]) -> Tally:
    """The counts over the claims of which an outcome tells. `ValueError` for a verdict that is none."""
    weighed = [(claim, Verdict(told[claim.id]["verdict"])) for claim in study.claims if claim.id in told]
    return tally_of(weighed, left_out=len(study.claims) - len(weighed), unweighed=len(study.unweighed))


def _counts(found: Tally) -> dict[str, Any]:
    """The paper's claims by verdict and settings, all of them in the last row; then our own statements."""
    return {
        "settings": list(SETTINGS),
        "rows": [{"verdict": verdict and verdict.value, "counts": numbers} for verdict, numbers in found.rows],
        "ours": {verdict.value: number for verdict, number in found.ours.items()},
        "left_out": found.left_out,
    }


def _table(study: Study, table: Table, outcome: dict[str, Any]) -> dict[str, Any]:
    told = outcome["claims"]
    claims = {tuple(claim.cell[1:]): claim for claim in table.claims()}
    return {
        "id": table.id,
        "title": table.title,
        "where": table.where,
        "unit": table.unit,
        "settings": outcome["settings"].get(table.id, []),
        "corner": table.corner,
        "columns": table.columns,
        "rows": table.rows,
        "cells": [
            [_cell(study, claims.get((row, column)), (row, column), told) for column in table.columns]
            for row in table.rows
        ],
    }


def _cell(study: Study, claim: Claim | None, place: tuple[str, str], told: dict[str, Any]) -> dict[str, Any]:
    if claim is None:
        return {"published": None, "measured": None, "verdict": None, "note": "", "run": None, "runs": []}
    found = told.get(claim.id, {})
    # A difference that is not seen in the digits need not be told.
    apart = found.get("difference") or ""
    return {
        "published": claim.published,
        "measured": found.get("measured"),
        "verdict": found.get("verdict"),
        "note": "" if apart == "0" else apart,
        "run": _run_of(study, claim, place),
        "runs": claim.runs,
    }


def _run_of(study: Study, claim: Claim, place: tuple[str, str]) -> str | None:
    """The run that a cell is of: its only one, else the one that is called as its row or column."""
    runs = [run for run in study.runs if run.id in claim.runs or (run.replication == 0 and run.group in claim.runs)]
    if len(runs) == 1:
        return runs[0].id
    return next((run.id for run in runs if {run.id, run.label} & set(place)), None)


def _claim(study: Study, claim: Claim, told: dict[str, Any] | None) -> dict[str, Any]:
    known = {run.id for run in study.runs}
    found = f"{told['measured']} {claim.unit}".strip() + "; " if told is not None else ""
    says = told["says"] if told is not None and told["says"] != told["verdict"] else ""
    why = (f"{claim.quantity}: {found}expected {expected(claim)}", says, claim.why, settings_words(claim).capitalize())
    return {
        "id": claim.id,
        "words": claim.words,
        "where": claim.where,
        "verdict": told and told["verdict"],
        "why": ". ".join(part.rstrip(".") for part in why if part) + ".",
        "runs": [id for id in claim.runs if id in known],
    }


def _scenario(run: Run) -> dict[str, Any]:
    if run.script is not None:
        raise Refusal(404, f"run {run.id!r} is of an ns-2 script, {run.script.name}: it has no scenario")
    try:
        return scenario_of(run).table()
    except (StudyError, ScenarioError) as error:
        raise Refusal(422, str(error)) from None


def _of(request: Request) -> Studies:
    studies: Studies = request.app.state.studies
    return studies


def _list(request: Request) -> Response:
    return Answer(_of(request).listed())


def _study(request: Request) -> Response:
    return Answer(_of(request).described(request.path_params["id"]))


def _figure(request: Request) -> Response:
    path = _of(request).figure(request.path_params["id"], request.path_params["name"])
    try:
        return Response(read_regular(path.resolve(), MOST_BYTES), media_type=PICTURES[path.suffix])
    except OSError as error:
        raise Refusal(404, f"{path.name}: {error.strerror or error}") from None


async def _open(request: Request) -> Response:
    """The run of a point is made again, by the machinery of the playground, and followed as one of its runs."""
    asked = await body(request)
    run = _of(request).run(request.path_params["id"], asked.get("run"))
    runs: Runs | None = request.app.state.runs
    if runs is None:
        raise Refusal(409, "this server runs nothing: `ackclock serve` does")
    started, key = await run_in_threadpool(_start, runs, run)
    return Answer({"id": started.id, "key": key}, 202)


def _start(runs: Runs, run: Run) -> Any:
    if run.script is not None:
        return runs.start_own(run.script, run.args, run.entry.defaults)
    return runs.start({"scenario": _scenario(run)})


async def _scenario_of_run(request: Request) -> Response:
    """In a thread: a study's Python may have to be loaded first."""
    given = request.path_params
    return Answer({"scenario": await run_in_threadpool(_of(request).scenario, given["id"], given["run"])})


ROUTES = (
    Route("/api/studies", _list),
    Route("/api/studies/{id}", _study),
    Route("/api/studies/{id}/figures/{name}", _figure),
    Route("/api/studies/{id}/open", _open, methods=["POST"]),
    Route("/api/studies/{id}/scenarios/{run:path}", _scenario_of_run),
)
