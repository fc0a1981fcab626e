"""Runs that the page asks for: start, follow, cancel, their tables; scenarios in other words."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from ackclock.execution.results import open_results
from ackclock.server.answer import Answer, body
from ackclock.server.choices import choices
from ackclock.server.errors import Refusal
from ackclock.server.files import opened, shown
from ackclock.server.run import Run
from ackclock.server.runs import Runs
from ackclock.trace import read

#: Between two events of a run's progress, s.
EVERY_S = 0.2

#: Units of a table's columns, by how their names end.
UNITS = ("_bps", "_packets", "_bytes", "_s")


def _runs(request: Request) -> Runs:
    runs: Runs = request.app.state.runs
    return runs


def _choices(_: Request) -> Response:
    return Answer(choices())


async def _start(request: Request) -> Response:
    asked = await body(request)
    run, key = await run_in_threadpool(_runs(request).start, asked)
    return Answer({"id": run.id, "key": key, "place": _runs(request).place(run)}, 202)


def _cancel(request: Request) -> Response:
    run = _runs(request).cancel(request.path_params["id"], request.query_params.get("key"))
    return Answer({"id": run.id})


async def _events(request: Request) -> Response:
    run = _runs(request).run(request.path_params["id"])
    headers = {"cache-control": "no-store"}
    told = _told(run, _runs(request))
    return StreamingResponse(told, media_type="text/event-stream", headers=headers)


async def _told(run: Run, runs: Runs) -> AsyncIterator[str]:
    """Server-sent events: the place in the queue while it waits, progress until the end, then done or failed; nothing
    more when the server itself ends.
    """
    while not run.is_over:
        place = runs.place(run)
        if place is not None and not run.has_started:
            yield _event("waiting", {"place": place})
        else:
            yield _event("progress", {"fraction": run.fraction, "simulated_s": run.simulated_s})
        await asyncio.sleep(EVERY_S)
    if runs.catalog.workers.is_closed:
        return
    if run.recording is not None:
        yield _event("done", {"recording": run.recording, "output": run.printed()})
    else:
        key = None if run.refused is None else run.refused.key
        yield _event("failed", {"error": run.failed, "key": key, "stderr": run.said(), "output": run.printed()})


def _event(name: str, data: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"


def _table(request: Request) -> Response:
    run = _runs(request).run(request.path_params["id"])
    if run.recording is None:
        raise Refusal(409, f"run {run.id} has no table: {run.failed or 'it is under way'}")
    rows = _rows(run, _runs(request).catalog.item(run.recording).path)
    columns = list(rows[0]) if rows else []
    units = {name: next((unit[1:] for unit in UNITS if name.endswith(unit)), "") for name in columns}
    units = {name: "bit/s" if unit == "bps" else unit for name, unit in units.items()}
    return Answer({"columns": columns, "units": units, "rows": [list(row.values()) for row in rows]})


def _rows(run: Run, made: Path) -> list[dict[str, Any]]:
    """The flows' table of what a run made. `Refusal` where it cannot be read: a script may have written anything."""
    path = ""
    try:
        if run.kind == "scenario":
            results = open_results(made)
            rows = results.rows("flows")
            for row, name in zip(rows, results.names["flows"], strict=True):
                row["name"] = name
            return rows
        with opened(made) as path:
            flows = read(path, partial=True).stats().flows
            names = flows.column_names()
            return [dict(zip(names, row, strict=True)) for row in zip(*map(flows.column, names), strict=True)]
    except (OSError, ValueError) as error:
        why = str(error).replace(path, shown(made.name)) if path else str(error)
        raise Refusal(422, f"run {run.id} has no table: {why}") from None


async def _text(request: Request) -> Response:
    asked = await body(request)
    return Answer(await run_in_threadpool(_runs(request).texts, asked.get("scenario")))


ROUTES = (
    Route("/api/choices", _choices),
    Route("/api/runs", _start, methods=["POST"]),
    Route("/api/runs/{id}", _cancel, methods=["DELETE"]),
    Route("/api/runs/{id}/events", _events),
    Route("/api/runs/{id}/table", _table),
    Route("/api/scenario/text", _text, methods=["POST"]),
)
