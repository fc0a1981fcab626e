"""Every import in Rust, Python and TypeScript is an allowed dependency of ARCHITECTURE.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
ENGINE = ROOT / "crates" / "engine" / "src"
PACKAGE = ROOT / "python" / "ackclock"
WEB = ROOT / "web" / "src"

#: Folders of variants, whose files do not import one another.
VARIANTS = (
    "app",
    "queue",
    "transport/tcp/cc",
    "transport/compat/linux26/cc",
    "transport/compat/ns2",
    "transport/compat/ns2/window_law",
    "transport/compat/ns3_25/cc",
)

#: What stands among the variants and is shared by them.
SHARED = {
    "base_delay",
    "flow_queues",
    "hystart",
    "kernel",
    "linux_hystart",
    "linux_window",
    "scoreboard",
    "segment_scoreboard",
    "slow_start",
    "windowed_max",
    "xcp",
}


def arrows(heading: str) -> dict[str, set[str] | None]:
    """Room to the rooms it may import, from the page's table; None where it may import all."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    table: dict[str, set[str] | None] = {}
    for left, right in re.findall(r"^\| `([\w./]+)` \|(.*)\|$", section, re.MULTILINE):
        table[left] = None if right.strip() == "everything" else set(re.findall(r"`([\w./]+)`", right))
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


#: A path that begins at the crate's root or at the module of the file, with the names of a grouped import.
RUST_PATH = re.compile(r"(?<![\w:])((?:crate|super|self)(?:::\w+)*)(?:::\{([^{}]*)\})?")


def used_paths(code: str, module: tuple[str, ...]) -> set[tuple[str, ...]]:
    """The paths from the crate's root that a module's code names, whole ones and through `super` and `self`."""
    used = set()
    for path, group in RUST_PATH.findall(code):
        first, *rest = path.split("::")
        base = () if first == "crate" else module[:-1] if first == "super" else module
        while rest[:1] == ["super"]:
            base, rest = base[:-1], rest[1:]
        for name in [part.split(" as ")[0].strip() for part in group.split(",")] if group else [""]:
            used.add((*base, *rest, *[part for part in name.split("::") if part not in ("", "self")]))
    return used - {()}


def engine_module(path: Path) -> tuple[str, ...]:
    """The module of a file, as a path from the crate's root."""
    parts = path.relative_to(ENGINE).with_suffix("").parts
    return parts[:-1] if parts[-1] in ("mod", "lib") else parts


def line_of(path: tuple[str, ...], table: Iterable[str]) -> str | None:
    """The table's line for a path: the longest that the path begins with."""
    starts = ["/".join(path[:count]) for count in range(len(path), 0, -1)]
    return next((start for start in starts if start in table), None)


def engine_uses(table: Collection[str]) -> Iterator[tuple[str, str, str]]:
    for path in sorted(ENGINE.rglob("*.rs")):
        module = engine_module(path)
        if module:
            line = line_of(module, table)
            assert line, f"no line of the table is for {path.relative_to(ROOT)}"
            used = {line_of(name, table) for name in used_paths(rust_code(path), module)}
            for name in sorted(used - {None, line}, key=str):
                yield str(path.relative_to(ROOT)), line, str(name)


def python_imports(path: Path, *, at_run_time: bool = False) -> set[str]:
    """Dotted names that a file imports, wherever in it the import stands: `ackclock.scenario.errors.ScenarioError`.

    With `at_run_time`, without what only type checkers read.
    """
    names = set()
    unread: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while unread:
        node = unread.pop()
        if at_run_time and isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            unread += node.orelse
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            # `from ackclock.batch import study` is an import of a module, of `run_ns2` one of a name.
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        unread += ast.iter_child_nodes(node)
    return {name for name in names if name.split(".")[0] == "ackclock"}


