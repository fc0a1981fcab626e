"""Scenarios from TOML, with the line of what is wrong."""

from __future__ import annotations

import copy
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock.scenario.errors import ScenarioError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from ackclock.scenario.model.scenario import Scenario
    from ackclock.scenario.resolve.network import Network

#: what a description that names a control of a shared library has in it
_LIBRARY = re.compile(r"\.(?:so|dylib|dll):")
#: what a description that names code has in it: `module:Class`, `kernel:cubic`, `./libmine.so:Mine`
_NAMES_CODE = re.compile(r"[\w.]:[A-Za-z_]")
_TOO_DEEP = "tables and lists are nested too deeply"


def load(path: str | os.PathLike[str], settings: dict[str, Any] | None = None) -> Scenario:
    """Read a scenario file; `settings` are keys by their path (`flows.0.tcp`) that count instead of the file's.

    Modules of Python that the file names (`control = "module:Class"`) are imported, from its folder first. Shared
    libraries (`tcp = "./libmine.so:Mine"`) are loaded; their paths are seen from its folder.

    Raises `OSError` when the file cannot be read and `ScenarioError`, with file and line, for what is wrong in it.
    """
    from ackclock.scenario.model.scenario import Scenario
    from ackclock.scenario.resolve.network import resolve

    file = Path(path)
    text, table = _table_of(file, settings)
    try:
        table = _seen_from_here(table, file.parent, text, settings)
        scenario = Scenario.of(table)
        resolve(scenario, beside=file.parent)
    except ScenarioError as error:
        raise error.at(file, None if error.key in (settings or {}) else line_of(text, error.key)) from None
    except RecursionError:
        raise ScenarioError(_TOO_DEEP, file=file) from None
    return scenario


def network_of_file(path: str | os.PathLike[str], settings: dict[str, Any] | None = None) -> Network | None:
    """The network of a scenario file, without its typed description, which is made when something asks for it.

    `settings` are as for `load`. `None` for a file that names code or external nodes, and for one with a mistake:
    `load` says what it is.
    Raises `OSError` when the file cannot be read.
    """
    from ackclock._native import ResolvedNetwork
    from ackclock.scenario.resolve.named_code import NamedCode
    from ackclock.scenario.resolve.network import Network

    file, code = Path(path), NamedCode()
    try:
        text, table = _table_of(file, settings)
        if _NAMES_CODE.search(f"{text}{settings}") or table.get("external_nodes"):
            return None
        table = _with_recordings(table, file.parent)
        network = Network(ResolvedNetwork(table, code), code, lambda: _typed(table))
    except (ScenarioError, RecursionError):
        return None
    return None if code.is_named else network


def _typed(table: dict[str, Any]) -> Scenario:
    from ackclock.scenario.model.scenario import Scenario

    return Scenario.of(table)


def _table_of(file: Path, settings: dict[str, Any] | None) -> tuple[str, dict[str, Any]]:
    text, table = toml(file)
    for key, value in (settings or {}).items():
        put(table, key, value)
    return text, table


def _seen_from_here(table: dict[str, Any], folder: Path, text: str, settings: object) -> dict[str, Any]:
    """A table in which files are named as seen from here, not from the scenario's folder."""
    found: dict[str, Any] = _with_recordings(table, folder)
    if _LIBRARY.search(f"{text}{settings}"):  # few files name one, and the loader of libraries takes a while
        from ackclock.scenario.resolve.plugins import with_libraries

        found = with_libraries(found, folder)
    return found


def _with_recordings(part: Any, folder: Path) -> Any:
    """A table or list in which recordings of deliveries are named as seen from here, not from the scenario's folder."""
    if isinstance(part, list):
        return [_with_recordings(item, folder) for item in part]
    if not isinstance(part, dict):
        return part
    found = {key: _with_recordings(item, folder) for key, item in part.items()}
    if isinstance(found.get("deliveries"), str):
        found["deliveries"] = str(folder / found["deliveries"])
    return found


