"""Makes a script that differs as short as it can: fewer statements, with the same kind of difference."""

from __future__ import annotations

from pathlib import Path

from fuzz.wired.compare import Outcome, compare

#: statements with these words stay: without them a run has no network or no end
KEPT = ("new Simulator", "finish", "$ns run")


def reduce(statements: list[str], folder: Path, outcome: Outcome) -> list[str]:
    """The fewest statements found that still differ in the same output: ever smaller runs of them are left out."""
    size = max(len(statements) // 2, 1)
    while True:
        start, has_shrunk = 0, False
        while start < len(statements):
            kept = [line for line in statements[start : start + size] if any(word in line for word in KEPT)]
            fewer = statements[:start] + kept + statements[start + size :]
            if len(fewer) < len(statements) and _is_alike(fewer, folder, outcome):
                statements, has_shrunk = fewer, True
            else:
                start += size
        if size == 1 and not has_shrunk:
            return statements
        size = max(size // 2, 1)


def _is_alike(statements: list[str], folder: Path, outcome: Outcome) -> bool:
    found = compare("\n".join(statements) + "\n", folder)
    kinds = [(one.result, one.end, one.why.split(":")[0]) for one in (found, outcome)]
    return kinds[0] == kinds[1]
