"""Write python/ackclock/_native/*.pyi, the types of the extension module, from its Rust source.

    python tools/write_stub.py [--check]

`--check` writes nothing and fails where the stubs are not what would be written. A stub module has what one folder of
crates/python/src defines (or one file, where it is large), so that none is too long to read. At run time there is one
module, `ackclock._native`, whose stub takes all names from the others.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "crates" / "python" / "src"
STUBS = ROOT / "python" / "ackclock" / "_native"

WIDTH = 120

HEAD = '''\
"""The Rust engine as Python sees it. Written by tools/write_stub.py; do not edit."""

'''

OWN = '''
__version__: str
#: Variables from which on a look for an element that is not there may make an array's table grow.
MANY_VARIABLES: int

class SimulationError(RuntimeError):
    """A simulation that cannot go on, or cannot be described so."""

class InvariantError(SimulationError):
    """What holds in every simulation did not hold: the simulator, or code of one's own in it, is wrong. Nothing of the
    run is a result.
    """

class LimitError(SimulationError):
    """A run that went beyond what it was allowed: time, memory, or events at one instant. Nothing of it is a result."""

class TraceError(ValueError):
    """A trace file that is damaged, cut short or no packet trace."""

class PartialTrace(UserWarning):
    """Of a damaged trace file only the part before the damage was taken."""
'''

#: Files of folders that have a stub module of their own, or one with others.
PARTS = {
    "convert": "simulation",
    "simulation/mod": "simulation",
    "simulation/routing": "simulation",
    "simulation/nodes": "network",
    "simulation/links": "network",
    "simulation/lans": "network",
    "simulation/queues": "network",
    "simulation/parts": "network",
    "simulation/loss": "network",
    "simulation/delay_boxes": "network",
    "simulation/multicast": "multicast",
    "simulation/agents": "agents",
    "simulation/applications": "agents",
    "simulation/token_buckets": "agents",
    "simulation/quick_start": "agents",
    "simulation/monitors": "monitors",
    "simulation/random_variables": "random",
    "run/channels": "traces",
    "run/tracing": "traces",
    "run/watched_agents": "traces",
    "run/captures": "traces",
}

#: A parameter's value is a whole number, a real one or a flag; `float` admits all three.
VALUE = "float"

TYPES = {
    "()": "None",
    "&Bound<PyAny>": VALUE,
    "&Bound<PyFunction>": "Callable[..., object]",
    "Bound<PyAny>": VALUE,
    "Bound<'py, PyAny>": VALUE,
    "&[u8]": "bytes",
    "bool": "bool",
    "Py<PyAny>": "object",
    "&Bound<PyString>": "str",
    **dict.fromkeys(("Anything<'py>", "&Anything<'py>", "&Anything"), "Any"),
    "Bound<'py, PyIterator>": "Iterator[Any]",
    **dict.fromkeys(("Described<'py>", "DescribedParameter<'py>"), "tuple[str, float, str, str]"),
    "Constant<'py>": "tuple[str, str, Any]",
    "Name": "str",
    "Ran": "tuple[list[tuple[str, Table]], list[str], list[str]]",
    "Worker": "TracePlace | Monitor | Link | ErrorModule | Node | Agent",
    "Bound<'py, PyBytes>": "bytes",
    **dict.fromkeys(("Bound<'py, PyTuple>", "Bound<PyTuple>", "Py<PyTuple>"), "tuple[Any, ...]"),
    **dict.fromkeys(("Py<PyDict>", "&Bound<PyDict>", "&Bound<'py, PyDict>", "Bound<'py, PyDict>"), "dict[Any, Any]"),
    **dict.fromkeys(("Bound<'py, PyCapsule>", "Bound<'_, PyCapsule>"), "object"),
    **dict.fromkeys(
        ("Bound<'py, PyList>", "Bound<PyList>", "&Bound<'py, PyList>", "&Bound<PyList>", "Py<PyList>"), "list[Any]"
    ),
    **dict.fromkeys(("f64", "f32"), "float"),
    **dict.fromkeys(("i32", "i64", "u8", "u16", "u32", "u64", "usize"), "int"),
    **dict.fromkeys(("&str", "&'static str", "String", "char", "PathBuf"), "str"),
}

FUNCTION = re.compile(
    r"(?P<doc>(?:^ *///[^\n]*\n)*)"
    r"(?P<attributes>(?:^ *#\[[^\n]*(?:\n {8,}[^\n]*)*?\]\n)*)"
    r"^ *(?:pub(?:\([a-z]+\))? )?fn (?P<name>\w+)(?:<'py>)?\((?P<parameters>[^{]*?)\)(?: -> (?P<result>[^{]+?))? \{",
    re.MULTILINE,
)


def python_type(rust: str) -> str:
    """The Python type of a Rust one. Raises `KeyError` for one that has no line in `TYPES`."""
    rust = rust.strip()
    if match := re.fullmatch(r"(?:PyResult|Result)<(.*)>", rust):
        return python_type(match[1])
    if match := re.fullmatch(r"Option<(.*)>", rust):
        return f"{python_type(match[1])} | None"
    if match := re.fullmatch(r"Vec<(.*)>", rust):
        return f"list[{python_type(match[1])}]"
    if match := re.fullmatch(r"\[(\w+); \d+\]", rust):
        return f"list[{python_type(match[1])}]"
    if match := re.fullmatch(r"\((.+)\)", rust):
        return f"tuple[{', '.join(map(python_type, split(match[1])))}]"
    inner = re.fullmatch(r"&?(?:Py<|Bound<|PyRef<)?(?:'\w+, )?(\w+)>?", rust)
    return inner[1] if inner and inner[1] in dict(classes()) else TYPES[rust]


def split(text: str) -> list[str]:
    """Parts between commas that are inside no bracket."""
    parts, depth, part = [], 0, ""
    for letter in text:
        depth += (letter in "(<[") - (letter in ")>]")
        if letter == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += letter
    return [part.strip() for part in (*parts, part) if part.strip()]


def defaults(attributes: str) -> dict[str, str]:
    """Default values that `#[pyo3(signature = ...)]` gives, in Python's spelling."""
    match = re.search(r"signature = \((.*)\)\)\]", attributes, re.DOTALL)
    named = dict(part.split(" = ") for part in split(match[1]) if " = " in part) if match else {}
    return {name: {"true": "True", "false": "False"}.get(value, value) for name, value in named.items()}


