"""Write python/ackclock/scenario/model: the classes of descriptions, and constants, as crates/scenario declares them.

    python tools/write_scenario_types.py [--check]

There is a module of Python for each module of the crate that has parts. `--check` writes nothing and fails where a file
is not what would be written.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ackclock import _native

FOLDER = Path(__file__).resolve().parent.parent / "python" / "ackclock" / "scenario" / "model"

WIDTH = 120

#: Words of shapes, and how Python writes them.
PLAIN = {"flag": "bool", "whole": "int", "number": "float", "text": "str"}

#: Kinds of quantities and other annotations of `typed`.
TYPED = {
    "rate": "Rate",
    "time": "Time",
    "size": "Size",
    "amount": "AmountText",
    "data": "Data",
    "window": "Window",
    "parameters": "Parameters",
    "seed": "Seed",
}

#: Base classes of code that descriptions may name.
CODE = {"control": "CongestionControl", "queue": "QueueDiscipline"}

#: Parts that are more than their keys, and their bases in `part`.
BASES = {"Link": "Direction", "Queue": "NamedQueue", "Reverse": "Direction", "Scenario": "Whole"}

Tree = Mapping[str, Any]


class Module:
    """A module that is being written: its text, and what that imports."""

    def __init__(self, name: str, parts: Mapping[str, Tree]) -> None:
        self.name, self.parts = name, parts
        self.imports: dict[str, set[str]] = {"dataclasses": {"dataclass"}}
        self.body: list[str] = []

    def add(self, part: Tree) -> None:
        """The class of a part."""
        name, base = part["name"], BASES.get(part["name"], "Part")
        self._import("ackclock.scenario.model.part", base)
        lines = ["@dataclass(frozen=True, kw_only=True)", f"class {name}({base}):", *_docstring(part["about"]), ""]
        lines += self._about_keys(part)
        for key in part["keys"]:
            lines.append(f"    {key['name']}: {self._type(key['shape'], key)}{self._default(key)}")
            lines += [f"    {line}".rstrip() for line in _prose(key["about"], WIDTH - 4)]
        self.body += ["", "", *lines]

    def add_kinds(self, name: str, kinds: list[str], parts: Mapping[str, Tree]) -> None:
        """A type of several parts that differ in `kind`."""
        for kind in kinds:
            self._import_part(parts[kind])
        self.body += ["", "", f"#: Parts that differ in `kind`: {', '.join(parts[kind]['kind'][0] for kind in kinds)}."]
        self.body.append(f"{name} = {' | '.join(kinds)}")

    def text(self) -> str:
        """The whole module."""
        head = _head(f"Parts of descriptions, as crates/scenario/src/model/{self.name}.rs declares them.")
        imports = [f"from {module} import {', '.join(sorted(names))}" for module, names in self.imports.items()]
        return "\n".join([head, "", "from __future__ import annotations", "", *imports, *self.body]) + "\n"

    def _about_keys(self, part: Tree) -> Iterator[str]:
        yield f'    part = "{part["name"]}"'
        if part["kind"]:
            self._import("typing", "ClassVar")
            yield f'    kind: ClassVar[str] = "{part["kind"][0]}"'
        if part["short"]:
            yield f'    short = "{part["short"]}"'
        words = {key["name"]: tuple(key["words"]) for key in part["keys"] if "words" in key}
        tables = {"renamed": ("str", part["renamed"]), "belongs": ("str", part["belongs"])}
        for name, (of, table) in {**tables, "words": ("tuple[str, ...]", words)}.items():
            if table:
                self._import("collections.abc", "Mapping")
                self._import("typing", "ClassVar")
                yield f"    {name}: ClassVar[Mapping[str, {of}]] = {table!r}"
        yield ""

    def _type(self, shape: Any, key: Tree | None = None) -> str:
        if isinstance(shape, str):
            if shape in PLAIN:
                found = PLAIN[shape]
                if key is not None and "code" in key:
                    self._import("ackclock.plugins", CODE[key["code"]])
                    found = f"{found} | type[{CODE[key['code']]}]"
                return found
            where = "ackclock.scenario.model.seed" if shape == "seed" else "ackclock.scenario.model.typed"
            self._import(where, TYPED[shape])
            return TYPED[shape]
        (word, of), *_ = shape.items()
        if word == "list":
            return f"list[{self._type(of)}]"
        if word == "optional":
            return f"{self._type(of, key)} | None"
        if word == "any":
            return " | ".join(self._type(one) for one in of)
        if word == "part":
            self._import_part(self.parts[of])
        else:
            kind = next(part for part in self.parts.values() if part["kind"][1:2] == [of])
            self._import_from(kind["kind"][2], of)
        return str(of)

    def _default(self, key: Tree) -> str:
        if key["is_required"]:
            return ""
        default, shape = key.get("default"), key["shape"]
        if isinstance(default, (dict, list)):
            self._import("dataclasses", "field")
            made = self._value(shape, default)
            made = {"{}": "dict", "[]": "list"}.get(made, made)
            whole = made.removesuffix("()") if made.endswith("()") else made if made in ("dict", "list") else None
            return f" = field(default_factory={whole or f'lambda: {made}'})"
        return f" = {default!r}"

    def _value(self, shape: Any, value: Any) -> str:
        """A value as Python makes it. Of a part it has the keys that differ from what they are anyway."""
        if not isinstance(value, dict) or not isinstance(shape, dict):
            return repr(value)
        part = self.parts[shape["part"]] if "part" in shape else self._of_kind(shape["kinds"], value["kind"])
        self._import_part(part)
        told = [key for key in part["keys"] if value.get(key["name"]) != key.get("default")]
        given = (f"{key['name']}={self._value(key['shape'], value[key['name']])}" for key in told)
        return f"{part['name']}({', '.join(given)})"

    def _of_kind(self, of: str, kind: str) -> Tree:
        return next(part for part in self.parts.values() if part["kind"][:2] == [kind, of])

    def _import_part(self, part: Tree) -> None:
        self._import_from(part["module"], part["name"])

    def _import_from(self, module: str, name: str) -> None:
        if module != self.name:
            self._import(f"ackclock.scenario.model.{module}", name)

    def _import(self, module: str, name: str) -> None:
        self.imports.setdefault(module, set()).add(name)


def _head(title: str) -> str:
    return f'"""{title}\n\nWritten by tools/write_scenario_types.py; do not edit.\n"""'


def _paragraphs(text: str) -> list[str]:
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]


def _wrapped(text: str, width: int, first: int) -> list[str]:
    """Lines of a paragraph, the first one of which has `first` characters less."""
    options: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
    lines = textwrap.wrap(text, width, initial_indent=" " * first, **options)
    return [lines[0][first:], *lines[1:]] if lines else []


def _prose(text: str, width: int) -> list[str]:
    """A docstring: on one line if it fits."""
    short, *others = _paragraphs(text)
    lines = _wrapped(short, width, 3)
    for paragraph in others:
        lines += ["", *_wrapped(paragraph, width, 0)]
    lines[0] = f'"""{lines[0]}'
    if len(lines) == 1 and len(lines[0]) + 3 <= width:
        return [f'{lines[0]}"""']
    return [*lines, '"""']


