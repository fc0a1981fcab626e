"""What a scenario says of controls of shared libraries: `tcp = "./libmine.so:Mine"` and their parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock.plugins.classes import StoredName
from ackclock.plugins.library import Library, LibraryError, find, is_library, seen_from_here
from ackclock.scenario import defaults as sets
from ackclock.scenario.errors import ScenarioError, nearest

if TYPE_CHECKING:
    from ackclock._native import Agent, ControlLibrary
    from ackclock.scenario.model.scenario import Scenario


@dataclass
class LibraryChoice:
    """A control of a library and the values of its parameters. `library` is `None` where nothing may be loaded."""

    name: str
    library: Library | None
    values: dict[str, float] = field(default_factory=dict)

    def give(self, agent: Agent, flow: str) -> None:
        """Give the agent of the flow with this name the control. `ScenarioError` if the file cannot be used."""
        agent.set_library_control(self._loaded(), list(self.values.items()), flow)

    def _loaded(self) -> ControlLibrary:
        assert self.library is not None
        try:
            return self.library.load()
        except LibraryError as error:
            raise ScenarioError(str(error), key="tcp", value=self.name) from None

    def take(self, name: str, value: bool | int | float | str) -> bool:
        """Takes a parameter if the control has it. `ScenarioError` unless it is a number or a flag."""
        if self.library is None or name not in (known for known, _, _ in self._loaded().parameters):
            return False
        self.values[name] = float(sets.parameter_value("", name, value))
        return True

    def unknown(self, name: str, value: object) -> ScenarioError:
        """The error for a parameter that neither the control nor the sender has."""
        known = [] if self.library is None else [known for known, _, _ in self._loaded().parameters]
        return ScenarioError("unknown parameter", key=f"parameters.{name}", value=value, nearest=nearest(name, known))


def library_choice(tcp: str, *, to_run: bool) -> LibraryChoice | None:
    """The control of a library that a flow's `tcp` names; `None` for other senders. `to_run` false: nothing is loaded.

    `ScenarioError` if it cannot be loaded, and for a name from a stored run whose code was not allowed.
    """
    if not is_library(tcp):
        return None
    if not to_run:
        return LibraryChoice(tcp, None)
    if isinstance(tcp, StoredName):
        expected = (
            "a stored run names this code, so it is not loaded; `ackclock run FOLDER --allow-code` or"
            " ackclock.open(FOLDER, allow_code=True) allows it"
        )
        raise ScenarioError(expected, key="tcp", value=tcp)
    try:
        library = find(tcp)
        library.load()
    except LibraryError as error:
        raise ScenarioError(str(error), key="tcp", value=tcp) from None
    return LibraryChoice(tcp, library)


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


def library_names(scenario: Scenario) -> list[str]:
    """The controls of libraries that a scenario names, each once."""
    return list(dict.fromkeys(flow.tcp for flow in scenario.flows if flow.tcp is not None and is_library(flow.tcp)))


def library_code(scenario: Scenario) -> list[dict[str, str | None]]:
    """The controls of libraries that a scenario runs: `class` (`FILE:NAME`) and `source_sha256`, the file's digest."""
    return [{"class": name, "source_sha256": _sha256(name)} for name in library_names(scenario)]


def _sha256(name: str) -> str:
    try:
        return find(name).sha256()
    except LibraryError as error:
        raise ScenarioError(str(error), key="tcp", value=name) from None
