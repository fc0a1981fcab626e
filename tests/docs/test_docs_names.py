"""The pages about the inside name types and functions that the code has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("packet-path.md", "script-variables.md", "how-it-works.md")

#: What is defined in Rust (`fn`, types, variants, fields), Python (functions, classes, tables) and Tcl (procs).
DEFINITIONS = {
    ".rs": r"\b(?:fn|struct|enum|trait|type|const|macro_rules!)\s+(\w+)"
    r"|^\s+(?:pub(?:\([a-z]+\))?\s+)?([a-z_]\w*):\s|^\s+([A-Z]\w*)\s*[,({]",
    ".py": r"^\s*(?:def|class)\s+(\w+)|^\s*(?:self\.)?(\w+)\s*(?::[^=\n]+)?=|\"(py_\w+)\"",
    ".tcl": r"^\s*proc\s+([\w:]+)",
}
SOURCES = ("crates/derive/src", "crates/engine/src", "crates/python/src", "crates/trace/src", "python/ackclock")


def defined() -> set[str]:
    """Every name that the sources define, the last part of a path."""
    names: set[str] = set()
    for folder in SOURCES:
        for path in (ROOT / folder).rglob("*"):
            pattern = DEFINITIONS.get(path.suffix)
            if pattern:
                for groups in re.findall(pattern, path.read_text(encoding="utf-8"), re.MULTILINE):
                    names.update(part.split("::")[-1] for part in ([groups] if isinstance(groups, str) else groups))
                if path.suffix == ".py":
                    names.add(path.stem)
    return names


def named(text: str) -> set[str]:
    """What a page names: `Type::function`, `Class.method`, `function` in code font, and paths in its diagrams."""
    diagrams = "\n".join(re.findall(r"^```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    found = set(re.findall(r"(?:::)?\b[A-Za-z_]\w*(?:(?:::|\.)[A-Za-z_]\w*)+", diagrams))
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    for code in re.findall(r"`([^`\n]+)`", prose):
        if re.fullmatch(r"(?:::)?[A-Za-z_]\w*(?:(?:::|\.)\w+)*", code) and not re.search(
            r"\.(rs|py|tsv|tcl|md)$", code
        ):
            found.add(code)
    return {name for name in found if not name.endswith(("_", "_.tsv")) and "/" not in name}


#: Code font that names no part of the project: Python's modules, tools, words of scripts.
ELSEWHERE = {
    *("benches", "collections", "contextlib", "functools", "perf", "puts", "re", "resource", "signal", "threading"),
    *("int", "double", "bool", "bandwidth", "time", "unknown", "set", "window", "false", "null"),
    *("KeyError", "RUSTC_WRAPPER", "MADV_POPULATE"),
    "::otcl::py_call",  # its name is put together (`Objects`)
}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_what_the_code_has(page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    names = {name for name in named(text) if name not in ELSEWHERE}
    assert len(names) > 10
    known = defined()
    missing = {name for name in names if {part for part in re.split(r"::|\.", name) if part} - known - {"otcl"}}
    assert missing == set(), f"docs/{page} names what the code does not have: rename it there, too"


def test_a_name_that_is_gone_is_found() -> None:
    text = "`Network::forward` and `Network::wrong_name`\n\n```\n  Link::no_such_thing()\n```\n"
    known = defined()
    parts = {part for name in named(text) for part in name.split("::")}
    assert parts - known == {"wrong_name", "no_such_thing"}
