"""Tables on a terminal: no wider than it is, their headings bold. Elsewhere they are whole and plain."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from ackclock._internal.escape import escaped


def is_coloured(stream: object = None) -> bool:
    """Whether a stream, or standard output, is a terminal that takes colours (https://no-color.org)."""
    out = sys.stdout if stream is None else stream
    is_terminal = bool(getattr(out, "isatty", lambda: False)())
    return is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def show_table(head: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1, least: Sequence[str] = ()) -> None:
    """Print a table whose first `left` columns are names.

    Where a terminal is too narrow, the columns in `least` are left out first, in their order, and named below; what is
    still too wide goes on in a second table with the same names.
    """
    width = _width()
    kept = list(range(len(head)))
    left_out = []
    lines = [[_one_line(cell) for cell in row] for row in (head, *rows)]
    widths = [max(len(line[column]) for line in lines) for column in kept]
    for name in least:
        if width is None or _total(widths, kept) <= width:
            break
        if name in head:
            kept.remove(list(head).index(name))
            left_out.append(name)
    parts = [kept] if width is None else _parts(widths, kept, left, width)
    for number, part in enumerate(parts):
        if number:
            print()
        for place, line in enumerate(lines):
            cells = [
                line[column].ljust(widths[column]) if column < left else line[column].rjust(widths[column])
                for column in part
            ]
            text = "  ".join(cells).rstrip()
            print(f"\x1b[1m{text}\x1b[0m" if place == 0 and is_coloured() else text)
    if left_out:
        note = f"(the terminal is too narrow for {', '.join(left_out)}; --json has all)"
        print(f"\x1b[2m{note}\x1b[0m" if is_coloured() else note)


def _one_line(cell: str) -> str:
    return escaped(cell)


def _width() -> int | None:
    """Columns of the terminal that standard output is; None for no terminal."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns if sys.stdout.isatty() else None
    except (ValueError, OSError, AttributeError):
        return None


def _total(widths: Sequence[int], columns: Sequence[int]) -> int:
    return sum(widths[column] for column in columns) + 2 * (len(columns) - 1)


def _parts(widths: Sequence[int], kept: Sequence[int], left: int, width: int) -> list[list[int]]:
    """Columns in as many tables as it takes, the names in each."""
    names = [column for column in kept if column < left]
    parts = [list(names)]
    for column in kept[len(names) :]:
        if len(parts[-1]) > len(names) and _total(widths, [*parts[-1], column]) > width:
            parts.append(list(names))
        parts[-1].append(column)
    return parts
