"""Public names say what a caller needs: what they are for, what each argument means, which errors they raise.

A function, class or method of a public package has a docstring. It names each of its parameters in backticks, and each
exception that its body raises. The docstring of the class counts for its methods. "As for `other`" counts what the
docstring of that function says. A field of a dataclass may be described by a `#:` comment instead.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from types import ModuleType
from typing import Any

#: Packages and modules whose `__all__` is public.
PUBLIC = (
    "ackclock",
    "ackclock.emulate",
    "ackclock.batch.evaluate",
    "ackclock.analysis.models",
    "ackclock.plugins",
    "ackclock.analysis.plot",
    "ackclock.analysis.report.page",
    "ackclock.scenario",
    "ackclock.execution.simulate",
    "ackclock.analysis.stats",
    "ackclock.batch.store",
    "ackclock.batch.study",
    "ackclock.batch.sweep",
    "ackclock.trace",
)


def public_names(package: ModuleType) -> Iterator[tuple[str, Any]]:
    """The names of `__all__`; of a module among them, its public functions and classes."""
    for name in package.__all__:
        value = getattr(package, name)
        if isinstance(value, ModuleType):
            if not hasattr(value, "__all__"):
                for inner, one in vars(value).items():
                    if not inner.startswith("_") and getattr(one, "__module__", None) == value.__name__:
                        yield inner, one
        elif inspect.isclass(value) or inspect.isfunction(value):
            yield name, value


def tree_of(value: Any) -> Any:
    """The syntax tree of a function or class; None where there is no source (Rust, `dataclass`)."""
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(value))).body[0]
    except (OSError, TypeError):
        return None


def raised(function: Any) -> set[str]:
    """The exception classes in `raise` statements of the function itself, not of functions inside it."""
    found = set()
    waiting = list(ast.iter_child_nodes(tree)) if (tree := tree_of(function)) else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            continue
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name):
            found.add(node.exc.func.id)
        waiting.extend(ast.iter_child_nodes(node))
    return found


def commented_fields(cls: type) -> set[str]:
    """The fields of a class, its bases' too, that a `#:` comment stands above, or beside."""
    found = set()
    for one in cls.__mro__:
        try:
            lines = inspect.getsource(one).splitlines()
        except (OSError, TypeError):
            continue
        for above, line in zip(["", *lines], lines, strict=False):
            field = re.match(r"\s+(\w+): ", line)
            if field and (above.strip().startswith("#:") or "  #: " in line):
                found.add(field[1])
    return found


def text_of(value: Any, owner: type | None = None) -> str:
    """The docstring with those that it refers to ("as for `other`")."""
    own = inspect.getdoc(value) or ""
    texts = [own]
    for other in re.findall(r"[Aa]s\s+(?:for|of|in)\s+`(?:\w+\.)*(\w+)`", own):
        for place in (owner, inspect.getmodule(value)):
            named = getattr(place, other, None)
            if named is not None and named is not value:
                texts.append(inspect.getdoc(named) or "")
                break
    return "\n".join(texts)


def lacks_of_function(name: str, function: Any, owner: type | None = None) -> Iterator[str]:
    """What the docstring of one function or method lacks."""
    if not inspect.getdoc(function):
        yield f"{name}: has no docstring"
        return
    text = text_of(function, owner) + (inspect.getdoc(owner) or "" if owner else "")
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return
    for parameter in parameters:
        if parameter not in ("self", "cls", "_") and not re.search(rf"`[^`]*\b{parameter}\b[^`]*`", text):
            yield f"{name}: parameter {parameter} has no meaning"
    for error in sorted(raised(function)):
        if error not in text and not (error == "FileNotFoundError" and "OSError" in text):
            yield f"{name}: {error} is raised and not named"


def lacks_of_class(name: str, cls: type) -> Iterator[str]:
    """What the docstrings of a class and its public methods lack. A dataclass's own `__doc__` is its signature."""
    text = inspect.getdoc(cls) or ""
    if not text or text.startswith(f"{cls.__name__}("):
        yield f"{name}: has no docstring"
    described = commented_fields(cls)
    for field in (one.name for one in dataclasses.fields(cls)) if dataclasses.is_dataclass(cls) else ():
        if not (field.startswith("_") or field in described or re.search(rf"`[^`]*\b{field}\b[^`]*`", text)):
            yield f"{name}: field {field} has no meaning"
    for inner, value in vars(cls).items():
        if inner.startswith("_"):
            continue
        function = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
        if isinstance(function, property):
            if not function.__doc__:
                yield f"{name}.{inner}: has no docstring"
            elif function.fget:
                yield from (each for each in lacks_of_function(f"{name}.{inner}", function.fget, cls))
        elif inspect.isroutine(function):
            yield from lacks_of_function(f"{name}.{inner}", function, cls)


def lacks() -> dict[str, list[str]]:
    """What is missing, by the module in which a name is defined. Other packages' classes do not count."""
    found: dict[str, list[str]] = {}
    seen: set[int] = set()
    for package in map(importlib.import_module, PUBLIC):
        for name, value in public_names(package):
            if id(value) in seen or not value.__module__.startswith("ackclock"):
                continue
            seen.add(id(value))
            missing = lacks_of_class(name, value) if inspect.isclass(value) else lacks_of_function(name, value)
            found.setdefault(value.__module__, []).extend(missing)
    return found


def test_public_names_say_what_a_caller_needs() -> None:
    missing = lacks()
    assert len(missing) > 40, f"only {len(missing)} modules were found"
    lacking = [f"{module}: {one}" for module, ones in missing.items() for one in ones]
    assert not lacking, "\n".join(lacking)


def undocumented(first, second, flag=False):  # type: ignore[no-untyped-def]
    """Takes the `first`."""
    if flag:
        raise ValueError(second)


class Plain:
    """A class."""

    def bare(self, value: int) -> None: ...

    def told(self, value: int) -> None:
        """Takes `value`."""


def test_each_kind_of_lack_is_seen() -> None:
    assert list(lacks_of_function("f", undocumented)) == [
        "f: parameter second has no meaning",
        "f: parameter flag has no meaning",
        "f: ValueError is raised and not named",
    ]
    assert list(lacks_of_class("Plain", Plain)) == ["Plain.bare: has no docstring"]
