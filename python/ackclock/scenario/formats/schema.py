"""The JSON Schema of scenario files, made from the types: editors complete and check by it."""

from __future__ import annotations

import dataclasses
import inspect
from functools import cache
from typing import Annotated, Any, get_args, get_origin

from ackclock._native import (
    agents,
    congestion_controls,
    queue_disciplines,
    scenario_parts,
    tcp_receivers,
    tcp_senders,
    tcp_two_way,
)
from ackclock.scenario import defaults as sets
from ackclock.scenario.model.constants import (
    CALL_RECEIVER,
    EXPECTED,
    NS2_SEED,
    SEEDS,
    TAKE_DATAGRAMS,
    WITH_CONTROLS,
)
from ackclock.scenario.model.part import Part
from ackclock.scenario.model.scenario import Scenario
from ackclock.scenario.model.topology import Queue
from ackclock.scenario.model.typed import described, hints, options
from ackclock.scenario.units import pattern

#: how a class of the user's own is named
OWN = r"^[A-Za-z_][\w.]*:[A-Za-z_][\w.]*$"

#: how a compiled control is named: the kernel's, or one of a shared library
COMPILED = r"^(kernel:[\w-]+|.+\.(so|dylib|dll):\w+)$"


def schema() -> dict[str, Any]:
    """The schema of a whole file."""
    parts: dict[str, Any] = {}
    whole = _object(Scenario, parts)
    of_datagrams = [(name, about) for name, about in agents() if name in (*TAKE_DATAGRAMS, CALL_RECEIVER)]
    controls: dict[str, str] = {}
    for sender in WITH_CONTROLS:
        for name, about in congestion_controls(sender):
            controls[name] = f"{controls[name]}; {sender}: {about}" if name in controls else f"{sender}: {about}"

    for part, field, table in (
        ("Queue", "kind", queue_disciplines()),
        ("Flow", "tcp", [*tcp_senders(), *tcp_two_way()]),
        ("Flow", "receiver", [*tcp_receivers(), *tcp_two_way(), *of_datagrams]),
        ("Flow", "control", controls.items()),
    ):
        place = parts[part]["properties"][field]
        place.update(oneOf=[{"const": name, "description": about} for name, about in table])
        if field in ("kind", "control"):
            about = "a Python class in a file in the same folder: module:Class"
            place["oneOf"].append({"type": "string", "pattern": OWN, "description": about})
        if field == "tcp":
            about = "a compiled congestion control: kernel:NAME, or FILE.so:NAME for one of a shared library"
            place["oneOf"].append({"type": "string", "pattern": COMPILED, "description": about})
        place.pop("type")
    parts["Flow"]["properties"]["parameters"]["properties"] = _of_senders()
    parts["Queue"]["allOf"] = [_of_kind(name) for name, _ in queue_disciplines()]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "ackclock scenario",
        **whole,
        "$defs": dict(sorted(parts.items())),
    }


def _of_senders() -> dict[str, Any]:
    """The parameters of senders. Where several have one, it is that of ns-2's senders."""
    of_ns2 = _parameters("one_way") | _parameters("full")
    of_linux = _parameters("tcp")
    return of_ns2 | {name: about for name, about in of_linux.items() if name not in of_ns2}


def _parameters(room: str) -> dict[str, Any]:
    """The parameters of senders or of a queue discipline, with the engine's values."""
    types = {"flag": "boolean", "": "number"}
    units = {"s": "s", "bytes": "B", "packets": "packets", "bit/s": "b/s"}
    return {
        name: {
            "type": types.get(known.unit, "string"),
            "description": known.about,
            "default": f"{known.value:.12g} {units[known.unit]}" if known.unit in units else known.value,
        }
        for name, known in sets.parameters(room).items()
    }


def _of_kind(kind: str) -> dict[str, Any]:
    """What a queue of this kind takes. One that says no kind is of the first."""
    is_kind: dict[str, Any] = {"properties": {"kind": {"const": kind}}}
    if kind != Queue.kind:
        is_kind["required"] = ["kind"]
    own = {"properties": _parameters(kind), "additionalProperties": False}
    return {"if": is_kind, "then": {"properties": {"parameters": own}}}


@cache
def meanings() -> dict[str, dict[str, str]]:
    """What each key is for, by its part."""
    return {
        part["name"]: {key["name"]: " ".join(key["about"].split()) for key in part["keys"]} for part in scenario_parts()
    }


def _object(cls: type[Part], parts: dict[str, Any]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    kind = cls.__dict__.get("kind")
    required = []
    if isinstance(kind, str) and "kind" not in hints(cls):
        properties["kind"] = {"const": kind}
        required.append("kind")
    for field in dataclasses.fields(cls):  # type: ignore[arg-type]
        entry = _entry(hints(cls)[field.name], parts)
        words = getattr(cls, "words", {}).get(field.name)
        if words:
            entry = {"enum": list(words)}
        meaning = meanings()[cls.part][field.name]
        of_value = entry.get("description")
        entry["description"] = f"{meaning} Expected: {of_value}." if of_value else meaning
        if isinstance(field.default, (str, bool, int, float)):
            entry["default"] = field.default
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            required.append(field.name)
        properties[field.name] = entry
    about = inspect.cleandoc(cls.__doc__ or "")
    made: dict[str, Any] = {"type": "object", "description": " ".join(about.split()), "properties": properties}
    if required:
        made["required"] = required
    made["additionalProperties"] = False
    return made


def _entry(annotation: Any, parts: dict[str, Any]) -> dict[str, Any]:
    allowed = [option for option in options(annotation) if option is not type(None) and get_origin(option) is not type]
    classes = described(annotation)
    if classes:
        entries: list[dict[str, Any]] = []
        for cls in classes:
            if cls.__name__ not in parts:
                parts[cls.__name__] = {}
                assert issubclass(cls, Part)
                parts[cls.__name__] = _object(cls, parts)
            entries.append({"$ref": f"#/$defs/{cls.__name__}"})
        kinds = [cls.__dict__["kind"] for cls in classes if isinstance(cls.__dict__.get("kind"), str) and not cls.short]
        if classes[0].short:
            entries.append({"type": "string"})
        elif len(kinds) > 1 and len(kinds) == len(classes) and classes[0].__name__ == "Ftp":
            entries.append({"enum": kinds})
        entries += [_plain(option, parts) for option in allowed if get_origin(option) is list]
        return entries[0] if len(entries) == 1 else {"anyOf": entries}
    entries = [_plain(option, parts) for option in allowed]
    return entries[0] if len(entries) == 1 else {"anyOf": entries}


def _plain(option: Any, parts: dict[str, Any]) -> dict[str, Any]:
    origin = get_origin(option)
    if origin is Annotated:
        kind = get_args(option)[1]
        if kind == "seed":
            whole = {"type": "integer", "minimum": 0, "maximum": SEEDS - 1}
            return {"anyOf": [whole, {"type": "string", "pattern": NS2_SEED}]}
        return {"type": "string", "pattern": pattern(kind), "description": f"{EXPECTED[kind]}"}
    if origin is list:
        return {"type": "array", "items": _entry(get_args(option)[0], parts)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _entry(get_args(option)[1], parts)}
    return {"type": {str: "string", int: "integer", float: "number", bool: "boolean"}[option]}