def entry(match: re.Match[str], indent: str) -> str:
    """One function or method of the stub."""
    name = {"new": "__new__"}.get(match["name"], match["name"])
    given = defaults(match["attributes"])
    parameters = []
    for parameter in split(match["parameters"]):
        if parameter in ("&self", "&mut self") or parameter.startswith("this:"):
            parameters.append("self")
        elif not parameter.startswith(("py:", "_py:")):
            left, right = parameter.split(":", 1)
            if f"*{left}" in match["attributes"]:
                parameters.append(f"*{left}: Any")
                continue
            default = f" = {given[left]}" if left in given else ""
            parameters.append(f"{left}: {python_type(right)}{default}")
    result = python_type(match["result"] or "()")
    if name == "__new__":
        parameters.insert(0, "cls")
    if name in ("__getitem__", "__contains__"):
        parameters.append("/")  # what Python calls by an operator has no names
    if name == "__next__":
        result = result.removesuffix(" | None")  # which ends the iteration
    static = f"{indent}@staticmethod\n" if "#[staticmethod]" in match["attributes"] else ""
    if "#[getter]" in match["attributes"]:
        static = f"{indent}@property\n"
    if "#[setter]" in match["attributes"]:
        name = name.removeprefix("set_")
        static = f"{indent}@{name}.setter\n"
    line = f"{indent}def {name}({', '.join(parameters)}) -> {result}:"
    if len(line) > WIDTH:
        listed = "".join(f"{indent}    {parameter},\n" for parameter in parameters)
        line = f"{indent}def {name}(\n{listed}{indent}) -> {result}:"
    text = " ".join(doc.strip().removeprefix("///").strip() for doc in match["doc"].splitlines())
    if not text:
        return f"{static}{line} ..."
    inner = f"{indent}    "
    quoted = f'{inner}"""{text}"""'
    if len(quoted) > WIDTH:
        quoted = textwrap.fill(f'"""{text}', WIDTH - 3, initial_indent=inner, subsequent_indent=inner) + f'\n{inner}"""'
    return f"{static}{line}\n{quoted}"


