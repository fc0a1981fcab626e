"""What the page has and something else has too is the same: colours, keys."""

from __future__ import annotations

import re
from pathlib import Path

from ackclock.analysis.plot import palette

ROOT = Path(__file__).resolve().parents[2]
STYLE = ROOT / "web" / "src" / "app" / "style" / "palette.css"
KEYS = ROOT / "web" / "src" / "model" / "keys.ts"
GUIDE = ROOT / "docs" / "guide" / "view.md"


def colours(selector: str) -> dict[str, str]:
    """Name to colour, of one theme."""
    block = STYLE.read_text(encoding="utf-8").split(f"{selector} {{")[1].split("}")[0]
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))


def test_light_and_dark_are_the_figures() -> None:
    light, dark = colours(":root"), colours(':root[data-theme="dark"]')
    assert light.keys() == dark.keys()
    for name, colour in palette.names().items():
        assert (light[name], dark[name]) == (colour.light, colour.dark), name


def test_the_guide_has_every_key() -> None:
    heard = re.findall(r'shown: "(.+?)", words: "(.+?)"', KEYS.read_text(encoding="utf-8"))
    assert len(heard) > 20
    told = re.findall(r"^\| (.+?) \| (.+?) \|$", GUIDE.read_text(encoding="utf-8").split("## Keys")[1], re.MULTILINE)
    assert [(key.replace("`", ""), words) for key, words in told] == heard
