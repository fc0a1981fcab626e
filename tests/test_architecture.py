"""Every import in Rust, Python and TypeScript has its arrow in ARCHITECTURE.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
ENGINE = ROOT / "crates" / "engine" / "src"
PACKAGE = ROOT / "python" / "ackclock"
WEB = ROOT / "web" / "src"

#: Folders of variants, whose files do not import one another.
VARIANTS = ("app", "cc", "queue", "recovery")

#: What stands among the variants and is shared by them.
SHARED = {"slow_start", "flow_queues"}


def arrows(heading: str) -> dict[str, set[str] | None]:
    """Room to the rooms it may import, from the page's table; None where it may import all."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    table: dict[str, set[str] | None] = {}
    for left, right in re.findall(r"^\| `(\w+)` \|(.*)\|$", section, re.MULTILINE):
        table[left] = None if right.strip() == "everything" else set(re.findall(r"`(\w+)`", right))
    assert table, heading
    return table


def without_arrow(found: Iterator[tuple[str, str, str]], table: dict[str, set[str] | None]) -> list[str]:
    """The imports (where, room, imported) that the table does not allow."""
    wrong = []
    for where, room, imported in found:
        allowed = table.get(room, set())
        if imported != room and allowed is not None and imported not in allowed:
            wrong.append(f"{where}: {room} -> {imported}")
    return wrong


def rust_code(path: Path) -> str:
    """A Rust file without comments, and without its unit tests, which may use what they like."""
    text = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
    return text.split("#[cfg(test)]")[0]


def used_modules(code: str) -> set[str]:
    """First names after `crate::`, in paths and in grouped imports."""
    used = set(re.findall(r"\bcrate::(\w+)", code))
    for group in re.findall(r"\bcrate::\{([^;]*)\};", code):
        used |= {part.strip().split("::")[0] for part in re.split(r",(?![^{]*\})", group)}
    return used - {""}


def engine_uses() -> Iterator[tuple[str, str, str]]:
    for path in sorted(ENGINE.rglob("*.rs")):
        module = path.relative_to(ENGINE).parts[0].removesuffix(".rs")
        if module != "lib":
            for used in sorted(used_modules(rust_code(path))):
                yield str(path.relative_to(ROOT)), module, used


def python_imports(path: Path, package: str) -> set[str]:
    """Rooms of ackclock that a file imports, wherever in it the import stands."""
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) + 1 - node.level]
            stem = ".".join([*base, *filter(None, [node.module])]) if node.level else node.module
            # `from ackclock import study` is an import of a room, of `run_ns2` one of ackclock.
            names = [f"{stem}.{alias.name}" for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "ackclock":
                rooms.add(parts[1] if len(parts) > 1 and is_room(parts[1]) else "ackclock")
    return rooms


def is_room(name: str) -> bool:
    return name == "_native" or (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file()


def package_imports() -> Iterator[tuple[str, str, str]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).parts
        room = "ackclock" if parts == ("__init__.py",) else parts[0].removesuffix(".py")
        package = ".".join(("ackclock", *parts[:-1]))
        for imported in sorted(python_imports(path, package)):
            yield str(path.relative_to(ROOT)), room, imported
    for path in sorted((ROOT / "studies").rglob("*.py")):
        for imported in sorted(python_imports(path, "")):
            yield str(path.relative_to(ROOT)), "studies", imported


def crate_dependencies() -> Iterator[tuple[str, str, str]]:
    for manifest in sorted((ROOT / "crates").glob("*/Cargo.toml")):
        for name in re.findall(r'path = "\.\./(\w+)"', manifest.read_text(encoding="utf-8")):
            yield str(manifest.relative_to(ROOT)), manifest.parent.name, name


def page_imports() -> Iterator[tuple[str, str, str]]:
    for path in sorted(WEB.rglob("*.ts")):
        room, *below = path.relative_to(WEB).parts
        for named in re.findall(
            r'^import .*?"(\.[^"]+)";$', path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
        ):
            imported = (path.parent / named).resolve().relative_to(WEB).parts[0]
            assert below, f"{path} is in no room"
            yield str(path.relative_to(ROOT)), room, imported


def test_crates() -> None:
    assert without_arrow(crate_dependencies(), arrows("Arrows between crates")) == []


def test_engine() -> None:
    assert without_arrow(engine_uses(), arrows("Arrows inside the engine")) == []


def test_python() -> None:
    assert without_arrow(package_imports(), arrows("Arrows between Python's rooms")) == []


def test_page() -> None:
    table = arrows("Arrows inside the page")
    assert without_arrow(page_imports(), table) == []
    assert {path.name for path in WEB.iterdir()} == table.keys()
    assert ("web/src/draw/stage.ts", "draw", "model") in set(page_imports())


def imports_between_variants() -> list[str]:
    """Files of variants that import a variant beside theirs. A folder is one variant."""
    found = []
    for folder in VARIANTS:
        own = {path: path.relative_to(ENGINE / folder).parts for path in sorted((ENGINE / folder).rglob("*.rs"))}
        names = {parts[0].removesuffix(".rs") for parts in own.values()} - {"mod"}
        for path, parts in own.items():
            variant = parts[0].removesuffix(".rs")
            if variant == "mod":
                continue
            beside = rf"crate::{folder}" if len(parts) > 1 else rf"(?:super|crate::{folder})"
            for name in re.findall(rf"\b{beside}::(\w+)", rust_code(path)):
                if name in names - SHARED and name != variant:
                    found.append(f"{path.relative_to(ROOT)} -> {name}")
    return found


def test_variants_do_not_import_each_other() -> None:
    assert imports_between_variants() == []


def test_every_room_is_on_the_page() -> None:
    modules = {path.stem for path in ENGINE.iterdir() if path.suffix == ".rs" or any(path.iterdir())}
    assert modules - {"lib"} <= arrows("Arrows inside the engine").keys()
    crates = {path.parent.name for path in (ROOT / "crates").glob("*/Cargo.toml")}
    assert crates <= arrows("Arrows between crates").keys()
    rooms = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()}
    named = arrows("Arrows between Python's rooms").keys()
    assert rooms - {"__init__", "__pycache__"} <= named


def test_engine_is_pure() -> None:
    forbidden = r"std::(fs|env|net|process|thread|io::std\w+)|\be?print(ln)?!|Instant::now|SystemTime"
    wrong = [
        f"{path.relative_to(ROOT)}: {match}"
        for path in sorted(ENGINE.rglob("*.rs"))
        for match in re.findall(forbidden, rust_code(path))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("code", "used"),
    [
        ("use crate::link::Link;", {"link"}),
        ("use crate::{link::{Link, Way}, queue};", {"link", "queue"}),
        ("fn f(x: crate::rng::Rng) {}", {"rng"}),
        ("use std::fmt;", set()),
    ],
)
def test_uses_are_found(code: str, used: set[str]) -> None:
    assert used_modules(code) == used


def test_a_missing_arrow_is_found() -> None:
    table = arrows("Arrows inside the engine")
    found = iter([("cc/x.rs", "cc", "link"), ("cc/x.rs", "cc", "units"), ("y.rs", "sim", "cc")])
    assert without_arrow(found, table) == ["cc/x.rs: cc -> link"]
