"""How a figure is made for where it is shown: its size, font and style, and whether it has titles."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import matplotlib

from ackclock.analysis.plot.options import PlotError, near
from ackclock.analysis.plot.theme import STYLE


class Size(NamedTuple):
    """A width in inches, text in points, and what heights and lines are multiplied by."""

    width: float
    text: float
    height: float
    line: float


#: A column and a page are those of two-column proceedings (3.33 and 7 inches in ACM's and IEEE's), with text as small
#: as their captions; a slide is 16:9.
SIZES = {
    "screen": Size(7.6, 9.0, 1.0, 1.0),
    "column": Size(3.33, 7.5, 0.72, 0.9),
    "page": Size(7.0, 8.5, 0.85, 1.0),
    "slide": Size(10.0, 16.0, 1.55, 1.9),
}


@dataclass(frozen=True)
class Form:
    """The form of a figure. `PlotError` for a size, font or style that is not known."""

    size: str = "screen"
    #: titles above panels; by default not in a column or on a page, where a caption stands below
    title: bool | None = None
    #: a font's name, or "serif"
    font: str | None = None
    #: a style of matplotlib's, or a file with one (`.mplstyle`)
    style: str | None = None

    def __post_init__(self) -> None:
        if self.size not in SIZES:
            raise PlotError(f"size {self.size}: expected one of {', '.join(SIZES)}{near(self.size, SIZES)}")
        if self.font is not None and self.font not in (*_GENERIC, *_fonts()):
            raise PlotError(
                f"font {self.font}: not installed; expected {', '.join(_GENERIC)} or a font's name"
                f"{near(self.font, _fonts())}"
            )
        if self.style is not None:
            self._styled()

    @property
    def scale(self) -> Size:
        """Width, text and factors."""
        return SIZES[self.size]

    @property
    def has_titles(self) -> bool:
        """Whether panels have titles."""
        return self.size in ("screen", "slide") if self.title is None else self.title

    # Any: the names that rc_context accepts are typed in newer matplotlibs only.
    def settings(self) -> Any:
        """What matplotlib is told."""
        text = self.scale.text
        found: dict[str, Any] = {
            **STYLE,
            "font.size": text,
            "axes.titlesize": text,
            "figure.titlesize": text + 1,
            "legend.fontsize": text,
            "xtick.labelsize": text - 0.5 if self.size == "column" else text,
            "ytick.labelsize": text - 0.5 if self.size == "column" else text,
            "axes.linewidth": 0.7 * self.scale.line,
            "savefig.dpi": 300 if self.size in ("column", "page") else 160,
        }
        if self.style is not None:
            found |= self._styled()
        if self.font is not None:
            found["font.family"] = self.font
        return found

    def _styled(self) -> Mapping[str, Any]:
        from matplotlib import style as styles

        if self.style in styles.library:
            found: Mapping[Any, Any] = styles.library[self.style]
            return dict(found)
        if self.style is not None and os.path.isfile(self.style):
            try:
                read: Mapping[Any, Any] = matplotlib.rc_params_from_file(self.style, use_default_template=False)
                return dict(read)
            except (KeyError, ValueError) as error:
                raise PlotError(f"{self.style}: not a style of matplotlib's: {error}") from None
        known = [name for name in styles.available if not name.startswith("_")]
        raise PlotError(f"style {self.style}: neither a file nor a style of matplotlib's{near(str(self.style), known)}")


_GENERIC = ("serif", "sans-serif", "monospace")


@lru_cache(1)
def _fonts() -> tuple[str, ...]:
    from matplotlib.font_manager import get_font_names

    return tuple(sorted(get_font_names()))


@contextmanager
def in_form(form: Form) -> Iterator[None]:
    """Draw in a form inside a `with`; create the figure there."""
    with matplotlib.rc_context(form.settings()):
        yield
