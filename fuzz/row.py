"""A line of the table of docs/robustness.md, and the record that the table is written from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from datetime import datetime, timezone
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "robustness.md"
#: The last run of each program: its name, the date, and its row.
RECORD = HERE / "results.tsv"
BEGIN, END = "<!-- written by make fuzz -->\n", "<!-- until here -->\n"
HEAD = "| What | Tried | Crashes | Hangs | Violations | Took | On |\n|---|--:|--:|--:|--:|--:|---|\n"


@dataclass(frozen=True)
class Row:
    """What a program tried and what came of it. It prints `line()` as its last line on standard output."""

    #: what was tried, in words: a sentence of the table
    what: str
    tried: int
    crashes: int
    hangs: int
    violations: int
    seconds: float

    def line(self) -> str:
        """Fields with tabs between them."""
        return "\t".join(str(round(field) if isinstance(field, float) else field) for field in astuple(self))

    @classmethod
    def of(cls, line: str) -> Row:
        """The row that a line says. `ValueError` for another line."""
        what, *numbers = line.rstrip("\n").split("\t")
        tried, crashes, hangs, violations, seconds = map(float, numbers)
        return cls(what, round(tried), round(crashes), round(hangs), round(violations), seconds)

    @classmethod
    def sum(cls, rows: Sequence[Row]) -> Row:
        """The row of shares that ran side by side: as long as the longest."""
        tried, crashes, hangs, violations = (
            sum(column) for column in zip(*(astuple(row)[1:5] for row in rows), strict=True)
        )
        return cls(rows[0].what, tried, crashes, hangs, violations, max(row.seconds for row in rows))

    @property
    def is_good(self) -> bool:
        """Whether nothing gave way."""
        return not (self.crashes or self.hangs or self.violations)


def recorded() -> dict[str, tuple[str, Row]]:
    """Date and row of each program's last run."""
    lines = RECORD.read_text(encoding="utf-8").splitlines() if RECORD.exists() else []
    parts = (line.split("\t", 2) for line in lines)
    return {name: (date, Row.of(row)) for name, date, row in parts}


def record(name: str, row: Row, order: Iterable[str]) -> None:
    """Keep a program's row, and write the table of the page; `order` are all programs."""
    rows = {**recorded(), name: (datetime.now(timezone.utc).strftime("%Y-%m-%d"), row)}
    known = [name for name in order if name in rows]
    RECORD.write_text("".join(f"{name}\t{rows[name][0]}\t{rows[name][1].line()}\n" for name in known), encoding="utf-8")
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def with_table(page: str) -> str:
    """The page with the table of what is recorded."""
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    lines = [_line(row, date) for date, row in recorded().values()]
    return f"{before}{BEGIN}{HEAD}{''.join(lines)}{END}{after}"


def _line(row: Row, date: str) -> str:
    numbers = f"{row.tried:,} | {row.crashes} | {row.hangs} | {row.violations}"
    return f"| {row.what} | {numbers} | {_span(row.seconds)} | {date} |\n"


def _span(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
