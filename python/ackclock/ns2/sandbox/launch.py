"""`ackclock ns2 --safe`: starts a script that is not trusted, in a process that the operating system confines.

Two walls stand around such a script. The first is the filter: a safe interpreter of Tcl
(`ackclock.ns2.sandbox.filter`). The second is here: a new Python process with nothing of its parent's, which loads
all that it may need, and then lets the kernel take away every file outside the script's folder, all programs and the
network (`crates/sandbox`). A mistake in one wall alone is not an escape; the tests take each away in turn.

The parent process holds it to its limits (`ackclock.execution.supervise`).
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.execution.limits import Limits

#: The walls by the value of `--safe`; "sandbox-only" is for tests.
WALLS = {"": ("filter", "sandbox"), "filter-only": ("filter",), "sandbox-only": ("sandbox",)}

#: What the new process runs. The folder of this package comes last on the path: the standard library is found first.
_BOOT = "import sys; sys.path.append(sys.argv[1]); from ackclock.ns2.sandbox.launch import main; main(sys.argv[2:])"

#: Variables of the environment that the new process gets: they say how text is encoded and what time it is.
_KEPT = ("LANG", "LC_ALL", "LC_CTYPE", "TZ")


def run_confined(argv: Sequence[str], limits: Limits, defaults: str | None = None, *, walls: str = "") -> int:
    """Run a script behind the walls that `walls` names; the exit status.

    The script gets a process of its own, with limits or without.
    """
    # Nothing that this process still loads may come from the folder of the script: so no import stands above this.
    here = os.path.realpath(os.getcwd())
    sys.path[:] = [entry for entry in sys.path if os.path.isabs(entry) and os.path.realpath(entry) != here]

    import json

    from ackclock.execution.supervise import supervise

    status = supervise(limits, argv[0] if argv else "standard input", marks_files=True)
    if status is not None:
        return status
    root = os.path.realpath(__file__)
    for _ in __name__.split("."):
        root = os.path.dirname(root)
    # -I: no variable of the environment, no folder of the user or the script. -S: no .pth files, which may run code.
    options = json.dumps([walls, defaults, limits.as_words()])
    line = [sys.executable, "-I", "-S", "-c", _BOOT, root, options, *argv]
    kept = {name: os.environ[name] for name in _KEPT if _is_plain(os.environ.get(name, ""))}
    sys.stdout.flush()
    sys.stderr.flush()
    os.closerange(3, _most_files())
    os.execve(sys.executable, line, kept)


def _is_plain(value: str) -> bool:
    """Whether a variable is set, and names no file."""
    return bool(value) and all(letter.isalnum() or letter in "_.@-+" for letter in value) and ".." not in value


def _most_files() -> int:
    try:
        return max(int(name) for name in os.listdir("/proc/self/fd")) + 1
    except (OSError, ValueError):
        return os.sysconf("SC_OPEN_MAX")


def main(words: list[str]) -> None:
    """The new process: load everything, run the script, end with its status."""
    import json

    from ackclock.execution.limits import given
    from ackclock.ns2 import main as run_script

    walls, defaults, limits = json.loads(words[0])
    preload()
    try:
        status = run_script(
            words[1:],
            defaults=defaults,
            safe="filter" in WALLS[walls],
            limits=given(limits),
            confine="sandbox" in WALLS[walls],
        )
    except KeyboardInterrupt:
        print("ackclock: interrupted", file=sys.stderr)
        status = 130
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        status = status or 1
    os._exit(status)


def preload() -> None:
    """Load what a script may need later: afterwards no file outside its folder can be read."""
    # Modules that the front end or the standard library load when they are first needed.
    import ctypes  # noqa: F401  (to cancel a script)
    import difflib  # noqa: F401  (nearest names)
    import encodings.ascii
    import encodings.latin_1
    import encodings.unicode_escape  # (hidden characters in messages)
    import encodings.utf_8  # noqa: F401
    import inspect  # noqa: F401  (arguments of methods)
    import linecache  # noqa: F401
    import resource  # noqa: F401
    import secrets  # noqa: F401  (seeds)
    import shutil  # noqa: F401
    import struct  # noqa: F401
    import time
    import traceback  # noqa: F401

    import ackclock._internal.escape  # noqa: F401
    from ackclock.ns2 import library
    from ackclock.ns2.bindings import catalogue

    library.load_all()
    catalogue.load_all()
    top = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    for folder, _, names in os.walk(top):
        package = f"ackclock.ns2{folder.removeprefix(top).replace(os.sep, '.')}"
        for name in names:
            if name.endswith(".py") and name != "__init__.py":
                __import__(f"{package}.{name.removesuffix('.py')}")
    time.localtime()
