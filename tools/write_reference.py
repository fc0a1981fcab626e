"""Write docs/reference.md: commands, Python names, keys of scenario files, variants, default sets, columns of tables.

    python tools/write_reference.py [--check]

Every line comes from the code: the parsers' help, signatures and docstrings, the schema, the engine's tables, and the
tables of a run that keeps everything. `--check` writes nothing and fails where the page is not what would be written.
"""

from __future__ import annotations

import argparse
import inspect
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import MethodDescriptorType, ModuleType
from typing import Any

import ackclock as ac
from ackclock import _native
from ackclock.cli.commands import COMMANDS, parser
from ackclock.cli.lists import LISTS
from ackclock.scenario import defaults
from ackclock.scenario.formats.schema import meanings, schema
from ackclock.scenario.model.constants import DEFAULT_SETS, EXPECTED
from ackclock.scenario.units import pattern

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference.md"

HEAD = """\
# Reference

This page is generated from the code by tools/write_reference.py.

[Commands](#commands) · [Python](#python) · [Scenario files](#scenario-files) · [Variants](#variants) ·
[Default sets](#default-sets) · [Tables](#tables)
"""


def commands() -> Iterator[str]:
    """Each command with its help."""
    yield "## Commands\n"
    yield from _commands(parser(list(COMMANDS)))


def _commands(of: argparse.ArgumentParser) -> Iterator[str]:
    below = [action for action in of._actions if isinstance(action, argparse._SubParsersAction)]
    if not below:
        yield f"### `{of.prog}`\n"
        yield f"```text\n{_same_everywhere(of.format_help())}```\n"
    for action in below:
        for sub in action.choices.values():
            yield from _commands(sub)


def _same_everywhere(text: str) -> str:
    # Up to Python 3.12 argparse repeats the value with each spelling of an option.
    return re.sub(r"(-\w) ([A-Z]+)(, --[\w-]+ \2)", r"\1\3", text).rstrip() + "\n"


def python() -> Iterator[str]:
    """Each public name with its signature and what it says of itself."""
    yield "## Python\n"
    described = {"Scenario", *schema()["$defs"]}
    links = ", ".join(f"[`ac.{name}`](#{name.lower()})" for name in sorted(described))
    yield f"`import ackclock as ac`. A description consists of {links}, with keyword arguments as in files.\n"
    for name in sorted(ac.__all__, key=str.lower):
        if name != "__version__" and name not in described:
            yield from _name(f"ac.{name}", getattr(ac, name))


def _name(path: str, value: Any) -> Iterator[str]:
    if isinstance(value, ModuleType):
        yield f"### `{path}`\n\n{_about(value)}\n"
        for name in getattr(value, "__all__", _functions(value)):
            yield from _name(f"{path}.{name}", getattr(value, name))
        return
    if not callable(value):  # a table: what it holds is listed under the variants, or is a style
        return
    yield f"### `{path}{_signature(value)}`\n\n{_about(value)}\n"
    if inspect.isclass(value) and not issubclass(value, Exception):
        members = vars(value).items()
        # A class of the extension has its methods in whatever order they were linked in.
        is_native = any(isinstance(member, MethodDescriptorType) for _, member in members)
        for name, member in sorted(members) if is_native else members:
            if name.startswith("_") or not (callable(member) or isinstance(member, (property, classmethod))):
                continue
            inner = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
            signature = "" if isinstance(member, property) else _signature(inner)
            yield f"**`.{name}{signature}`** {' '.join(_about(inner).split())}\n"


def _functions(module: ModuleType) -> list[str]:
    return [
        name
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_")
    ]


