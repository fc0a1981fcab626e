"""The runs of a sweep on a Dask cluster: several processes or machines, under a scheduler that is there already."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ackclock.batch.store import engine_digest
from ackclock.batch.sweep.grid import Grid
from ackclock.batch.sweep.script import Script
from ackclock.batch.sweep.work import Done, Job, Measure, failed, said, work

#: How long to look for a scheduler, s.
PATIENCE_S = 10


class ClusterError(RuntimeError):
    """A cluster that cannot take part. The message says which part of it, and why."""


@contextlib.contextmanager
def client_of(cluster: Any) -> Iterator[Any]:
    """A client of a cluster: an address, what `distributed.Client` takes, or a client, which stays open.

    `ClusterError` where there is no Dask, or no scheduler at the address.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise ClusterError(f"Dask is not installed ({error}); pip install 'ackclock[dask]' installs it") from None
    if isinstance(cluster, Client):
        with cluster.as_current():
            yield cluster
        return
    try:
        client = Client(cluster, timeout=PATIENCE_S)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TypeError) as error:
        raise ClusterError(f"no Dask scheduler at {cluster}: {said(error)}") from None
    with client:
        yield client


def run_on_cluster(
    client: Any, measure: Measure, grid: Grid, chunks: Iterator[list[Job]]
) -> Iterator[tuple[float, Done]]:
    """Run chunks of jobs on a cluster's workers; of each, how long it took, s, and what came of it.

    A worker that dies has its runs done by another; runs that one worker after the other dies of have failed.
    `ClusterError` for a worker with another version of ackclock, or a scheduler that goes away.
    """
    from cloudpickle import dumps  # type: ignore[import-untyped]
    from distributed import KilledWorker, wait

    if isinstance(grid.base, Script):
        grid = replace(grid, base=replace(grid.base, path=grid.base.path.resolve()))
    waiting: dict[Any, list[Job]] = {}
    while True:
        room = 2 * max(sum(client.ncores().values()), 1)
        for jobs in chunks:
            try:
                content = dumps((grid, jobs, measure))
            except Exception as error:
                raise ClusterError(f"what is measured cannot be sent to the workers: {said(error)}") from None
            waiting[client.submit(_here, engine_digest(), content, pure=False)] = jobs
            if len(waiting) >= room:
                break
        if not waiting:
            return
        ended = wait(list(waiting), return_when="FIRST_COMPLETED").done  # type: ignore[no-untyped-call]
        for future in ended:
            jobs = waiting.pop(future)
            try:
                came = future.result()
            except KilledWorker as error:
                yield 1.0, failed(jobs, said(error))
                continue
            except OSError:
                raise
            except Exception as error:
                raise ClusterError(f"a worker cannot run this: {said(error)}") from None
            if isinstance(came, str):
                raise ClusterError(came)
            yield came


def _here(engine: str, content: bytes) -> tuple[float, Done] | str:
    """On a worker: run what was sent, or say why not."""
    from cloudpickle import loads
    from distributed import get_worker

    if engine_digest() != engine:
        return f"the worker at {get_worker().address} has {engine_digest()}; expected the same as here, {engine}"
    began = time.monotonic()
    grid, jobs, measure = loads(content)
    if isinstance(grid.base, Script):
        script = grid.base
        if not script.path.is_file() or Script(script.path, script.args, script.metrics).sources != script.sources:
            return (
                f"the worker at {get_worker().address} has no such {script.path}, or has other Tcl files in its folder"
            )
    done = work(grid, jobs, measure)
    return time.monotonic() - began, done
