"""The matrix as its file has it, and the evaluation suite that it makes of RFC 9743's."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ackclock._native import congestion_controls
from ackclock.batch.evaluate.build import is_there, merge, scenario_table
from ackclock.batch.evaluate.subject import find_subject
from ackclock.batch.evaluate.suite import Condition, Criterion, Replications, Suite, load_suite
from ackclock.scenario import Scenario
from ackclock.scenario.errors import ScenarioError, choose, nearest
from ackclock.scenario.formats.read import line_of, toml
from ackclock.scenario.model.typed import Described
from ackclock.scenario.resolve.network import resolve

#: The file that comes with ackclock.
FILE = Path(__file__).with_name("scoreboard.toml")

#: In which queues a condition is run: in each, or in the suite's own.
QUEUES = ("all", "own")

#: The queue discipline of suites: what a condition's own queue is.
OWN = "drop_tail"

#: Where a scenario's queue under test is.
BOTTLENECK = "topology.bottleneck.queue"

#: Id of the suite that is made.
ID = "scoreboard"


@dataclass(frozen=True, kw_only=True)
class Controls(Described):
    """The rows: all congestion controls of one sender, and why these."""

    sender: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Queue(Described):
    """A queue discipline: its id in scenarios, its heading, the settings besides its defaults, and why it is there."""

    id: str
    title: str
    why: str
    settings: dict[str, Any] = field(default_factory=dict)

    def check(self) -> None:
        """`ScenarioError` for a queue that this build does not have, and for settings of drop-tail's."""
        from ackclock._native import queue_disciplines

        if not is_there(self.id):
            choose(self.id, [name for name, _ in queue_disciplines()], "a queue discipline", "id")
        if self.id == OWN and self.settings:
            raise ScenarioError("expected none: the drop-tail queue is the suite's own", key="settings")


@dataclass(frozen=True, kw_only=True)
class Place(Described):
    """A condition of the suite, in all queues or in its own, and why it is there."""

    id: str
    queues: str
    why: str

    def check(self) -> None:
        """`ScenarioError` for another word of `queues`."""
        choose(self.queues, QUEUES, "in which queues", "queues")