class _Shown:
    """A default that is written so."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _signature(value: Any) -> str:
    if inspect.isclass(value) and (issubclass(value, Exception) or "__init__" not in vars(value)):
        return ""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    kept = [_plain(p) for p in found.parameters.values() if p.name != "self"]
    return str(found.replace(parameters=kept, return_annotation=found.empty))


def _plain(parameter: inspect.Parameter) -> inspect.Parameter:
    default = parameter.default
    if inspect.isfunction(default):
        default = _Shown(default.__name__)
    elif isinstance(default, tuple) and sys.executable in default:  # a command, whose path is another on every machine
        default = _Shown("ackclock ns2")
    return parameter.replace(annotation=parameter.empty, default=default)


def _about(value: Any) -> str:
    return inspect.getdoc(value) or ""


def scenario_files() -> Iterator[str]:
    """Each part of a description with its keys."""
    whole = schema()
    yield "## Scenario files\n"
    yield "The keys are the same in TOML and as keyword arguments in Python. A key without a default is required.\n"
    parts = {"Scenario": whole, **whole["$defs"]}
    for name, part in parts.items():
        yield f"### {name}\n\n{part['description']}\n"
        meaning = meanings()[name]
        yield "| key | value | default | meaning |\n|---|---|---|---|"
        for key, entry in part["properties"].items():
            needed = key in part.get("required", ())
            default = "" if needed else f"`{_shown(entry['default'])}`" if "default" in entry else "none"
            yield f"| `{key}` | {_value(entry)} | {default} | {meaning.get(key, '')} |"
        yield ""


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else str(value)


def _value(entry: dict[str, Any]) -> str:
    if "$ref" in entry:
        name = entry["$ref"].rsplit("/", 1)[-1]
        return f"[{name}](#{name.lower()})"
    if "const" in entry:
        return f'`"{entry["const"]}"`'
    if "enum" in entry:
        return ", ".join(f'`"{word}"`' for word in entry["enum"])
    for several in ("anyOf", "oneOf"):
        if several in entry:
            return " or ".join(_value(option) for option in entry[several])
    if entry["type"] == "array":
        return f"list of {_value(entry['items'])}"
    if entry["type"] == "object":
        inner = entry.get("additionalProperties")
        return f"table of {_value(inner)}" if isinstance(inner, dict) else "table"
    words = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}
    quantities = {pattern(kind): expected for kind, expected in EXPECTED.items()}
    return quantities.get(entry.get("pattern", ""), words[entry["type"]])


def variants() -> Iterator[str]:
    """What the engine's tables list."""
    yield "## Variants\n"
    yield "`ackclock list` prints these tables.\n"
    for what, rows in LISTS.items():
        if what == "studies":  # they are not part of the package
            continue
        yield f"### {what.replace('_', '-').capitalize()}\n\n| id | meaning |\n|---|---|"
        for name, about in rows():
            yield f"| `{name}` | {about} |"
        yield ""


def default_sets() -> Iterator[str]:
    """Each set with what it says."""
    yield "## Default sets\n"
    known = defaults.data()
    for name in DEFAULT_SETS:
        part = known[name]
        yield f"### `{name}`\n\n{part['about']}. Source: {part['source']}.\n"
        for kind, entries in part.items():
            rows = [
                (key, entry)
                for key, entry in (entries.items() if isinstance(entries, dict) else ())
                if isinstance(entry, dict) and {"value", "source"} <= set(entry)
            ]
            if rows:
                yield f"For {kind}:\n\n| parameter | value | source |\n|---|---|---|"
                for key, entry in rows:
                    yield f"| `{key}` | {_shown(entry['value'])} | {entry['source']} |"
                yield ""
    yield "### Parameters\n\nAll parameters, with the values that they have unless a default set changes them.\n"
    queues = [(f"the queue discipline `{name}`", name) for name, _ in _native.queue_disciplines()]
    controls = [(f"`tcp` with the control `{name}`", f"tcp_{name}") for name, _ in _native.congestion_controls("tcp")]
    senders = [
        ("one-way senders", "one_way"),
        ("ns-2's two-way senders", "full"),
        ("the sender `tcp`", "tcp"),
    ]
    for title, of in (*senders, *controls, *queues):
        shared = defaults.parameters("tcp") if of.startswith("tcp_") else {}
        declared = {name: row for name, row in defaults.parameters(of).items() if name not in shared}
        if not declared:
            continue
        yield f"For {title}:\n\n| parameter | value | unit | meaning |\n|---|---|---|---|"
        for name, row in declared.items():
            unit = "" if row.unit == "flag" else row.unit
            yield f"| `{name}` | {_shown(row.value)} | {unit} | {row.about} |"
        yield ""


def tables() -> Iterator[str]:
    """The columns of each table of a run."""
    yield "## Tables\n"
    yield "The columns of the tables of `ac.run` and `ac.open`. [Their definitions](guide/scenarios.md#results).\n"
    pair = ac.Link(rate="1 Mb/s", delay="1 ms")
    kept = ac.run(
        ac.Scenario(
            topology=ac.Dumbbell(pairs=1, bottleneck=pair, access=pair),
            flows=[ac.Flow(pair=1, tcp="sack", app=ac.Ftp(size="10 packets"))],
            duration="1 s",
            record=ac.Record(changes=True, packets=True),
        )
    )
    for name, table in kept.tables.items():
        yield f"**`{name}`**: {', '.join(f'`{column}`' for column in table.column_names())}.\n"


def text() -> str:
    """What the page should say."""
    os.environ["COLUMNS"] = "110"  # the width that argparse folds its help at
    parts = (commands, python, scenario_files, variants, default_sets, tables)
    return HEAD + "\n" + "\n".join(line for part in parts for line in part()).rstrip() + "\n"


def main() -> int:
    """Write the page, or check it."""
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(text(), encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text():
        print(f"{PAGE} is not of its source: run python tools/write_reference.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
