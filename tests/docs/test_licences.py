"""The licences of what ackclock depends on are listed, each in the version that is locked, and allowed."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from list_licences import is_allowed  # noqa: E402


def listed() -> dict[tuple[str, str], str]:
    page = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
    return {
        (name, version): licence
        for name, version, licence in re.findall(r"^\| (\S+) \| (\d\S*) \| (.+) \|$", page, re.M)
    }


def test_all_that_is_locked_is_listed_and_nothing_else() -> None:
    locked = set()
    for name in ("Cargo.lock", "fuzz/Cargo.lock", "crates/quic/Cargo.lock"):
        text = (ROOT / name).read_text(encoding="utf-8")
        locked |= set(re.findall(r'name = "(.+)"\nversion = "(.+)"\nsource = ', text))
    locked |= set(re.findall(r"^([\w.-]+)==([^\s;]+)", (ROOT / "requirements.lock").read_text(encoding="utf-8"), re.M))
    packages = json.loads((ROOT / "web" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    locked |= {(path.rpartition("node_modules/")[2], told["version"]) for path, told in packages.items() if path}
    assert locked == listed().keys(), "python tools/list_licences.py > docs/licences.md"


def test_each_is_allowed() -> None:
    refused = {name: licence for name, licence in listed().items() if not is_allowed(licence)}
    assert listed() and not refused


@pytest.mark.parametrize(
    ("licence", "allowed"),
    [
        ("MIT", True),
        ("MIT OR GPL-3.0", True),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", True),
        ("MIT AND GPL-3.0-only", False),
        ("AGPL-3.0", False),
        ("", False),
    ],
)
def test_what_is_allowed(licence: str, allowed: bool) -> None:
    assert is_allowed(licence) == allowed
