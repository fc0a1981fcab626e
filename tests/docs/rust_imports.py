"""Which file of a Rust crate imports which, read from its source without a compiler.

A path counts for the file that defines its name. Names that a file imports or re-exports are followed to their
definitions. So a re-export in a `mod.rs` is no import, and a file that uses the re-export imports the definition.
Unit tests at the foot of a file, comments and texts do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

#: A module as a path from the root of its crate; the root itself is `()`.
Module = tuple[str, ...]

_USE = re.compile(r"^[ \t]*(?P<public>pub(?:\([^)]*\))?[ \t]+)?use\s+(?P<tree>[^;]+);", re.MULTILINE)
_MOD = re.compile(r"^[ \t]*(?:pub(?:\([^)]*\))?[ \t]+)?mod\s+\w+;", re.MULTILINE)
_PATH = re.compile(r"(?<![\w:])\w+(?:::\w+)+")


def code(path: Path) -> str:
    """A file without comments, texts and unit tests."""
    text = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
    return re.sub(r'"(?:[^"\\]|\\.)*"', '""', text.split("#[cfg(test)]")[0], flags=re.DOTALL)


def module_of(path: Path, source: Path) -> Module:
    """The module of a file below the folder `source` of its crate."""
    parts = path.relative_to(source).with_suffix("").parts
    return parts[:-1] if parts[-1] in ("mod", "lib") else parts


def crate(source: Path) -> dict[Module, str]:
    """The code of each module of a crate."""
    return {module_of(path, source): code(path) for path in sorted(source.rglob("*.rs"))}


def _parts(tree: str) -> Iterator[str]:
    """What stands between the commas of a group, nested groups whole."""
    depth, start = 0, 0
    for place, letter in enumerate(tree):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            yield tree[start:place]
            start = place + 1
    yield tree[start:]


def imported_names(tree: str) -> Iterator[tuple[Module, str]]:
    """The paths of a `use` item, and the name that each has in the file."""
    tree = tree.strip()
    group = re.fullmatch(r"((?:\w+::)*)\{(.*)\}", tree, re.DOTALL)
    if group:
        prefix = tuple(group[1].split("::")[:-1])
        for part in filter(str.strip, _parts(group[2])):
            for path, name in imported_names(part):
                is_self = path == ("self",)
                yield (prefix if is_self else prefix + path), (prefix[-1] if name == "self" else name)
        return
    written, _, name = tree.partition(" as ")
    words = tuple(word.strip() for word in written.split("::"))
    yield words, name.strip() or words[-1]


@dataclass
class Crate:
    """The modules of a crate and the names that each binds with `use`."""

    files: dict[Module, str]

    def __post_init__(self) -> None:
        self.children = {
            module: {other[-1] for other in self.files if other and other[:-1] == module} for module in self.files
        }
        self.names: dict[Module, dict[str, tuple[Module, bool]]] = {}
        for module, text in self.files.items():
            names = self.names[module] = {}
            for item in _USE.finditer(text):
                for path, name in imported_names(item["tree"]):
                    target = self.from_root(path, module)
                    if target is not None:
                        names[name] = target, bool(item["public"])

    def from_root(self, path: Module, module: Module) -> Module | None:
        """The path from the crate's root; None for another crate's."""
        first, *rest = path
        if first == "crate":
            base: Module = ()
        elif first == "super":
            base = module[:-1]
        elif first == "self":
            base = module
        elif first in self.children[module]:
            base, rest = module, list(path)
        else:
            return None
        while rest[:1] == ["super"]:
            base, rest = base[:-1], rest[1:]
        return (*base, *rest)

    def defines(self, path: Module, depth: int = 0) -> Module:
        """The module that defines what a path from the root names; re-exports are followed."""
        module: Module = ()
        while len(module) < len(path) and path[: len(module) + 1] in self.files:
            module = path[: len(module) + 1]
        rest = path[len(module) :]
        if rest and depth < 20:
            known = self.names[module].get(rest[0])
            if known and known[0] != path[: len(module) + 1]:
                return self.defines(known[0] + rest[1:], depth + 1)
        return module

    def imports(self, module: Module, *, is_index: bool) -> set[Module]:
        """The other modules that a module imports. `is_index`: it is a `mod.rs`, whose re-exports do not count."""
        body = _MOD.sub("", _USE.sub("", self.files[module]))
        words = set(re.findall(r"\w+", body))
        names = self.names[module]
        paths = [path for name, (path, is_public) in names.items() if name in words or not (is_public and is_index)]
        for found in _PATH.findall(body):
            path = tuple(found.split("::"))
            if path[0] not in names:
                target = self.from_root(path, module)
                if target is not None:
                    paths.append(target)
        return {self.defines(path) for path in paths} - {module}


def module_imports(files: dict[Module, str]) -> dict[Module, set[Module]]:
    """The imports of every module of a crate. A module with modules below it counts as an index of them."""
    read = Crate(files)
    return {module: read.imports(module, is_index=bool(read.children[module])) for module in files}


def cycles(imports: dict[Module, set[Module]]) -> list[set[Module]]:
    """The groups of modules that import each other, directly or through others."""

    def reached(start: Module) -> set[Module]:
        found: set[Module] = set()
        left = [start]
        while left:
            new = imports[left.pop()] - found
            found |= new
            left += new
        return found

    all_reached = {module: reached(module) for module in imports}
    groups = {
        frozenset(other for other in found if module in all_reached[other])
        for module, found in all_reached.items()
        if module in found
    }
    return sorted((set(group) for group in groups), key=sorted)