@cache
def sources() -> dict[Path, str]:
    """The Rust files, with their texts."""
    return {path: path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.rs"))}


def stub_of(path: Path) -> str:
    """The stub module of a Rust file."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return PARTS.get("/".join(parts[:2]), parts[0])


def functions() -> Iterator[tuple[Path, str, str]]:
    """The module's own functions: file, name and text."""
    for path, source in sources().items():
        for match in FUNCTION.finditer(source):
            # A function with a variant for other systems is listed once.
            if "#[pyfunction]" in match["attributes"] and "#[cfg(not(unix))]" not in match["attributes"]:
                yield path, match["name"], entry(match, "") + "\n"


def methods(name: str) -> Iterator[str]:
    """Methods of a class, which may stand in several files."""
    for source in sources().values():
        for block in source.split("#[pymethods]\n")[1:]:
            block = block.split("\n}\n")[0] + "\n"
            if block.startswith(f"impl {name} {{"):
                for match in FUNCTION.finditer(block):
                    yield entry(match, "    ")


@cache
def classes() -> tuple[tuple[str, tuple[Path, str]], ...]:
    """The module's classes, each with its file and what is said about it."""
    pattern = re.compile(r"((?:^///[^\n]*\n)+)#\[pyclass[^\n]*\n(?:#[^\n]*\n)*pub struct (\w+)", re.MULTILINE)
    return tuple(
        (match[2], (path, " ".join(line.removeprefix("///").strip() for line in match[1].splitlines())))
        for path, source in sources().items()
        for match in pattern.finditer(source)
    )


def class_stub(name: str, about: str) -> str:
    """One class of the stub."""
    doc = f'    """{about}"""'
    if len(doc) > WIDTH:
        doc = textwrap.fill(f'"""{about}', WIDTH - 3, initial_indent="    ", subsequent_indent="    ") + '\n    """'
    return "\n".join([f"@final\nclass {name}:\n{doc}\n", *methods(name)]) + "\n"


def stub_module(parts: dict[str, str], homes: dict[str, str], home: str) -> str:
    """The stub module that has these functions and classes. `homes` has the modules of all names."""
    body = "\n".join(parts.values())
    code = set(re.findall(r"\b[A-Z]\w+", re.sub(r'""".*?"""', "", body, flags=re.DOTALL)))
    used = {name for name in homes if homes[name] != home and name in code}
    lines = []
    abstract = [name for name in ("Callable", "Iterator") if f"{name}[" in body]
    if abstract:
        lines.append(f"from collections.abc import {', '.join(abstract)}")
    typing = [name for name in ("Any", "final") if re.search(rf"\b{name}\b", body)]
    if typing:
        lines.append(f"from typing import {', '.join(typing)}")
    taken = [
        f"from ackclock._native.{other} import {', '.join(sorted(name for name in used if homes[name] == other))}"
        for other in sorted({homes[name] for name in used})
    ]
    if lines and taken:
        lines.append("")
    exported = "__all__ = [\n" + "".join(f'    "{name}",\n' for name in in_order(parts)) + "]\n"
    head = "\n".join([*lines, *taken])
    return HEAD + (head + "\n\n" if head else "") + body + "\n" + exported


def in_order(names: Iterable[str]) -> list[str]:
    """Names as ruff sorts them in `__all__`: constants, classes, functions."""
    return sorted(names, key=lambda name: (not name.isupper(), name))


def stubs() -> dict[str, str]:
    """The stub modules by their file names."""
    parts: dict[str, dict[str, str]] = defaultdict(dict)
    for path, name, text in functions():
        parts[stub_of(path)][name] = text
    for name, (path, about) in classes():
        parts[stub_of(path)][name] = class_stub(name, about)
    homes = {name: home for home, inside in parts.items() for name in inside}
    found = {f"{home}.pyi": stub_module(inside, homes, home) for home, inside in parts.items()}
    own = re.findall(r"^(?:class )?(\w+)[(:]", OWN, re.M)
    imports = "".join(
        f"from ackclock._native.{home} import (\n" + "".join(f"    {name},\n" for name in in_order(inside)) + ")\n"
        for home, inside in sorted(parts.items())
    )
    exported = "__all__ = [\n" + "".join(f'    "{name}",\n' for name in in_order([*own, *homes])) + "]\n"
    return {"__init__.pyi": HEAD + imports + OWN + "\n" + exported, **found}


def main() -> int:
    """Write the stubs, or check them."""
    wanted = stubs()
    present = {path.name: path.read_text(encoding="utf-8") for path in STUBS.glob("*.pyi")}
    if "--check" in sys.argv[1:]:
        if present != wanted:
            print(f"{STUBS} is not of its source: run python tools/write_stub.py", file=sys.stderr)
        return int(present != wanted)
    STUBS.mkdir(exist_ok=True)
    for name in present.keys() - wanted.keys():
        (STUBS / name).unlink()
    for name, text in wanted.items():
        (STUBS / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
