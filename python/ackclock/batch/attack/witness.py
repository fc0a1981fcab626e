"""A witness: the smallest network found in which a property fails, as a scenario file that says so."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import tomli_w

from ackclock._internal.atomic_file import atomic_write
from ackclock.batch.attack.properties import Property
from ackclock.batch.attack.space import Candidate, Table

WIDTH = 118


@dataclass(frozen=True)
class Witness:
    """A network in which `subject` fails `asked`, and what others do there.

    `figure` is the subject's, None where its run crashed; `others` are the figures of standard controls in its place,
    and `text` is the scenario file. `confirmed` is what the kernel's control did there, if it was asked.
    """

    subject: str
    asked: Property
    candidate: Candidate
    figure: float | None
    crash: str | None
    others: Mapping[str, float | None]
    table: Table
    confirmed: str = ""

    @property
    def features(self) -> frozenset[str]:
        """What the network needs besides the path for the failure."""
        return frozenset(self.candidate.features) - {"path"}

    @property
    def text(self) -> str:
        """The scenario file, with what it shows in its first lines."""
        side = "below" if self.asked.fails_below else "above"
        if self.crash is not None:
            said = [f"{self.subject} crashes: {self.crash}"]
        else:
            said = [
                f"{self.asked.name} of {self.subject}: {shown(self.figure)}, {side} the bound {self.asked.bound:g}",
                f"({self.asked.about}).",
            ]
        beside = ", ".join(f"{name} {shown(figure)}" for name, figure in self.others.items())
        if beside:
            said.append(f"In the same network: {beside}.")
        if self.confirmed:
            said.append(self.confirmed)
        head = [f"# {line}" for part in [" ".join(said)] for line in textwrap.wrap(part, WIDTH - 2)]
        return "\n".join(head) + "\n\n" + short_toml(self.table)

    def save(self, path: Path) -> None:
        """Write the scenario file; it appears whole or not at all. `OSError` where it cannot be written."""
        with atomic_write(path) as part, open(part, "w", encoding="utf-8") as file:
            file.write(self.text)


def shown(figure: float | None) -> str:
    """A figure in three digits; `none` where the network says nothing."""
    return "none" if figure is None else f"{figure:.3g}"


def short_toml(table: Table) -> str:
    """A table as TOML, with the network's tables on lines of their own, and lists wrapped to the width."""
    plain = {key: value for key, value in table.items() if not isinstance(value, (dict, list))}
    lines = [tomli_w.dumps(plain).strip()]
    if changes := table.get("changes"):
        lines.append("changes = [\n" + _wrapped(changes) + "]")
    for key, value in table.items():
        if key == "changes":
            continue
        if isinstance(value, dict):
            lines.append(f"\n[{key}]\n" + "\n".join(f"{name} = {_inline(inner)}" for name, inner in value.items()))
        elif isinstance(value, list):
            for entry in value:
                lines.append(
                    f"\n[[{key}]]\n" + "\n".join(f"{name} = {_inline(inner)}" for name, inner in entry.items())
                )
    return "\n".join(lines) + "\n"


def _inline(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {_inline(inner)}" for name, inner in value.items()) + " }" if value else "{}"
    if isinstance(value, list):
        inside = ", ".join(_inline(inner) for inner in value)
        return f"[{inside}]" if len(inside) < WIDTH else "[\n" + _wrapped(value) + "]"
    return re.sub(r"^x = |\n$", "", tomli_w.dumps({"x": value}))


def _wrapped(values: list[object]) -> str:
    lines, line = [], "   "
    for value in values:
        item = f" {_inline(value)},"
        if len(line) + len(item) > WIDTH:
            lines.append(line)
            line = "   "
        line += item
    return "\n".join([*lines, line]) + "\n"
