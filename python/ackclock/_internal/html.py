"""Tables as notebooks show them."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape as entities

from ackclock._internal.escape import escaped

#: More rows than this are only counted.
MOST_ROWS = 60


def table(head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1, notes: Sequence[str] = ()) -> str:
    """A table whose first `left` columns are flush left, in a box that scrolls; `notes` stand below it."""
    shown = [_row("th", head, left), *(_row("td", row, left) for row in rows[:MOST_ROWS])]
    if len(rows) > MOST_ROWS:
        notes = [f"and {len(rows) - MOST_ROWS} more rows", *notes]
    below = "".join(f"<p style='margin:0.2em 0;font-size:90%'>{_text(note)}</p>" for note in notes)
    body = "".join(shown[1:])
    return f"<div style='overflow-x:auto'><table><thead>{shown[0]}</thead><tbody>{body}</tbody></table></div>{below}"


def _row(kind: str, cells: Sequence[str], left: int) -> str:
    made = (
        f"<{kind} style='text-align:{'left' if place < left else 'right'}'>{_text(cell)}</{kind}>"
        for place, cell in enumerate(cells)
    )
    return f"<tr>{''.join(made)}</tr>"


def heading(text: str) -> str:
    """A line above a table."""
    return f"<p style='margin:0.4em 0'><strong>{_text(text)}</strong></p>"


def _text(text: str) -> str:
    return entities(escaped(text))
