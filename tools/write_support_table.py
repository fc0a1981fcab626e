"""Write docs/ns2-support.md: each class of ns-2 and each of its variables, as ackclock takes them.

    tools/write_support_table.py [--check]

Nothing in the table is written by hand: every class that ackclock has is made in a script, and every bound variable is
set to another value than its default. `--check` fails when the page is not what the code says.
"""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path

from ackclock.ns2.bindings import catalogue
from ackclock.ns2.bindings.tcl_object import REGISTRY, NsError, TclObject
from ackclock.ns2.library import load_all
from ackclock.ns2.library.core.engine import WITHOUT_EFFECT
from ackclock.ns2.otcl.interp import Interpreter, ScriptError
from ackclock.ns2.session import new_interpreter

PAGE = Path(__file__).parent.parent / "docs" / "ns2-support.md"

HEAD = """\
# Support of ns-2.35

This page is generated from the code by tools/write_support_table.py. It lists each class with its variables:

- **supported**: the variable has the same effect as in ns-2;
- **without effect**: it can be set and read, but no output depends on it. In ns-2 it is not bound
  either, or only prints debug output, or tunes the event list;
- **refused**: only its default is accepted; another value is an error that names it.

The second part lists the classes of ns-2 that are missing. Using one is an error that names it.
"""

#: how to make an object of a class whose `new` wants more than nothing
_MADE_BY = {
    "SimpleLink": "$ns link $a $b",
    "DelayLink": "[$ns link $a $b] link",
    "RandomVariable": "",
    "ErrorModel/Uniform": "new ErrorModel/Uniform 0.1",
    "ErrorModel/TwoState": "new ErrorModel/TwoState [new RandomVariable/Constant] [new RandomVariable/Constant]",
    "ErrorModel/Expo": "new ErrorModel/Expo {1 1}",
    "ErrorModel/TwoStateMarkov": "new ErrorModel/TwoStateMarkov {1 1}",
    **{
        f"Trace/{name}": f"$ns trace-queue $a $b [open /dev/null w]; [$ns link $a $b] set {variable}"
        for name, variable in (("Enque", "enqT_"), ("Deque", "deqT_"), ("Drop", "drpT_"), ("Recv", "rcvT_"))
    },
}
_OTHER_VALUES = {"bool": ("0", "1"), "bandwidth": ("3Mb",), "time": ("0.25",)}
_NUMBERS = ("1", "2", "0", "3")
#: parameters of SCTP's that the engine takes and that only say what ns-2 prints for its own developers
_OF_DEBUGGING = ("debugMask_", "debugFileIndex_")


def fresh() -> Interpreter:
    """An interpreter with a simulator and a link."""
    interp = new_interpreter()
    interp.eval("proc puts args {}")  # old classes say that they are old
    interp.eval("set ns [new Simulator]; set a [$ns node]; set b [$ns node]; $ns duplex-link $a $b 1Mb 1ms DropTail")
    return interp


def made(interp: Interpreter, name: str) -> TclObject | None:
    """An object of the class, or None where the class has no objects of its own."""
    if name.startswith("Queue/"):
        kind = name.removeprefix("Queue/")
        recipe = f"$ns simplex-link $a $b 1Mb 1ms {kind}; [$ns link $a $b] queue"
    else:
        recipe = _MADE_BY.get(name, f"new {name}")
    if not recipe:
        return None
    with contextlib.suppress(NsError, ScriptError, ValueError):
        return interp.find_peer(interp.eval(recipe))
    return None


def made_or_like(interp: Interpreter, name: str) -> TclObject | None:
    """An object of the class, or of the first of its subclasses that has objects."""
    below = [sub for sub in sorted(REGISTRY) if name in catalogue.ancestry(sub)]
    return next(filter(None, (made(interp, candidate) for candidate in (name, *below))), None)


def takes(interp: Interpreter, peer: TclObject, variable: str, kind: str) -> bool:
    """Whether a bound variable can have another value than it has."""
    present = peer.get_bound(variable)
    for value in _OTHER_VALUES.get(kind, _NUMBERS):
        try:
            if TclObject.convert_bound(peer, variable, value) == TclObject.convert_bound(peer, variable, present):
                continue
            interp.call(peer.handle, "set", variable, value)
        except (NsError, ScriptError):
            return False
        return True
    return True


def rows(name: str) -> list[tuple[str, str]] | None:
    """(variable, how it is taken) of a class; None where no object of it can be made."""
    interp = fresh()
    peer = made_or_like(interp, name)
    if peer is None:
        return None
    entry = catalogue.lookup(name)
    inherited: set[str] = set()
    for parent in catalogue.ancestry(name):
        above = catalogue.lookup(parent)
        if above is not None and parent in REGISTRY:
            inherited.update(above.types)
    found = []
    for variable, kind in sorted((entry.types if entry else {}).items()):
        if variable not in inherited:
            if variable in _OF_DEBUGGING or (variable in WITHOUT_EFFECT and variable in peer.bound):
                found.append((variable, "without effect"))
            else:
                found.append((variable, "supported" if takes(interp, peer, variable, kind) else "refused"))
    bound_below = {
        variable
        for below in REGISTRY
        if name in catalogue.ancestry(below) and (known := catalogue.lookup(below)) is not None
        for variable in known.types
    }
    unbound = sorted(set(entry.defaults) - set(entry.types) - bound_below) if entry else []
    found += [(variable, "without effect") for variable in unbound]
    return found


def page() -> str:
    """The page."""
    load_all()
    parts = [HEAD, "## Supported classes\n"]
    for name in sorted(REGISTRY):
        if catalogue.lookup(name) is None:
            continue
        variables = rows(name)
        if variables is None:
            parts.append(f"### {name}\n\nIts objects are created by other classes.\n")
            continue
        parts.append(f"### {name}\n")
        if not variables:
            parts.append("No variables of its own.\n")
            continue
        for how in ("supported", "without effect", "refused"):
            names = [variable for variable, taken in variables if taken == how]
            if names:
                parts.append(f"- {how}: " + ", ".join(f"`{variable}`" for variable in names))
        parts.append("")
    missing = [name for name in catalogue.names() if name not in REGISTRY and name not in ("Object", "SplitObject")]
    parts.append("## Missing classes\n")
    parts.append(", ".join(f"`{name}`" for name in sorted(missing)) + "\n")
    return "\n".join(parts)


def main(argv: list[str]) -> int:
    """Write or check."""
    with contextlib.redirect_stderr(io.StringIO()):  # and others warn
        text = page()
    if "--check" in argv:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
            print(f"{PAGE} is not what the code says: run tools/write_support_table.py", file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