@dataclass(frozen=True, kw_only=True)
class Asked(Described):
    """A criterion of the suite, in these conditions (all of the matrix that the suite has it in, if empty), and why."""

    id: str
    why: str
    conditions: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Matrix(Described):
    """Controls x conditions x queues, and the criteria that judge each.

    `suite` names the suite that conditions and criteria are of, or a file of one beside the matrix.
    """

    suite: str
    title: str
    controls: Controls
    #: runs with different random numbers
    replications: Replications
    queue: list[Queue]
    condition: list[Place]
    criterion: list[Asked]

    def check(self) -> None:
        """`ScenarioError` for an empty list, a duplicate name, and conditions with queues of their own whose column is
        not the first.
        """
        for name in ("queue", "condition", "criterion"):
            ids = [one.id for one in getattr(self, name)]
            if not ids:
                raise ScenarioError("expected at least one", key=name)
            for number, id in enumerate(ids):
                if id in ids[:number]:
                    raise ScenarioError("duplicate name", key=f"{name}.{number}.id", value=id)
        if any(place.queues == "own" for place in self.condition) and self.queue[0].id != OWN:
            expected = f'expected "{OWN}" first: conditions with queues = "own" are in its column'
            raise ScenarioError(expected, key="queue.0.id", value=self.queue[0].id)

    @property
    def rows(self) -> list[str]:
        """The controls, as SENDER/CONTROL: some names alone are also those of ns-2's senders."""
        return [f"{self.controls.sender}/{name}" for name, _ in congestion_controls(self.controls.sender)]

    def queues_of(self, place: Place) -> list[Queue]:
        """The queues in which a condition is run."""
        return self.queue if place.queues == "all" else self.queue[:1]

    def chosen(self, names: Sequence[str], added: Sequence[str] = ()) -> tuple[Matrix, list[str]]:
        """The part of the matrix that these names of controls, criteria, conditions and queues leave, and its rows.

        `added` are rows of the user's. `ScenarioError` for an unknown name, and where nothing is left.
        """
        known = {
            "control": self.rows,
            "criterion": [one.id for one in self.criterion],
            "condition": [one.id for one in self.condition],
            "queue": [one.id for one in self.queue],
        }
        every = [name for some in known.values() for name in some]
        short = {row.partition("/")[2]: row for row in self.rows}
        for name in names:
            if name not in every and name not in short:
                listed = [*short, *every[len(self.rows) :]]
                expected = f"expected a control, criterion, condition or queue of the scoreboard: {', '.join(listed)}"
                raise ScenarioError(expected, key="only", value=name, nearest=nearest(name, listed))
        given = {short.get(name, name) for name in names}
        wanted = {what: [name for name in some if name in given] or some for what, some in known.items()}
        rows = list(dict.fromkeys([*wanted["control"], *added]))
        queues = [one for one in self.queue if one.id in wanted["queue"]]
        first = self.queue[0]
        places = [
            one for one in self.condition if one.id in wanted["condition"] and (one.queues == "all" or first in queues)
        ]
        criteria = [one for one in self.criterion if one.id in wanted["criterion"]]
        return replace(self, queue=queues, condition=places, criterion=criteria), rows

    def derived(self) -> Suite:
        """The suite: each condition with each queue is a condition of it, of the family of the condition's name.

        `ScenarioError` for a condition or criterion that the suite does not have, for a condition with a queue of its
        own that is to be run in all, and where no criterion is judged in any of the conditions.
        """
        suite = load_suite(self.suite)
        known = {one.id: one for one in suite.condition}
        made = []
        for number, place in enumerate(self.condition):
            choose(place.id, known, f"a condition of {suite.id}", f"condition.{number}.id")
            own = _bottleneck(known[place.id].scenario).get("queue")
            if place.queues == "all" and own is not None:
                expected = 'expected queues = "own": this condition sets a queue itself'
                raise ScenarioError(expected, key=f"condition.{number}.queues", value=place.queues)
            kind = _kind(own) or _kind(_bottleneck(suite.scenario).get("queue")) or OWN
            if OWN in [queue.id for queue in self.queues_of(place)] and kind != OWN:
                expected = f"expected a condition with a {OWN} queue; its own is {kind}"
                raise ScenarioError(expected, key=f"condition.{number}.id", value=place.id)
            made += [_with_queue(known[place.id], queue) for queue in self.queues_of(place)]
        criteria = list(self._criteria(suite))
        if not criteria:
            raise ScenarioError("none of these criteria is judged in one of these conditions and queues", key="only")
        used = {name for one in criteria for name in one.traffics}
        return replace(
            suite,
            id=ID,
            condition=made,
            traffic=[one for one in suite.traffic if one.id in used],
            criterion=criteria,
            plot=[],
            graph={},
            replications=self.replications,
            sender=self.controls.sender,
        )

    def check_queues(self, suite: Suite) -> None:
        """`ScenarioError` for settings that a queue refuses, in the first scenario of the derived `suite` that has it.

        Without it, each of its runs would fail.
        """
        who = find_subject(self.rows[0])
        for number, queue in enumerate(self.queue):
            for condition in suite.condition:
                first = next((one for one in suite.criterion if condition.id in one.conditions), None)
                if condition.needs != queue.id or first is None:
                    continue
                traffic = suite.named_traffic(first.traffics[0])
                try:
                    table = scenario_table(suite, condition, traffic, who, who, quick=True)
                    resolve(Scenario.of(table), to_run=False)
                except ScenarioError as error:
                    if not error.key.startswith(BOTTLENECK):
                        raise
                    key = f"queue.{number}.settings{error.key.removeprefix(BOTTLENECK)}"
                    expected, near = error.expected, error.nearest
                    raise ScenarioError(expected, key=key, value=error.value, nearest=near) from None
                break

    def _criteria(self, suite: Suite) -> Iterator[Criterion]:
        known = {one.id: one for one in suite.criterion}
        here = [one.id for one in self.condition]
        for number, asked in enumerate(self.criterion):
            choose(asked.id, known, f"a criterion of {suite.id}", f"criterion.{number}.id")
            one = known[asked.id]
            if one.rule == "reported" or one.unevaluated:
                raise ScenarioError("expected a criterion that is judged", key=f"criterion.{number}.id", value=asked.id)
            wanted = asked.conditions or one.conditions
            for place, name in enumerate(asked.conditions):
                choose(name, one.conditions, f"a condition of {asked.id}", f"criterion.{number}.conditions.{place}")
            places = [name for name in here if name in wanted]
            if places:
                yield replace(one, conditions=places, quick=[])


def load_matrix(file: str | os.PathLike[str] = FILE) -> Matrix:
    """The matrix in a file. `ScenarioError` with file and line for an error in it, `OSError` if it cannot be read."""
    text, table = toml(Path(file))
    try:
        matrix = Matrix.of(table)
        if matrix.suite.endswith(".toml"):  # a user-defined suite lies beside it
            matrix = replace(matrix, suite=str(Path(file).parent / matrix.suite))
        matrix.check_queues(matrix.derived())
        return matrix
    except ScenarioError as error:
        raise error.at(Path(file), line_of(text, error.key)) from None


def _with_queue(condition: Condition, queue: Queue) -> Condition:
    """A condition with a queue at its bottleneck; drop-tail is the suite's own and leaves it as it is."""
    scenario = copy.deepcopy(condition.scenario)
    if queue.id != OWN:
        merge(scenario, {"topology": {"bottleneck": {"queue": {"kind": queue.id, **queue.settings}}}})
    return replace(
        condition,
        id=f"{condition.id}_{queue.id}",
        title=f"{condition.title}, {queue.title}",
        family=condition.id,
        scenario=scenario,
        values={**condition.values, "queue": queue.id, "place": condition.title},
        needs=queue.id,
    )


def _bottleneck(scenario: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = scenario.get("topology", {}).get("bottleneck", {})
    return found


def _kind(queue: Any) -> str:
    """The discipline that a queue of a suite's names; "" where it has the default."""
    return queue if isinstance(queue, str) else str((queue or {}).get("kind", ""))
