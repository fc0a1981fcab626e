"""What a scenario says of the user's own Python: classes, given or named `module:Class`, and their parameters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock.plugins.classes import Own, OwnError, Parameter, StoredName, digests, find, is_name, name_of, parameters
from ackclock.plugins.control import CongestionControl
from ackclock.plugins.queue import QueueDiscipline
from ackclock.scenario import defaults as sets
from ackclock.scenario.errors import ScenarioError, nearest
from ackclock.scenario.resolve.kernel import kernel_code, kernel_names
from ackclock.scenario.resolve.layout import lay_out, lay_wires
from ackclock.scenario.resolve.library import library_code, library_names

if TYPE_CHECKING:
    from ackclock.scenario.model.scenario import Scenario

Given = str | type[CongestionControl] | type[QueueDiscipline] | None


def import_own(scenario: Scenario, beside: Path) -> None:
    """Import the modules that a scenario's file names, from its folder first. `ScenarioError` where there are none."""
    for index, flow in enumerate(scenario.flows):
        own_control(flow.control, f"flows.{index}.control", beside)
    for link in lay_out(scenario.topology)[1]:
        own_queue(link.queue.kind, f"{link.queue_key}.kind", beside)


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


def code_named(scenario: Scenario) -> list[str]:
    """The names of the user's classes and of compiled controls in a scenario, each once. Nothing is imported."""
    given: list[Given] = [flow.control for flow in scenario.flows]
    given += [link.queue.kind for link in lay_out(scenario.topology)[1]]
    found = (name_of(one) if isinstance(one, type) else one for one in given)
    named = [str(name) for name in found if name is not None and is_name(name)]
    return list(dict.fromkeys([*named, *kernel_names(scenario), *library_names(scenario)]))


def own_code(scenario: Scenario) -> list[dict[str, str | None]]:
    """The user's classes that a scenario runs, each once: `class` (`module:Class`) and `source_sha256`.

    Compiled controls are listed, too, with their names (`kernel:cubic`, `./libmine.so:Mine`).
    """
    found = [own_control(flow.control) for flow in scenario.flows]
    wires = lay_wires(scenario.topology)[1]
    links = {id(link): link for _, _, link, _, _ in wires}.values()
    queues = [queue for link in links for queue in (link.queue, link.reverse.queue if link.reverse else None) if queue]
    found += [own_queue(queue.kind) for queue in queues]
    return [*digests([own.cls for own in found if own]), *kernel_code(scenario), *library_code(scenario)]


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


def own_parameter(own: Own, name: str, value: bool | int | float | str) -> Parameter:
    """A parameter of an own class as its default's type wants it. `ScenarioError` for a wrong one."""
    if name not in own.parameters:
        if not own.is_there:
            return sets.parameter_value("", name, value)
        what = f"{own.cls.__name__} has no such parameter"
        raise ScenarioError(what, key=name, value=value, nearest=nearest(name, own.parameters))
    default, found = own.parameters[name], sets.parameter_value("", name, value)
    if isinstance(default, bool) or isinstance(found, bool):
        if type(default) is not type(found):
            expected = "true or false" if isinstance(default, bool) else "a number"
            raise ScenarioError(f"expected {expected}", key=name, value=value)
        return found
    if isinstance(default, int) and found != int(found):
        raise ScenarioError("expected a whole number", key=name, value=value)
    return type(default)(found)
