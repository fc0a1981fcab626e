"""What all reports share: templates, figures inside the page, and a file that appears whole or not at all.

`templates/page.html` is the frame, `templates/parts.html` has tables and figures, `templates/page.css` the style.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from ackclock._internal.atomic_file import atomic_write
from ackclock._internal.escape import escaped
from ackclock.analysis.plot import palette


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    #: its heading
    title: str
    #: the unit of its numbers
    unit: str = ""
    #: whether its cells are numbers, aligned to the right
    number: bool = False
    #: whether its cells are names that must not be broken over lines
    name: bool = False


@dataclass(frozen=True)
class Table:
    """A table with a caption. The first cell of each row is the row's heading."""

    #: the sentence above the table
    caption: str
    #: its columns
    columns: Sequence[Column]
    #: cells by row: texts, which are escaped, or `Markup`
    rows: Sequence[Sequence[str]]


def render(template: str, values: Mapping[str, object]) -> str:
    """A page from a `template` of this package and its `values` by name. A missing value is an error."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["zip"] = zip
    text = environment.get_template(template).render(colours=palette.names(), **values)
    # Names in it are others': none may turn the page's writing round, or be what no file can hold.
    return escaped(text if text.endswith("\n") else f"{text}\n", lines=True)


def write(text: str, path: Path) -> Path:
    """Write the page `text` to `path` and return its absolute path. It appears complete or not at all; its folder is
    created.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as part:
        Path(part).write_text(text, encoding="utf-8")
    return path.resolve()


def png(data: bytes, about: str) -> Markup:
    """A PNG, the bytes `data`, as part of the page; `about` is its description for screen readers."""
    text = base64.b64encode(data).decode("ascii")
    return Markup('<img src="data:image/png;base64,{}" alt="{}">').format(text, about)


def svg(text: str, about: str, id: str) -> Markup:
    """An SVG `text` that matplotlib wrote, as part of the page.

    `about` is its description for screen readers. `id` must be unique on the page: the SVG's own ids get it as a
    prefix, so that those of two plots do not collide. The colours become the page's, so that it is dark on a dark page.
    `ValueError` for a text that is no SVG.
    """
    found = re.search(r"<svg[^>]*>", text)
    if found is None:
        raise ValueError(f"expected an SVG, not {text[:40]!r}")
    box = re.search(r'viewBox="[^"]*"', found[0])
    body = re.sub(r"<metadata>.*?</metadata>", "", text[found.end() :], flags=re.DOTALL)
    body = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{id}-", body)
    for name, colour in palette.names().items():
        body = body.replace(colour.light, f"var(--{name})")
    # A hundredth of a point is less than any eye sees, and a third of the page.
    body = re.sub(r' (?:d|x|y)="[^"]*"', lambda match: re.sub(r"(\.\d\d)\d+", r"\1", match[0]), body)
    # HTML knows the two names of SVG's own links without their namespaces.
    body = body.replace("xlink:href", "href")
    head = Markup('<svg role="img" aria-label="{}" {}>').format(about, Markup(box[0] if box else ""))
    return head + Markup(body)


__all__ = ["Column", "Markup", "Table", "escape", "png", "render", "svg", "write"]
