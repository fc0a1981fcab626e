"""What a scenario says of the user's own Python: classes, given or named `module:Class`; and of compiled controls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock.kernel.folder import KernelError, is_kernel
from ackclock.kernel.folder import find as find_kernel
from ackclock.plugins.classes import Own, OwnError, StoredName, digests, find, is_name, name_of, parameters
from ackclock.plugins.control import CongestionControl
from ackclock.plugins.library import LibraryError, is_library, seen_from_here
from ackclock.plugins.library import find as find_library
from ackclock.plugins.queue import QueueDiscipline
from ackclock.scenario.errors import ScenarioError
from ackclock.scenario.model.topology import Chain, Dumbbell, Link, ParkingLot, Queue, Star, Topology

if TYPE_CHECKING:
    from ackclock.scenario.model.scenario import Scenario

Given = str | type[CongestionControl] | type[QueueDiscipline] | None


def _links(topology: Topology) -> Iterator[tuple[str, Link]]:
    """The links that a topology describes, with their keys, in the order in which networks have them."""
    if isinstance(topology, Dumbbell):
        yield from (("access", topology.access), ("bottleneck", topology.bottleneck))
    elif isinstance(topology, ParkingLot):
        yield from (("bottleneck", topology.bottleneck), ("access", topology.access))
    elif isinstance(topology, (Star, Chain)):
        yield "link", topology.link
    else:
        for index, link in enumerate(topology.links):
            yield f"links.{index}", link


def _queues(topology: Topology) -> Iterator[tuple[str, Queue]]:
    """The queues of a topology's links, with the keys of their kinds."""
    for key, link in _links(topology):
        yield f"topology.{key}.queue.kind", link.queue
        if link.reverse is not None and link.reverse.queue is not None:
            yield f"topology.{key}.reverse.queue.kind", link.reverse.queue


def import_own(scenario: Scenario, beside: Path) -> None:
    """Import the modules that a scenario's file names, from its folder first. `ScenarioError` where there are none."""
    for index, flow in enumerate(scenario.flows):
        own_control(flow.control, f"flows.{index}.control", beside)
    for key, queue in _queues(scenario.topology):
        own_queue(queue.kind, key, beside)


def from_disk(part: Any, *, allow_code: bool) -> Any:
    """A stored description as it may be used: a table in which class names are `StoredName` unless code is allowed.

    `ScenarioError` for a recording of deliveries that is a file's name: a run stores the numbers, and opening it reads
    no other file.
    """
    if isinstance(part, dict):
        if isinstance(part.get("deliveries"), str):
            raise ScenarioError("expected a list of numbers", key="deliveries", value=part["deliveries"])
        return {key: from_disk(item, allow_code=allow_code) for key, item in part.items()}
    if isinstance(part, list):
        return [from_disk(item, allow_code=allow_code) for item in part]
    return StoredName(part) if isinstance(part, str) and is_name(part) and not allow_code else part


def with_libraries(part: Any, folder: Path, key: str = "") -> Any:
    """A description, or values of a grid by their keys, in which each `tcp` names libraries as seen from here.

    They are named there as seen from the description's `folder`. `key` is that of the part.
    """
    if isinstance(part, list):
        return [with_libraries(item, folder, key) for item in part]
    if isinstance(part, dict):
        return {name: with_libraries(item, folder, name) for name, item in part.items()}
    is_tcp = key.rpartition(".")[2] == "tcp"
    return seen_from_here(part, folder) if is_tcp and is_library(part) else part


def code_named(scenario: Scenario) -> list[str]:
    """The names of the user's classes and of compiled controls in a scenario, each once. Nothing is imported."""
    given: list[Given] = [flow.control for flow in scenario.flows]
    given += [queue.kind for _, queue in _queues(scenario.topology)]
    found = (name_of(one) if isinstance(one, type) else one for one in given)
    named = [str(name) for name in found if name is not None and is_name(name)]
    return list(dict.fromkeys([*named, *_named(scenario, is_kernel), *_named(scenario, is_library)]))


def own_code(scenario: Scenario) -> list[dict[str, str | None]]:
    """The user's classes that a scenario runs, each once: `class` (`module:Class`) and `source_sha256`.

    Compiled controls are listed, too, with their names (`kernel:cubic`, `./libmine.so:Mine`) and the digests of their
    files.
    """
    found = [own_control(flow.control) for flow in scenario.flows]
    found += [own_queue(queue.kind) for _, queue in _queues(scenario.topology)]
    code = digests([own.cls for own in found if own])
    for name in (*_named(scenario, is_kernel), *_named(scenario, is_library)):
        code.append({"class": name, "source_sha256": _sha256(name)})
    return code


def _named(scenario: Scenario, is_so: Callable[[object], bool]) -> list[str]:
    """The compiled controls of a kind that a scenario names, each once."""
    return list(dict.fromkeys(flow.tcp for flow in scenario.flows if flow.tcp is not None and is_so(flow.tcp)))


def _sha256(name: str) -> str:
    try:
        return (find_kernel(name) if is_kernel(name) else find_library(name)).sha256()
    except (KernelError, LibraryError, OSError) as error:
        raise ScenarioError(str(error), key="tcp", value=name) from None


def own_control(given: Given, key: str = "control", beside: Path | None = None, *, to_run: bool = True) -> Own | None:
    """The class that a flow's `control` is or names; `None` for the engine's. `to_run` false: no module is imported."""
    return _own(given, CongestionControl, key, beside, to_run)


def own_queue(given: Given, key: str = "kind", beside: Path | None = None, *, to_run: bool = True) -> Own | None:
    """The class that a queue's `kind` is or names; `None` for the engine's. `to_run` false: no module is imported."""
    return _own(given, QueueDiscipline, key, beside, to_run)


def _own(given: Given, base: type, key: str, beside: Path | None, to_run: bool) -> Own | None:
    if given is None or (isinstance(given, str) and not is_name(given)):
        return None
    if isinstance(given, str) and not to_run:
        # Its parameters' defaults are in the module, which is not looked at.
        return Own(base, is_there=False)
    try:
        cls = find(given, base, beside) if isinstance(given, str) else given
    except OwnError as error:
        raise ScenarioError(str(error), key=key, value=given) from None
    return Own(cls, parameters(cls))
