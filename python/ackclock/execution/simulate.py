"""Run a scenario: set up the engine from the description, then run it without Python."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ackclock._internal.atomic_file import atomic_write
from ackclock._native import Channel, InvariantError, Simulation, SimulationError
from ackclock.execution.limits import EVENTS_AT_ONE_TIME
from ackclock.execution.notes import notes
from ackclock.scenario.errors import ScenarioError
from ackclock.scenario.resolve.network import Network, resolve

if TYPE_CHECKING:
    from ackclock.execution.results import Results
    from ackclock.scenario.model.scenario import Scenario


#: files open at a time: systems allow a process 1,024 or fewer
MOST_QLOGS = 200


def run(
    scenario: Scenario,
    *,
    seed: int | str | None = None,
    trace: str | os.PathLike[str] | None = None,
    nam: str | os.PathLike[str] | None = None,
    pcapng: str | os.PathLike[str] | None = None,
    qlog: str | os.PathLike[str] | None = None,
    progress: Callable[[float, float], None] | None = None,
    events_at_one_time: int = EVENTS_AT_ONE_TIME,
) -> Results:
    """Run a `scenario` to its end and return its tables.

    - `seed`: replaces the scenario's; a whole number from 0 to 2**64 - 1 or a text such as "ns2:7".
    - `trace`, `nam`, `pcapng`: files for ns-2's trace, nam's animation, a capture; each gets its name when the run is
      over.
    - `qlog`: a folder, in which each flow of today's TCP gets a file `NAME.sqlog`.
    - `progress`: called now and then with the simulated time and the duration, in seconds.
    - `events_at_one_time`: more events than this at one instant count as an endless loop.

    The interpreter's lock is released while the engine runs, so runs on several threads proceed in parallel.
    User-defined classes take the lock for each call. Raises `TypeError` for what is no `Scenario`, `ScenarioError` for
    a description that cannot be simulated, `OSError` for a trace that cannot be written, and `SimulationError` for a
    run that cannot continue (an exception of the user's own code is its cause). Of the latter are `LimitError`, for an
    endless loop, and `InvariantError`, for a bug of the simulator, which names a file with the description.
    """
    from ackclock.scenario.model.scenario import Scenario

    if not isinstance(scenario, Scenario):
        kind = type(scenario).__name__  # type: ignore[unreachable]
        raise TypeError(f"expected a Scenario, actual {kind}: ackclock.load reads a file, Scenario.of a mapping")
    if seed is not None:
        from dataclasses import replace

        scenario = replace(scenario, seed=seed)
    return run_network(
        network_to_run(scenario),
        trace=trace,
        nam=nam,
        pcapng=pcapng,
        qlog=qlog,
        progress=progress,
        events_at_one_time=events_at_one_time,
    )


def run_network(
    network: Network,
    *,
    trace: str | os.PathLike[str] | None = None,
    nam: str | os.PathLike[str] | None = None,
    pcapng: str | os.PathLike[str] | None = None,
    qlog: str | os.PathLike[str] | None = None,
    progress: Callable[[float, float], None] | None = None,
    events_at_one_time: int = EVENTS_AT_ONE_TIME,
    series: bool = True,
) -> Results:
    """Run a resolved `network` to its end and return its tables, those of samples only with `series`.

    Other arguments and errors are those of `run`.
    """
    engine = Simulation()
    with contextlib.ExitStack() as files:
        ns2_trace, nam_trace, capture = (_channel(engine, path, files) for path in (trace, nam, pcapng))
        qlogs = _qlogs(engine, network, qlog, files)
        network.native.build(engine, trace=ns2_trace, nam=nam_trace, capture=capture, qlogs=qlogs, series=series)
        shown = None if progress is None else lambda now_s, end_s=network.duration_s: progress(now_s, end_s)
        engine.limit_events_at_one_time(events_at_one_time)
        started = StartedRun(engine, network.describe, network.nodes, network.names(), network.own_code())
        said = notes(network)
        del network  # thousands of flows take memory here, too
        results = started.finish(shown)
        results.notes = said()
        return results


def network_to_run(scenario: Scenario) -> Network:
    """The network of a scenario that can be run here. `ScenarioError` if it cannot, or needs endpoints from outside."""
    if scenario.external_nodes:
        raise ScenarioError(
            "packets enter and leave there: `ackclock emulate` runs it, or `ackclock quic`", key="external_nodes"
        )
    return resolve(scenario)


class StartedRun:
    """A run that is set up, before its first event. `describe` gives its description."""

    def __init__(
        self,
        engine: Simulation,
        describe: Callable[[], Scenario],
        nodes: list[str],
        names: dict[str, list[str]],
        own_code: list[dict[str, str | None]],
    ) -> None:
        self.engine, self.describe = engine, describe
        self.nodes, self.names, self.own_code = nodes, names, own_code

    def finish(self, progress: Callable[[float], None] | None = None) -> Results:
        """Run to the end and return the tables. `progress` is called with the simulated time. Raises the errors of
        `run`, `InvariantError` with the command that repeats the run.
        """
        from ackclock.execution.results import Results

        try:
            self.engine.run_scheduled(progress)
        except InvariantError as error:
            raise InvariantError(f"{error}; to see it again: {shown_again(self.describe())}") from error.__cause__
        return Results(self.describe, self.nodes, self.names, dict(self.engine.take_tables()), self.own_code)


def shown_again(scenario: Scenario) -> str:
    """The command that runs a scenario again, from a file that is written here, or where files for a while go."""
    import hashlib
    import tempfile

    from ackclock.scenario.formats.as_toml import text

    description = text(scenario)
    name = f"ackclock-broken-{hashlib.sha256(description.encode()).hexdigest()[:12]}.toml"
    for folder in (Path.cwd(), Path(tempfile.gettempdir())):
        with contextlib.suppress(OSError):
            (folder / name).write_text(description, encoding="utf-8")
            return f"ackclock run {folder / name}"
    return f"ackclock run, with\n{description}"


class CompiledScenario:
    """A scenario that is run under many seeds. What does not depend on the seed is computed once.

    `ScenarioError` for a description that cannot be simulated.
    """

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        network = network_to_run(scenario)
        # Objects of the user's own are made anew for each run.
        self._network = None if network.native.is_drawn or network.code.is_named else network
        if self._network is not None:
            self._network.native.build(Simulation())  # what the engine refuses is told before any run
            self._nodes, self._names = network.nodes, network.names()

    def begin(self, seed: int) -> StartedRun:
        """A run with this `seed`, 0 to 2**64 - 1. `ScenarioError` for values that the engine refuses."""
        scenario, engine = self._scenario.with_seed(seed), Simulation()

        def describe() -> Scenario:
            return scenario

        if self._network is not None:
            self._network.native.build(engine, seed=seed)
            return StartedRun(engine, describe, self._nodes, self._names, [])
        network = resolve(scenario)
        network.native.build(engine)
        return StartedRun(engine, describe, network.nodes, network.names(), network.own_code())


def _channel(engine: Simulation, path: str | os.PathLike[str] | None, files: contextlib.ExitStack) -> Channel | None:
    """A channel to a file that is whole when the files' block ends."""
    if path is None:
        return None
    with Path(files.enter_context(atomic_write(path))).open("wb") as file:
        channel = engine.open_channel(os.dup(file.fileno()))
    files.callback(channel.close)
    return channel


def _qlogs(
    engine: Simulation,
    network: Network,
    folder: str | os.PathLike[str] | None,
    files: contextlib.ExitStack,
) -> list[tuple[int, Channel]]:
    """A flow's number and a channel to its file for each recorded flow. `ScenarioError` for too many, or none."""
    if folder is None:
        return []
    scenario = network.scenario
    numbers = network.native.connections(scenario.record.qlog, "record.qlog")
    if scenario.record.qlog == []:
        raise ScenarioError("expected names of flows; without the key all are recorded", key="record.qlog", value=[])
    if not numbers:
        raise ScenarioError('a qlog is of today\'s TCP, such as tcp = "cubic"; no flow has it', key="record.qlog")
    if len(numbers) > MOST_QLOGS:
        expected = f"expected the names of at most {MOST_QLOGS} flows to record; there are {len(numbers):,}"
        raise ScenarioError(expected, key="record.qlog")
    Path(folder).mkdir(parents=True, exist_ok=True)
    channels, taken, names = [], set(), network.native.flow_names()
    for number in numbers:
        # A flow's name may have letters that a file's may not, or that some file systems change, and be too long.
        name = re.sub(r"[^\w,+-]", "_", names[number], flags=re.ASCII)[:100]
        if name.lower() in taken:
            name = f"{name}.{number + 1}"
        taken.add(name.lower())
        if (channel := _channel(engine, Path(folder) / f"{name}.sqlog", files)) is not None:
            channels.append((number, channel))
    return channels


__all__ = ["CompiledScenario", "ScenarioError", "SimulationError", "run"]
