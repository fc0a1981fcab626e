"""What a scenario says of the kernel's own congestion controls: `tcp = "kernel:NAME"` and the module's parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ackclock.kernel.folder import PREFIX, Kernel, KernelError, find, is_kernel
from ackclock.plugins.classes import StoredName
from ackclock.scenario import defaults as sets
from ackclock.scenario.errors import ScenarioError, nearest

if TYPE_CHECKING:
    from ackclock._native import Agent, KernelModule
    from ackclock.scenario.model.scenario import Scenario

#: the sender under which the kernel's controls run
SENDER = "tcp"


@dataclass
class KernelChoice:
    """A compiled control and the values of its module's parameters. `kernel` is `None` where nothing may be loaded."""

    name: str
    kernel: Kernel | None
    values: dict[str, int] = field(default_factory=dict)

    def module(self) -> KernelModule:
        """The loaded file. `ScenarioError` if it cannot be used."""
        assert self.kernel is not None
        try:
            return self.kernel.module()
        except (KernelError, OSError) as error:
            raise ScenarioError(str(error), key="tcp", value=self.name) from None

    def give(self, agent: Agent, flow: str) -> None:
        """Give the agent of the flow with this name the control. `ScenarioError` if the file cannot be used."""
        agent.set_kernel_control(self.module(), list(self.values.items()))

    def take(self, name: str, value: bool | int | float | str) -> bool:
        """Takes a parameter if the module has it. `ScenarioError` unless it is a whole number."""
        if self.kernel is None:
            return False
        if name not in (known for known, _, _ in self.module().parameters):
            return False
        number = sets.parameter_value("", name, value)
        if number != int(number):
            raise ScenarioError("expected a whole number", key=f"parameters.{name}", value=value)
        self.values[name] = int(number)
        return True

    def unknown(self, name: str, value: object) -> ScenarioError:
        """The error for a parameter that neither the module nor the sender has."""
        known = [] if self.kernel is None else [known for known, _, _ in self.module().parameters]
        return ScenarioError("unknown parameter", key=f"parameters.{name}", value=value, nearest=nearest(name, known))


def kernel_choice(tcp: str, *, to_run: bool) -> KernelChoice | None:
    """The control of the kernel that a flow's `tcp` names; `None` for other senders. `to_run` false: nothing is loaded.

    `ScenarioError` if it is not built, and for a name from a stored run whose code was not allowed.
    """
    if not is_kernel(tcp):
        return None
    if not to_run:
        return KernelChoice(tcp, None)
    if isinstance(tcp, StoredName):
        expected = (
            "a stored run names this code, so it is not loaded; `ackclock run FOLDER --allow-code` or"
            " ackclock.open(FOLDER, allow_code=True) allows it"
        )
        raise ScenarioError(expected, key="tcp", value=tcp)
    try:
        return KernelChoice(tcp, find(tcp))
    except KernelError as error:
        raise ScenarioError(str(error), key="tcp", value=tcp) from None


def kernel_names(scenario: Scenario) -> list[str]:
    """The kernel's controls that a scenario names, each once."""
    return list(dict.fromkeys(flow.tcp for flow in scenario.flows if flow.tcp is not None and is_kernel(flow.tcp)))


def kernel_code(scenario: Scenario) -> list[dict[str, str | None]]:
    """The kernel's controls that a scenario runs: `class` (`kernel:NAME`) and `source_sha256`, which is its file's."""
    return [{"class": name, "source_sha256": _sha256(name)} for name in kernel_names(scenario)]


def _sha256(name: str) -> str:
    try:
        return find(name).sha256()
    except (KernelError, OSError) as error:
        raise ScenarioError(str(error), key="tcp", value=name) from None


__all__ = ["PREFIX", "SENDER", "KernelChoice", "kernel_choice", "kernel_code", "kernel_names"]
