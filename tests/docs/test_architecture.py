"""Every import in Rust, Python and TypeScript is an allowed dependency of ARCHITECTURE.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import pytest

from rust_imports import code, crate, cycles, module_imports

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
ENGINE = ROOT / "crates" / "engine" / "src"
PACKAGE = ROOT / "python" / "ackclock"
WEB = ROOT / "web" / "src"

CRATES = sorted(path.parent.name for path in (ROOT / "crates").glob("*/Cargo.toml"))

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

#: Files among the variants that have all or some of them.
TABLES = {"link_queue", "models"}

#: What stands among the variants and is shared by them.
SHARED = {
    "application",
    "base_delay",
    "control",
    "conversation",
    "delay",
    "delayed_acks",
    "discipline",
    "fifo",
    "link_queue",
    "savings",
    "socket",
    "tunable",
    "watched",
    "window_law",
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


def line_of(path: tuple[str, ...], table: Iterable[str]) -> str | None:
    """The table's line for a path: the longest that the path begins with."""
    starts = ["/".join(path[:count]) for count in range(len(path), 0, -1)]
    return next((start for start in starts if start in table), None)


def engine_uses(table: Collection[str]) -> Iterator[tuple[str, str, str]]:
    for module, imported in module_imports(crate(ENGINE)).items():
        if module:
            line = line_of(module, table)
            assert line, f"no line of the table is for {'/'.join(module)}"
            used = {line_of(name, table) for name in imported}
            for name in sorted(used - {None, line}, key=str):
                yield "/".join(module), line, str(name)


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
    assert on_cycles({line: allowed or set() for line, allowed in table.items()}) == set()
    uses = list(engine_uses(table))
    assert without_arrow(iter(uses), table) == []
    unused = {(line, used) for line, allowed in table.items() for used in allowed or ()}
    assert unused - {(line, used) for _, line, used in uses} == set()


@pytest.mark.parametrize("name", CRATES)
def test_no_rust_files_import_each_other(name: str) -> None:
    found = cycles(module_imports(crate(ROOT / "crates" / name / "src")))
    assert [sorted("/".join(module) for module in group) for group in found] == []


def test_cycles_between_rust_files_are_found() -> None:
    files: dict[tuple[str, ...], str] = {
        (): "pub mod a;\npub use a::X;",
        ("a",): "mod inner;\npub use inner::X;\npub use inner::{Y as Z};\nconst TABLE: &[u32] = &[inner::ENTRY];",
        ("a", "inner"): "use crate::b::f;\npub struct X;",
        ("b",): "use crate::{c, std};\nfn g() { c::h() }",
        ("c",): "fn h(x: crate::X) {}",
        ("d",): "use super::a::Z;",
    }
    imports = module_imports(files)
    assert imports[()] == set(), "a re-export"
    assert imports["a",] == {("a", "inner")}, "a table"
    assert imports["c",] == {("a", "inner")}, "a re-export of a re-export"
    assert imports["d",] == {("a", "inner")}, "a renamed re-export"
    assert cycles(imports) == [{("a", "inner"), ("b",), ("c",)}]
    assert cycles({module: imported - {("c",)} for module, imported in imports.items()}) == []


def test_the_engine_is_read() -> None:
    imports = module_imports(crate(ENGINE))
    assert ("net", "link", "delayer") in imports["net", "link"]
    assert ("net", "ids") in imports["transport", "agent"], "through the re-export of net::node"
    assert ("queue", "red") in imports["queue",], "the table of disciplines"
    assert ("queue", "fifo") not in imports["queue",], "a re-export"


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
    imports = module_imports(crate(ENGINE))
    for name in VARIANTS:
        folder = tuple(name.split("/"))
        files = [module for module in imports if module[: len(folder)] == folder and module != folder]
        variants = {module[len(folder)] for module in files} - SHARED
        for module in files:
            for used in sorted(imports[module]):
                if used[: len(folder)] == folder and len(used) > len(folder):
                    other = used[len(folder)]
                    if module[len(folder)] not in TABLES and other in variants and other != module[len(folder)]:
                        found.append(f"{'/'.join(module)} -> {other}")
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
        for match in re.findall(forbidden, code(path))
    ]
    assert wrong == []


def test_a_missing_arrow_is_found() -> None:
    table = arrows("Dependencies inside the engine")
    found = iter([("queue/x.rs", "queue", "net"), ("queue/x.rs", "queue", "time"), ("y.rs", "sim", "queue")])
    assert without_arrow(found, table) == ["queue/x.rs: queue -> net"]
