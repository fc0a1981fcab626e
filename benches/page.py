"""docs/performance.md, whose tables the programs of this folder write."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "performance.md"


def put(program: str, text: str) -> None:
    """Put a table into the page, in the place of the one that this program has written before."""
    begin, end = f"<!-- written by benches/{program}.py -->", "<!-- end"
    head, found, rest = PAGE.read_text(encoding="utf-8").partition(begin)
    _, closed, tail = rest.partition(end)
    if not (found and closed):
        raise SystemExit(f"{PAGE} has no place between {begin} and {end} ... -->")
    PAGE.write_text(f"{head}{begin}\n\n{text}\n\n{end}{tail}", encoding="utf-8")
