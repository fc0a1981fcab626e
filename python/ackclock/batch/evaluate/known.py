"""The suites that come with ackclock."""

from __future__ import annotations

import re
from pathlib import Path


def suites() -> dict[str, Path]:
    """Their files, by their names."""
    return {file.stem: file for file in sorted(Path(__file__).parent.glob("*.toml"))}


def about(file: Path) -> str:
    """The title of a suite's document, which it is, and what it evaluates: lines of the file's head, which is short."""
    head = file.read_text(encoding="utf-8").partition("\n[")[0]
    said = dict(re.findall(r'^(\w+) = "(.*)"$', head, re.MULTILINE))
    return f"{said['title']} ({said['document']}), of a {said['evaluates']}"
