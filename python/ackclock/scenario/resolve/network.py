"""What a scenario comes to: numbered nodes, one-way links, senders and receivers, instants. Nothing is left open.

`crates/scenario` computes it; here is how Python sees it. `resolve` checks what no single part of a description can:
names, ways between nodes, parameters that the engine knows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock._native import ResolvedNetwork
from ackclock.scenario.resolve.named_code import NamedCode, part_at

# A run needs no more than the numbers: the typed parts are made for those who look at them.
if TYPE_CHECKING:
    from ackclock.scenario.model.scenario import Scenario
    from ackclock.scenario.resolve.view import DirectedLink, Event, ResolvedFlow


class Network:
    """A scenario with nothing left open. `native` builds simulations of it, with the objects of `code`."""

    def __init__(self, native: ResolvedNetwork, code: NamedCode, describe: Callable[[], Scenario]) -> None:
        self.native, self.code, self.describe = native, code, describe

    @cached_property
    def scenario(self) -> Scenario:
        """The description, typed."""
        return self.describe()

    @cached_property
    def nodes(self) -> list[str]:
        """Names of the nodes, by number."""
        return self.native.nodes()

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The nodes' numbers by their names."""
        return {name: number for number, name in enumerate(self.nodes)}

    @cached_property
    def links(self) -> list[DirectedLink]:
        """The links, by number."""
        from ackclock.scenario.resolve.view import DirectedLink, LinkLoss

        parts: dict[str, Any] = {}

        def part(key: str) -> Any:
            if key not in parts:
                parts[key] = part_at(self.scenario, key)
            return parts[key]

        found = []
        for told in self.native.links():
            losses = [LinkLoss(part(key), key, *rest) for key, *rest in told.pop("losses")]
            found.append(DirectedLink(queue=part(told["queue_key"]), losses=losses, **told))
        return found

    @cached_property
    def flows(self) -> list[ResolvedFlow]:
        """The flows, by number."""
        from dataclasses import replace

        from ackclock.scenario import Ftp, Requests
        from ackclock.scenario.resolve.view import ResolvedFlow

        found = []
        for told in self.native.flows():
            described = self.scenario.flows[told.pop("described")]
            response_bytes, app = told.pop("response_bytes"), described.app
            if described.arrivals is not None and isinstance(app, Requests):
                app = replace(app, response=f"{response_bytes} B")
            elif described.arrivals is not None:
                app = Ftp(size=f"{told['packets']} packets")
            found.append(ResolvedFlow(app=app, **told))
        return found

    @cached_property
    def events(self) -> list[Event]:
        """Changes of links, in the order of time."""
        from ackclock.scenario.resolve.view import Event

        return [Event(*told) for told in self.native.events()]

    @property
    def duration_s(self) -> float:
        """How long it lasts, s."""
        return self.native.duration_s

    def link_name(self, number: int) -> str:
        """A link as `a->b`."""
        link = self.links[number]
        return f"{self.nodes[link.source]}->{self.nodes[link.target]}"

    def own_code(self) -> list[dict[str, str | None]]:
        """The user's classes and compiled controls that it runs: `class` and `source_sha256`, as results have them."""
        if not self.code.is_named:
            return []
        from ackclock.scenario.resolve.plugins import own_code

        return own_code(self.scenario)

    def names(self) -> dict[str, list[str]]:
        """Names of flows and links, in the order of their numbers."""
        return {"flows": self.native.flow_names(), "links": self.native.link_names()}


def resolve(scenario: Scenario, *, to_run: bool = True, beside: Path | None = None) -> Network:
    """The network that a scenario describes. `ScenarioError` where it describes none.

    `to_run` false: only to be shown, so no class of the user's own is imported. `beside` is the folder from which its
    modules are imported first.
    """
    code = NamedCode(scenario, beside, to_run=to_run)
    return Network(ResolvedNetwork(scenario, code), code, lambda: scenario)