def module_of(path: Path) -> str:
    """The name by which a file of the package is imported."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def longest(name: str, known: Collection[str]) -> str:
    """The longest beginning of a dotted name that is known."""
    parts = name.split(".")
    beginnings = (".".join(parts[:end]) for end in range(len(parts), 0, -1))
    return next(beginning for beginning in beginnings if beginning in known)


def python_rooms() -> set[str]:
    """Packages by their dotted names, with the modules beside them at the top; ns-2's library is one."""
    folders = {module_of(path) for path in PACKAGE.rglob("__init__.py")}
    modules = {module_of(path) for path in PACKAGE.glob("*.py")}
    return {name for name in folders | modules if not name.startswith("ackclock.ns2.library.")} | {"ackclock._native"}


def room_of(name: str, rooms: Collection[str]) -> str:
    return longest(name, rooms).removeprefix("ackclock.")


def package_imports() -> Iterator[tuple[str, str, str]]:
    rooms = python_rooms()
    for path in sorted(PACKAGE.rglob("*.py")):
        room = room_of(module_of(path), rooms)
        for imported in sorted({room_of(name, rooms) for name in python_imports(path)}):
            yield str(path.relative_to(ROOT)), room, imported
    for path in sorted((ROOT / "studies").rglob("*.py")):
        for imported in sorted({room_of(name, rooms) for name in python_imports(path)}):
            yield str(path.relative_to(ROOT)), "studies", imported


def file_imports() -> dict[str, set[str]]:
    """Module to the modules of the package that it imports while the program runs, in functions, too."""
    files = {module_of(path): path for path in PACKAGE.rglob("*.py")}
    return {
        module: {longest(name, files) for name in python_imports(path, at_run_time=True)} - {module}
        for module, path in files.items()
    }


def on_cycles(graph: dict[str, set[str]]) -> set[str]:
    """What is on a cycle or between two: what remains when leaves and roots are taken away again and again."""
    left = {name: set(targets) for name, targets in graph.items()}
    while True:
        reached = {target for targets in left.values() for target in targets}
        gone = {name for name, targets in left.items() if not targets or name not in reached}
        if not gone:
            return set(left)
        left = {name: targets - gone for name, targets in left.items() if name not in gone}


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
    assert without_arrow(crate_dependencies(), arrows("Dependencies between crates")) == []


def test_engine() -> None:
    table = arrows("Dependencies inside the engine")
    uses = list(engine_uses(table))
    assert without_arrow(iter(uses), table) == []
    unused = {(line, used) for line, allowed in table.items() for used in allowed or ()}
    assert unused - {(line, used) for _, line, used in uses} == set()


def rust_file_imports(files: dict[tuple[str, ...], str]) -> dict[tuple[str, ...], set[tuple[str, ...]]]:
    """Each module's imports of other modules, by the code of their files."""
    found = {}
    for module, code in files.items():
        paths = used_paths(code, module)
        prefixes = (
            next((path[:count] for count in range(len(path), 0, -1) if path[:count] in files), ()) for path in paths
        )
        found[module] = {used for used in prefixes if used not in ((), module)}
    return found


def reached(start: tuple[str, ...], imports: dict[tuple[str, ...], set[tuple[str, ...]]]) -> set[tuple[str, ...]]:
    """All modules that one imports, itself or through others."""
    found: set[tuple[str, ...]] = set()
    left = [start]
    while left:
        for module in imports[left.pop()] - found:
            found.add(module)
            left.append(module)
    return found


def cycles_across(imports: dict[tuple[str, ...], set[tuple[str, ...]]], table: Collection[str]) -> list[str]:
    """Pairs of files that import each other, perhaps through others, and belong to different lines of the table."""
    all_reached = {module: reached(module, imports) for module in imports}
    return [
        f"{'/'.join(one)} <-> {'/'.join(other)}"
        for one, found in all_reached.items()
        for other in sorted(found)
        if one < other and one in all_reached[other] and line_of(one, table) != line_of(other, table)
    ]