def _docstring(text: str) -> list[str]:
    return [f"    {line}".rstrip() for line in _prose(text, WIDTH - 4)]


def _constants() -> str:
    lines = [
        _head("Words and numbers of descriptions, as crates/scenario has them."),
        "",
        "from __future__ import annotations",
        "",
    ]
    for name, about, value in _native.scenario_constants():
        lines += [f"#: {about}", f"{name} = {tuple(value) if isinstance(value, list) else value!r}"]
    return "\n".join(lines) + "\n"


def files() -> dict[str, str]:
    """What the files should say, by their names."""
    parts = {part["name"]: part for part in _native.scenario_parts()}
    modules: dict[str, Module] = {}

    def module(name: str) -> Module:
        return modules.setdefault(name, Module(name, parts))

    kinds: dict[tuple[str, str], list[str]] = {}
    for name, part in parts.items():
        module(part["module"]).add(part)
        if part["kind"]:
            _, of, where = part["kind"]
            together = kinds.setdefault((of, where), [])
            together.append(name)
            if len(together) == sum(1 for other in parts.values() if other["kind"][1:2] == [of]):
                module(where).add_kinds(of, together, parts)
    texts = {f"{name}.py": each.text() for name, each in modules.items()} | {"constants.py": _constants()}
    return {name: _formatted(text) for name, text in texts.items()}


def _formatted(text: str) -> str:
    ruff = Path(sys.executable).with_name("ruff")
    for words in (("check", "--select", "I", "--fix", "--quiet"), ("format", "--quiet")):
        made = subprocess.run(
            [ruff, *words, "--stdin-filename", FOLDER / "made.py", "-"],
            input=text, capture_output=True, text=True, check=True, encoding="utf-8",
        )  # fmt: skip
        text = made.stdout
    return text


def main() -> int:
    """Write the files, or check them."""
    for name, text in files().items():
        file = FOLDER / name
        if "--check" not in sys.argv[1:]:
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            print(f"{file} is not of its source: run python tools/write_scenario_types.py", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
