"""The code that a description names, for `crates/scenario`: classes of the user's own, compiled controls."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock.scenario.errors import ScenarioError

# Most descriptions name no code: what finds it is imported at the first that does.
if TYPE_CHECKING:
    from ackclock._native import ControlLibrary, KernelModule
    from ackclock.kernel.folder import Kernel
    from ackclock.plugins.classes import Own, Parameter
    from ackclock.plugins.library import Library
    from ackclock.scenario.model.scenario import Scenario

    #: What the crate is told of code: its name, its parameters with their values, whether it was looked at.
    Known = tuple[str, list[tuple[str, Parameter]], bool]

_STORED = (
    "a stored run names this code, so it is not loaded; `ackclock run FOLDER --allow-code` or"
    " ackclock.open(FOLDER, allow_code=True) allows it"
)


class NamedCode:
    """Finds the code that a description names while it is resolved, and makes its objects for a run.

    `scenario` has the classes themselves, where it has any. `beside` is the folder from which modules are imported
    first. `to_run` false: only to be shown, so nothing is imported or loaded.
    """

    def __init__(self, scenario: Scenario | None = None, beside: Path | None = None, *, to_run: bool = True) -> None:
        self._scenario, self._beside, self._to_run = scenario, beside, to_run
        self._own: dict[str, Own] = {}
        #: name and file by key
        self._compiled: dict[str, tuple[str, Kernel | Library]] = {}

    def find(self, origin: str, role: str, name: str, key: str) -> Known:
        """What is known of the code `name` at `key`: from `python`, the `kernel` or a `library`, as `control` or
        `queue`. `ScenarioError` if it is not there, or may not be used.
        """
        from ackclock.scenario.resolve.plugins import own_control, own_queue

        given = self._from_file(origin, name) if self._scenario is None else part_at(self._scenario, key)
        if origin == "python":
            find_own = own_control if role == "control" else own_queue
            own = find_own(given, key, self._beside, to_run=self._to_run)
            assert own is not None
            self._own[key] = own
            return own.cls.__name__, list(own.parameters.items()), own.is_there
        if not self._to_run:
            return name, [], False
        self._compiled[key] = given, _compiled(given, key)
        return name, [(known, default) for known, _, default in self.compiled(key).parameters], True

    def _from_file(self, origin: str, name: str) -> str:
        from ackclock.plugins.library import seen_from_here

        return seen_from_here(name, self._beside) if origin == "library" and self._beside is not None else name

    def make(self, key: str, name: str, seed: str, values: dict[str, Parameter]) -> Any:
        """An object of the class at `key` for the flow or link called `name`, its parameters set to `values`; its
        random numbers follow from `seed`. `ScenarioError` if it cannot be made.
        """
        from ackclock.plugins.classes import OwnError

        own = self._own[key]
        own.parameters = values
        try:
            return own.make(name, seed)
        except OwnError as error:
            raise ScenarioError(str(error)) from error

    def compiled(self, key: str) -> KernelModule | ControlLibrary:
        """The loaded control at `key`. `ScenarioError` if its file cannot be used."""
        from ackclock.kernel.folder import Kernel, KernelError
        from ackclock.plugins.library import LibraryError

        name, file = self._compiled[key]
        try:
            return file.module() if isinstance(file, Kernel) else file.load()
        except (KernelError, LibraryError, OSError) as error:
            raise ScenarioError(str(error), key=key, value=name) from None

    @property
    def is_named(self) -> bool:
        """Whether the description names any."""
        return bool(self._own or self._compiled)

    def made(self) -> list[Any]:
        """The objects that were made so far."""
        return [one for own in self._own.values() for one in own.made]


def _compiled(name: str, key: str) -> Kernel | Library:
    from ackclock.kernel.folder import KernelError, is_kernel
    from ackclock.kernel.folder import find as find_kernel
    from ackclock.plugins.classes import StoredName
    from ackclock.plugins.library import LibraryError
    from ackclock.plugins.library import find as find_library

    if isinstance(name, StoredName):
        raise ScenarioError(_STORED, key=key, value=name)
    try:
        return find_kernel(name) if is_kernel(name) else find_library(name)
    except (KernelError, LibraryError) as error:
        raise ScenarioError(str(error), key=key, value=name) from None


def part_at(part: Any, key: str) -> Any:
    """What stands at a path of a description: `flows.0.control`."""
    for name in key.split("."):
        part = part[int(name)] if isinstance(part, list) else getattr(part, name)
    return part