def test_cycles_between_files_stay_in_one_module() -> None:
    table = arrows("Dependencies inside the engine")
    files = {engine_module(path): rust_code(path) for path in ENGINE.rglob("*.rs") if engine_module(path)}
    imports = rust_file_imports(files)
    assert ("net", "link", "delayer") in imports["net", "link"]
    assert cycles_across(imports, table) == []


def test_a_cycle_across_modules_is_found() -> None:
    files: dict[tuple[str, ...], str] = {
        ("a",): "use crate::b::X;",
        ("b",): "use crate::c;",
        ("c",): "use super::a::f;",
        ("d",): "use crate::a;",
    }
    assert cycles_across(rust_file_imports(files), ("a", "b", "c", "d")) == ["a <-> b", "a <-> c", "b <-> c"]
    assert cycles_across(rust_file_imports(files), ("d",)) == []


def test_python() -> None:
    assert without_arrow(package_imports(), arrows("Dependencies between Python modules")) == []


def test_no_python_files_import_each_other() -> None:
    assert on_cycles(file_imports()) == set()


def test_cycles_are_found() -> None:
    assert on_cycles({"a": {"b"}, "b": {"c", "d"}, "c": {"b"}, "d": set()}) == {"b", "c"}
    found = file_imports()
    assert "ackclock.execution.simulate" in found["ackclock.cli.run"], "an import inside a function"
    assert "ackclock.ns2.otcl.interp" not in found["ackclock.ns2.otcl.channels"], "an import for type checkers"


def test_page() -> None:
    table = arrows("Dependencies inside the page")
    assert without_arrow(page_imports(), table) == []
    assert {path.name for path in WEB.iterdir()} == table.keys()
    assert ("web/src/draw/stage.ts", "draw", "model") in set(page_imports())


def imports_between_variants() -> list[str]:
    """Files of variants that import a variant beside theirs. A folder is one variant."""
    found = []
    for name in VARIANTS:
        folder = tuple(name.split("/"))
        files = {engine_module(path): path for path in sorted(ENGINE.joinpath(*folder).rglob("*.rs"))}
        del files[folder]
        variants = {module[len(folder)] for module in files} - SHARED
        for module, path in files.items():
            for used in sorted(used_paths(rust_code(path), module)):
                if used[: len(folder)] == folder and len(used) > len(folder):
                    other = used[len(folder)]
                    if other in variants and other != module[len(folder)]:
                        found.append(f"{path.relative_to(ROOT)} -> {other}")
    return found


def test_variants_do_not_import_each_other() -> None:
    assert imports_between_variants() == []


def test_every_room_is_on_the_page() -> None:
    modules = {path.stem for path in ENGINE.iterdir()}
    assert modules - {"lib"} <= arrows("Dependencies inside the engine").keys()
    crates = {path.parent.name for path in (ROOT / "crates").glob("*/Cargo.toml")}
    assert crates <= arrows("Dependencies between crates").keys()
    rooms = {room_of(room, python_rooms()) for room in python_rooms()}
    named = arrows("Dependencies between Python modules").keys()
    assert rooms - {"_native"} == named - {"studies"}


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
        ("use crate::link::Link;", {"link/Link"}),
        ("use crate::net::{link::Link, node, self};", {"net/link/Link", "net/node", "net"}),
        ("fn f(x: crate::rng::Rng) {}", {"rng/Rng"}),
        ("use super::{Queue as Q, red};", {"queue/Queue", "queue/red"}),
        ("use super::super::packet; self::f();", {"packet", "queue/codel/f"}),
        ("use std::fmt;", set()),
    ],
)
def test_uses_are_found(code: str, used: set[str]) -> None:
    assert {"/".join(path) for path in used_paths(code, ("queue", "codel"))} == used


def test_a_missing_arrow_is_found() -> None:
    table = arrows("Dependencies inside the engine")
    found = iter([("queue/x.rs", "queue", "net"), ("queue/x.rs", "queue", "time"), ("y.rs", "sim", "queue")])
    assert without_arrow(found, table) == ["queue/x.rs: queue -> net"]
