"""Write the tables of variants in README.md and docs/guide, from the engine's own tables.

    tools/write_tables.py [--check]

A table stands between `<!-- NAME: written by make fmt -->` and `<!-- end -->`. `--check` fails where one differs
from what the engine says.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

from ackclock import _native
from ackclock.scenario import defaults

ROOT = Path(__file__).parent.parent
PAGES = ("README.md", "docs/guide/congestion-controls.md", "docs/guide/queues.md")
BLOCK = re.compile(r"(<!-- (\w+): written by make fmt -->)(\n?)(.*?)(\n?<!-- end -->)", re.DOTALL)


def controls() -> str:
    """Each congestion control of today's TCP: id, what it is, its own parameters."""
    shared = defaults.parameters("tcp")
    lines = ["| `tcp` | control | its `parameters` |", "|---|---|---|"]
    for name, about in _native.congestion_controls("tcp"):
        own = [f"`{parameter}`" for parameter in defaults.parameters(f"tcp_{name}") if parameter not in shared]
        lines.append(f"| `{name}` | {about} | {', '.join(own)} |".replace("|  |", "| |"))
    return "\n".join(lines)


def control_names() -> str:
    """The ids of the congestion controls of today's TCP, in a line."""
    return ", ".join(f"`{name}`" for name, _ in _native.congestion_controls("tcp"))


def queues() -> str:
    """Each queue discipline: id, what it is."""
    rows = [f"| `{name}` | {about} |" for name, about in _native.queue_disciplines()]
    return "\n".join(["| `kind` | discipline |", "|---|---|", *rows])


def tcp() -> str:
    """The parameters of today's TCP that do not depend on the congestion control."""
    rows = defaults.parameters("tcp").items()
    lines = [f"| `{name}` | {known.about} |" for name, known in rows]
    return "\n".join(["| parameter | meaning |", "|---|---|", *lines])


TABLES: dict[str, Callable[[], str]] = {
    "controls": controls,
    "control_names": control_names,
    "queues": queues,
    "tcp": tcp,
}


def written(text: str) -> str:
    """A page with its tables as the engine has them."""
    return BLOCK.sub(lambda found: found[1] + found[3] + TABLES[found[2]]() + found[5], text)


def main() -> int:
    """Write the tables, or compare; the exit status."""
    status = 0
    for name in PAGES:
        path = ROOT / name
        text = path.read_text(encoding="utf-8")
        assert BLOCK.search(text), f"{name} has no table to write"
        if "--check" not in sys.argv:
            path.write_text(written(text), encoding="utf-8")
        elif written(text) != text:
            print(f"{name} is not what the engine's tables say; run `make fmt`", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