def toml(file: Path) -> tuple[str, dict[str, Any]]:
    """A file's text, and what it says. `OSError` when it cannot be read, `ScenarioError` when it is not TOML."""
    try:
        text = file.read_text(encoding="utf-8")
        return text, tomllib.loads(text)
    except UnicodeDecodeError:
        raise ScenarioError("not a text file in UTF-8", file=file) from None
    except tomllib.TOMLDecodeError as error:
        if is_ns2_script(file, text):
            raise ScenarioError(f"this is an ns-2 script; run it with `ackclock ns2 {file}`", file=file) from None
        at = re.search(r"at line (\d+)", str(error))
        raise ScenarioError(f"not TOML: {error}", file=file, line=int(at[1]) if at else None) from None
    except ValueError:  # Python reads no whole number of thousands of digits
        raise ScenarioError("expected numbers of at most 64 bits", file=file) from None
    except RecursionError:
        raise ScenarioError(_TOO_DEEP, file=file) from None


def is_ns2_script(file: Path, text: str) -> bool:
    """Whether a file is Tcl, by its name or by what every ns-2 script has."""
    return file.suffix.lower() == ".tcl" or re.search(r"\[\s*new\s+Simulator\b", text) is not None


def put(table: dict[str, Any], key: str, value: Any) -> None:
    """Set `flows.0.tcp` in nested tables and lists. `ScenarioError` where the path does not exist.

    What is above it in `table` becomes a copy, so that others who have these parts see nothing of it.
    """
    here: Any = table
    parts = key.split(".")
    for index, part in enumerate(parts[:-1]):
        if isinstance(here, list):
            if not part.isdigit() or int(part) >= len(here):
                there = f"length of the list: {len(here)}"
                raise ScenarioError(f"index out of range; {there}", key=".".join(parts[: index + 1]))
            here[int(part)] = here = copy.copy(here[int(part)])
        elif isinstance(here, dict):
            below = here.get(part, {})
            here[part] = here = {"kind": below} if isinstance(below, str) else copy.copy(below)
        else:
            raise ScenarioError("this value has no keys", key=".".join(parts[:index]))
    last = parts[-1]
    if isinstance(here, list):
        if not last.isdigit() or int(last) >= len(here):
            raise ScenarioError(f"index out of range; length of the list: {len(here)}", key=key)
        here[int(last)] = value
    elif isinstance(here, dict):
        here[last] = value
    else:
        raise ScenarioError("this value has no keys", key=".".join(parts[:-1]))


def value_of(text: str) -> Any:
    """A value of the command line, as TOML reads it; a text where it is none."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


_HEADER = re.compile(r"\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"\s*([A-Za-z0-9_\-.\"' ]+?)\s*=")


def line_of(text: str, key: str) -> int | None:
    """The line, counted from 1, of a key's path or of the nearest thing above it; None for an empty path."""
    lines: dict[str, int] = {}
    counts: dict[str, int] = {}
    prefix, depth = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        header = _HEADER.match(line) if depth == 0 else None
        if header:
            name = ".".join(part.strip(" \"'") for part in header[2].split("."))
            prefix = _numbered(name, counts)
            if header[1] == "[[":
                # An unknown table of a list is named without a number.
                lines.setdefault(prefix, number)
                prefix = f"{prefix}.{counts.get(name, 0)}"
                counts[name] = counts.get(name, 0) + 1
            lines.setdefault(prefix, number)
            continue
        found = _KEY.match(line) if depth == 0 else None
        if found:
            own = ".".join(part.strip(" \"'") for part in found[1].split("."))
            lines.setdefault(f"{prefix}.{own}" if prefix else own, number)
        bare = re.sub(r"\"(?:\\.|[^\"\\])*\"|'[^']*'|#.*", "", line)
        depth = max(0, depth + bare.count("[") + bare.count("{") - bare.count("]") - bare.count("}"))
    path = key
    while path:
        if path in lines:
            return lines[path]
        path = path.rpartition(".")[0]
    return None


def _numbered(name: str, counts: dict[str, int]) -> str:
    """A header's path with the numbers of the lists on it: `flows.app` is `flows.1.app` in the second flow."""
    parts, path = name.split("."), ""
    for index, part in enumerate(parts):
        path = f"{path}.{part}" if path else part
        above = ".".join(parts[: index + 1])
        if index < len(parts) - 1 and above in counts:
            path = f"{path}.{counts[above] - 1}"
    return path
