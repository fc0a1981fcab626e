"""ns-2 scripts in a sweep: their arguments, and the metrics that they print."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ackclock.batch.store import digest_of
from ackclock.scenario import ScenarioError
from ackclock.scenario.errors import nearest
from ackclock.scenario.model.constants import NS2_SEEDS


@dataclass(frozen=True)
class Script:
    """An ns-2 script, the pattern of its arguments, and the metrics in its output.

    `path` is the script. `args` have the varied names in braces, and `{seed}`: `["{tcp}", "{buffer}", "{seed}"]`.
    `metrics` have a name and a regular expression each, whose first group is the number.
    """

    path: Path
    args: tuple[str, ...]
    metrics: Mapping[str, str]

    @classmethod
    def of(cls, table: Mapping[str, Any], folder: Path) -> Script:
        """Read a grid file's `table`; paths are relative to `folder`. `ScenarioError` for wrong keys or values."""
        path = (folder / table["script"]).resolve()
        if not path.is_file():
            raise ScenarioError("no such script", key="script", value=table["script"])
        metrics = table.get("metrics", {})
        if not isinstance(metrics, Mapping) or not metrics:
            expected = 'expected a table of patterns of what the script prints: goodput = "goodput (\\\\S+)"'
            raise ScenarioError(expected, key="metrics")
        for name, pattern in metrics.items():
            try:
                groups = re.compile(pattern).groups
            except re.error as error:
                raise ScenarioError(f"no regular expression: {error}", key=f"metrics.{name}", value=pattern) from None
            if groups < 1:
                raise ScenarioError("expected a group, (...), around the number", key=f"metrics.{name}", value=pattern)
        return cls(path, tuple(str(word) for word in table.get("args", [])), dict(metrics))

    @cached_property
    def sources(self) -> dict[str, str]:
        """The sha256 of the script and of all Tcl beside it, which it may read, by name."""
        return {file.name: digest_of(file) for file in {self.path, *self.path.parent.glob("*.tcl")}}

    def names(self) -> set[str]:
        """The names in braces in the arguments."""
        parts = (string.Formatter().parse(word) for word in self.args)
        return {name for word in parts for _, name, _, _ in word if name}

    def check(self, settings: Mapping[str, Any]) -> None:
        """`ScenarioError` for one of the `settings` that no argument uses."""
        known = self.names()
        for name in settings:
            if name not in known:
                listed = ", ".join(sorted(known)) or "none"
                near = nearest(name, known)
                raise ScenarioError(f"unknown argument {{{name}}}; expected one of {listed}", key=name, nearest=near)

    def words(self, settings: Mapping[str, Any], seed: int) -> list[str]:
        """The arguments of a run with these `settings` and this `seed`. `ScenarioError` for braces without a value.

        ns-2 takes seeds from 1 to 2**31 - 1, so `{seed}` is the run's seed modulo 2**31 - 1, plus 1.
        """
        try:
            return [word.format(**settings, seed=seed % (NS2_SEEDS - 1) + 1) for word in self.args]
        except KeyError as error:
            raise ScenarioError(f"nothing is given for {{{error.args[0]}}}", key="args") from None

    def read(self, printed: str) -> dict[str, float]:
        """The metrics in what a run `printed`. `ScenarioError` for one that is missing or no number (its cause is a
        `ValueError`).
        """
        found = {}
        for name, pattern in self.metrics.items():
            match = re.search(pattern, printed, re.MULTILINE)
            try:
                if match is None:
                    raise ValueError("not printed")
                found[name] = float(match[1])
            except ValueError as error:
                raise ScenarioError(f"the script's output has no such number: {error}", key=f"metrics.{name}") from None
        return found
