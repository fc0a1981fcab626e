"""What ns-2.35 has: its classes, their superclasses, class variables and bound variables.

Read from ns2_35.tsv, which tools/record_ns2_classes.py writes by asking the real program. A line is

    class TAB superclasses TAB variable:type=default TAB ...

where the type is `-` for a class variable that is not bound to the engine, and `=default` is absent for a
bound variable without a default. The line `(commands)` lists the commands that ns-2 adds to Tcl; the line `(late)`
lists classes with the variables that are bound late (`bound_late`).
"""

from __future__ import annotations

import os

from ackclock.ns2.otcl.values import remembered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

_NS2 = os.path.dirname(os.path.dirname(__file__))
#: methods of ns-2's classes by what they are written in
_IN_OTCL, _IN_CPP = "bindings/ns2_35_methods.tsv", "bindings/ns2_35_commands.tsv"


class Entry:
    """One class of ns-2."""

    __slots__ = ("defaults", "name", "parents", "types")

    def __init__(self, line: str) -> None:
        self.name, parents, *fields = line.split("\t")
        self.parents = parents.split()
        self.types: dict[str, str] = {}
        self.defaults: dict[str, str] = {}
        for field in fields:
            head, has_default, default = field.partition("=")
            variable, _, kind = head.partition(":")
            if kind != "-":
                self.types[variable] = kind
            if has_default:
                self.defaults[variable] = default


@remembered
def beside(name: str) -> str:
    """The text of a file below `ackclock/ns2`."""
    with open(os.path.join(_NS2, name), "rb") as file:
        return file.read().decode()


def _line(head: str) -> str:
    """The line that begins with this word; empty if there is none. A run asks for few, so nobody cuts up the file."""
    text = beside("bindings/ns2_35.tsv")
    begin = text.find(f"\n{head}\t") + 1 if head.isprintable() else 0
    return text[begin : text.index("\n", begin)] if begin else ""


def load_all() -> None:
    """Read every file that may be asked for later."""
    for folder in ("bindings/", "library/core/", "otcl/"):
        for name in os.listdir(os.path.join(_NS2, folder)):
            if name.endswith((".tcl", ".tsv", ".txt")):
                beside(folder + name)


@remembered
def lookup(name: str) -> Entry | None:
    """The class of that name in ns-2.35, or None."""
    line = _line(name) if name[:1] != "(" else ""
    return Entry(line) if line else None


def names() -> list[str]:
    """All classes of ns-2.35, a superclass before its subclasses."""
    return list(_places("bindings/ns2_35.tsv"))


@remembered
def _places(file: str) -> dict[str, int]:
    """The classes of a file with their places in it."""
    lines = (line for line in beside(file).splitlines() if line[:1] not in ("", "#", "("))
    return {line.partition("\t")[0]: place for place, line in enumerate(lines)}


@remembered
def ancestry(name: str) -> frozenset[str]:
    """All superclasses of a class."""
    entry = lookup(name)
    if entry is None:
        return frozenset()
    return frozenset(entry.parents).union(*(ancestry(parent) for parent in entry.parents))


def commands() -> frozenset[str]:
    """Commands that ns-2 adds to Tcl."""
    return frozenset(_line("(commands)").split("\t")[2:])


def bound_late(name: str) -> frozenset[str]:
    """Bound variables of a class that ns-2 binds when a script first names them: `instvar` gives the script's own
    variable, which follows the object's."""
    own = {words.partition(" ")[0]: words.split()[1:] for words in _line("(late)").split("\t")[2:]}
    return frozenset().union(*(own.get(known, ()) for known in (name, *ancestry(name))))


def newest_first(*classes: str) -> list[str]:
    """Subclasses in the order in which ns-2 tells them: the latest defined first."""
    places = _places("bindings/ns2_35.tsv")
    return sorted(classes, key=lambda name: -places.get(name, len(places)))


def hint(name: str) -> str:
    """What to say of a command that does not exist; "" if it has nothing to do with ns-2."""
    import difflib

    if name in commands():
        return "ns-2 has this command; ackclock does not have it yet"
    if "/" not in name:
        return ""
    close = difflib.get_close_matches(name, names(), n=1, cutoff=0.5)
    return f'no such class "{name}"' + (f"; nearest known: {close[0]}" if close else "")


def has_method(class_name: str, method: str) -> bool:
    """Whether ns-2's class has this method, in OTcl or in C++."""
    classes = ancestry(class_name) | {class_name}
    return any(_has(file, method, classes) for file in (_IN_OTCL, _IN_CPP))


def is_command(method: str, written_in: str, above: list[str]) -> bool:
    """Whether of the classes above the one in which a script has written a method, ns-2 has it in C++ alone."""
    return not _has(_IN_OTCL, method, above) and _has(_IN_CPP, method, [written_in, *above])


def _has(file: str, method: str, classes: Collection[str]) -> bool:
    words = (line.split("\t") for line in beside(file).splitlines())
    return any(head in classes and method in methods for head, *methods in words)


def no_such_method(class_name: str, library_class: str, handle: str, method: str, known: list[str]) -> str:
    """The message for a method that no class of the object has."""
    import difflib

    if has_method(library_class, method):
        return f'{class_name} {handle}: ns-2 has the method "{method}"; ackclock does not have it yet'
    close = difflib.get_close_matches(method, known, n=1)
    hint = f"; nearest known: {close[0]}" if close else ""
    return f'{class_name} {handle}: ackclock has no method "{method}"{hint}'
