"""The colours of all plots, on white and on a dark page.

Chosen so that any two differ for people who see all colours and for those who lack one kind of cone (protanopia,
deuteranopia, tritanopia, by the matrices of Machado, Oliveira and Fernandes, "A Physiologically-based Model for
Simulation of Color Vision Deficiency", 2009); the first two differ by lightness alone, for prints without colour.
"""

from __future__ import annotations

from typing import NamedTuple


class Colour(NamedTuple):
    """One colour, for a light page and for a dark one."""

    light: str
    dark: str


INK = Colour("#1c2126", "#e4e8ec")
#: what is no data: limits, remarks
SOFT = Colour("#68727c", "#98a2ac")
GRID = Colour("#e3e6e9", "#31383f")
PAPER = Colour("#ffffff", "#15191d")
#: losses, which no flow's colour is
LOSS = Colour("#c8102e", "#ff6b6b")

#: of the first, second, ... flow, link or run; after the last the first again, with another dash
SERIES = (
    Colour("#0b3c5d", "#4f9fe6"),
    Colour("#d17a22", "#f2a65a"),
    Colour("#00a286", "#9af0d6"),
    Colour("#9900e6", "#c05cf0"),
    Colour("#591e00", "#ad6a4a"),
)


def names() -> dict[str, Colour]:
    """Every colour with the name that it has in a page's style."""
    named = {"ink": INK, "soft": SOFT, "grid": GRID, "paper": PAPER, "loss": LOSS}
    return named | {f"series-{number}": colour for number, colour in enumerate(SERIES, 1)}
