"""The page and the figures have the same colours."""

from __future__ import annotations

import re
from pathlib import Path

from ackclock.plot import palette

STYLE = Path(__file__).resolve().parents[1] / "web" / "src" / "app" / "style" / "palette.css"


def colours(selector: str) -> dict[str, str]:
    """Name to colour, of one theme."""
    block = STYLE.read_text(encoding="utf-8").split(f"{selector} {{")[1].split("}")[0]
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))


def test_light_and_dark() -> None:
    light, dark = colours(":root"), colours(':root[data-theme="dark"]')
    assert light.keys() == dark.keys()
    for name, colour in palette.names().items():
        assert (light[name], dark[name]) == (colour.light, colour.dark), name
