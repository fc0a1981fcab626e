"""Write python/ackclock/_native.pyi, the types of the extension module, from its Rust source.

    python tools/write_stub.py [--check]

`--check` writes nothing and fails where the stub is not what would be written.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "crates" / "python" / "src"
STUB = ROOT / "python" / "ackclock" / "_native.pyi"

WIDTH = 120

HEAD = '''\
"""The Rust engine as Python sees it. Written by tools/write_stub.py; do not edit."""

from collections.abc import Callable, Iterator
from typing import Any, final

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

#: A parameter's value is a whole number, a real one or a flag; `float` admits all three.
VALUE = "float"

TYPES = {
    "()": "None",
    "&Bound<PyAny>": VALUE,
    "&Bound<PyFunction>": "Callable[..., object]",
    "Bound<PyAny>": VALUE,
    "Bound<'py, PyAny>": VALUE,
    **dict.fromkeys(("Anything<'py>", "&Anything<'py>", "&Anything"), "Any"),
    "Bound<'py, PyIterator>": "Iterator[Any]",
    "&[u8]": "bytes",
    "bool": "bool",
    "Py<PyAny>": "object",
    **dict.fromkeys(("Simulation", "Py<Simulation>"), "Simulation"),
    **dict.fromkeys(("Table", "&Table", "Py<Table>"), "Table"),
    "TclHashOrder": "TclHashOrder",
    **dict.fromkeys(("Name", "&Bound<PyString>"), "str"),
    "Clock": "Clock",
    "SignalWatcher": "SignalWatcher",
    "Command": "Command",
    "LazyObjects": "LazyObjects",
    **dict.fromkeys(("Count", "Py<Count>"), "Count"),
    "RandomStream": "RandomStream",
    "Recording": "Recording",
    "Py<MergedRuns>": "MergedRuns",
    "MergedRuns": "MergedRuns",
    **dict.fromkeys(("Params", "&Params", "Py<Params>"), "Params"),
    "Described<'py>": "tuple[str, float, str, str]",
    "Bound<'py, PyBytes>": "bytes",
    **dict.fromkeys(("Bound<'py, PyTuple>", "Bound<PyTuple>", "Py<PyTuple>"), "tuple[Any, ...]"),
    **dict.fromkeys(("Py<PyDict>", "&Bound<PyDict>", "&Bound<'py, PyDict>"), "dict[Any, Any]"),
    **dict.fromkeys(("Bound<'py, PyCapsule>", "Bound<'_, PyCapsule>"), "object"),
    **dict.fromkeys(("Bound<'py, PyList>", "&Bound<'py, PyList>", "&Bound<PyList>", "Py<PyList>"), "list[Any]"),
    **dict.fromkeys(("f64", "f32"), "float"),
    **dict.fromkeys(("i32", "i64", "u8", "u16", "u32", "u64", "usize"), "int"),
    **dict.fromkeys(("&str", "&'static str", "String", "char", "PathBuf"), "str"),
}

FUNCTION = re.compile(
    r"(?P<doc>(?:^ *///[^\n]*\n)*)"
    r"(?P<attributes>(?:^ *#\[[^\n]*\]\n)*)"
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
    return TYPES[rust]


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
    match = re.search(r"signature = \((.*)\)\)\]", attributes)
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


def functions() -> Iterator[str]:
    """The module's own functions."""
    for path in sorted(SOURCE.rglob("*.rs")):
        for match in FUNCTION.finditer(path.read_text(encoding="utf-8")):
            # A function with a variant for other systems is listed once.
            if "#[pyfunction]" in match["attributes"] and "#[cfg(not(unix))]" not in match["attributes"]:
                yield entry(match, "") + "\n"


def methods(name: str) -> Iterator[str]:
    """Methods of a class, which may stand in several files."""
    for path in sorted(SOURCE.rglob("*.rs")):
        for block in path.read_text(encoding="utf-8").split("#[pymethods]\n")[1:]:
            block = block.split("\n}\n")[0] + "\n"
            if block.startswith(f"impl {name} {{"):
                for match in FUNCTION.finditer(block):
                    yield entry(match, "    ")


def classes() -> Iterator[tuple[str, str]]:
    """The module's classes, each with what is said about it."""
    pattern = re.compile(r"((?:^///[^\n]*\n)+)#\[pyclass[^\n]*\n(?:#[^\n]*\n)*pub struct (\w+)", re.MULTILINE)
    for path in sorted(SOURCE.rglob("*.rs")):
        for match in pattern.finditer(path.read_text(encoding="utf-8")):
            yield match[2], " ".join(line.removeprefix("///").strip() for line in match[1].splitlines())


def class_stub(name: str, about: str) -> str:
    """One class of the stub."""
    doc = f'    """{about}"""'
    if len(doc) > WIDTH:
        doc = textwrap.fill(f'"""{about}', WIDTH - 3, initial_indent="    ", subsequent_indent="    ") + '\n    """'
    return "\n".join([f"@final\nclass {name}:\n{doc}\n", *methods(name)]) + "\n"


def stub() -> str:
    """The whole stub."""
    own, made = list(functions()), dict(classes())
    heads = re.findall(r"^(?:class )?(\w+)[(:]", HEAD, re.M)
    names = [*heads, *made, *re.findall(r"^def (\w+)", "\n".join(own), re.M)]
    # Constants first, as ruff sorts them.
    names.sort(key=lambda name: (not name.isupper(), name))
    exported = "__all__ = [\n" + "".join(f'    "{name}",\n' for name in names) + "]\n"
    return "\n".join([HEAD, *own, *(class_stub(name, about) for name, about in made.items()), exported])


def main() -> int:
    """Write the stub, or check it."""
    if "--check" not in sys.argv[1:]:
        STUB.write_text(stub(), encoding="utf-8")
    elif STUB.read_text(encoding="utf-8") != stub():
        print(f"{STUB} is not of its source: run python tools/write_stub.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
