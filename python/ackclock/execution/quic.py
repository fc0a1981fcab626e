"""A QUIC stack over a scenario's network: the program `ackclock-quic` (crates/quic) runs it, in virtual time."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ackclock._native import Table, __version__
from ackclock.execution.results import ExternalFlow, Results
from ackclock.scenario import Scenario, ScenarioError
from ackclock.scenario.formats.as_toml import text
from ackclock.scenario.resolve.network import resolve

#: The program, and how it is built.
PROGRAM = "ackclock-quic"
BUILD = "cargo build --release --manifest-path crates/quic/Cargo.toml"


class QuicError(RuntimeError):
    """A transfer that could not be run: no program, a stack that is unknown, or one that gave up."""


@dataclass(frozen=True)
class Transfer:
    """A transfer to run: data go from node `source` to node `destination`; the client is at the destination, or with
    `upload` at the source. `size_bytes` is None for data until the end, `control` for the stack's default.
    """

    stack: str
    source: str
    destination: str
    upload: bool = False
    size_bytes: int | None = None
    control: str | None = None
    start_s: float = 0.0


@dataclass(frozen=True)
class Course:
    """What came of it: the congestion control, when the client's handshake was over and when the receiver had all data
    (s, None if they were not), bytes read, a digest of all bytes that were sent, and the wall time, s.
    """

    control: str
    connected_s: float | None
    received_s: float | None
    read_bytes: int
    digest: str
    wall_s: float


def find_program() -> Path:
    """The program: in the checkout that the package was imported from, or on PATH. `QuicError` where it is not."""
    checkout = Path(__file__).resolve().parents[3]
    for place in (checkout / "crates" / "quic" / "target", checkout / "target"):
        if (place / "release" / PROGRAM).is_file():
            return place / "release" / PROGRAM
    if (found := shutil.which(PROGRAM)) is not None:
        return Path(found)
    raise QuicError(f"the program {PROGRAM} is not built; build it in a checkout: {BUILD}")


def run_quic(
    scenario: Scenario, transfer: Transfer, *, pcapng: Path | None = None, program: Path | None = None
) -> tuple[Results, Course]:
    """Run a `transfer` in a `scenario`'s network, beside its own flows; the tables of the run, in which the transfer is
    the last flow, and its course.

    - `pcapng`: a file for a capture at the source, with the stack's bytes.
    - `program`: the path of `ackclock-quic`; searched unless given (`find_program`).

    Raises `ScenarioError` for a scenario that cannot be simulated or is not read by the program, `QuicError` for what
    else is wrong, `OSError` if the program cannot be started.
    """
    nodes = resolve(scenario, to_run=False).nodes
    ends = [transfer.source, transfer.destination]
    scenario = replace(scenario, external_nodes=ends)
    taken = {flow.name for flow in scenario.flows}
    name = transfer.stack if transfer.stack not in taken else f"{transfer.stack}-quic"
    request = {
        "scenario": text(scenario),
        "stack": transfer.stack,
        "from": transfer.source,
        "to": transfer.destination,
        "upload": transfer.upload,
        "bytes": transfer.size_bytes,
        "control": transfer.control,
        "start_s": transfer.start_s,
        "name": name,
        "pcapng": None if pcapng is None else str(pcapng),
    }
    answer = _ask(program or find_program(), request)
    tables = {
        name: Table.of_columns([_column(column) for column in columns]) for name, columns in answer["tables"].items()
    }
    names = {"flows": answer["flows"], "links": answer["links"]}
    course = Course(**answer["transfer"])
    results = Results(scenario, nodes, names, tables)
    way = "upload" if transfer.upload else "download"
    about = f"QUIC: {transfer.stack}, {course.control}, {way}"
    results.external_flows = [ExternalFlow(name, transfer.source, transfer.destination, about)]
    return results, course


def _ask(program: Path, request: dict[str, Any]) -> dict[str, Any]:
    """The program's answer. As `run_quic` raises."""
    done = subprocess.run(
        [program, "--request"], input=json.dumps(request), capture_output=True, text=True, check=False
    )
    try:
        answer: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        said = done.stderr.strip().splitlines()
        raise QuicError(f"{program} ended with status {done.returncode}: {said[-1] if said else 'no answer'}") from None
    if "error" in answer:
        key, error = str(answer["key"]), str(answer["error"])
        if key in ("", "pcapng", "stack", "cc", "start", "from", "to"):
            raise QuicError(f"--{key}: {error}" if key not in ("", "stack") else error)
        raise ScenarioError(error, key=key)
    if answer["version"] != __version__:
        raise QuicError(
            f"{program} is of version {answer['version']}, ackclock of {__version__}; build it again: {BUILD}"
        )
    return answer


def _column(column: list[Any]) -> tuple[str, str, list[Any]]:
    """A column of the answer; JSON has no infinity, which stands there as a text."""
    name, kind, values = column
    if kind == "real":
        values = [float(value) if isinstance(value, str) else value for value in values]
    return name, kind, values
