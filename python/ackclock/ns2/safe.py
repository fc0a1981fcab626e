"""`ackclock ns2 --safe`: scripts of people one does not know.

The script runs in a safe interpreter of Tcl, which has no command that reaches out of it; OTcl and ns-2's classes are
the same. The commands that scripts do need for files are given back from the interpreter around it, for files in the
folder that the script is run in and below. No program is started, viewers are skipped as always, there is no network.
Time, memory and how much is written this does not limit: whoever starts the process does that.
"""

from __future__ import annotations

import os

from ackclock.ns2.peers import NsError
from ackclock.ns2.programs import viewers_only

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ackclock.ns2.interp import Interpreter

#: The safe interpreter's name in the one around it.
_CHILD = "script"

#: `file` about names alone, and about files.
_OF_NAMES = frozenset(("dirname", "extension", "join", "pathtype", "rootname", "split", "tail"))
_OF_FILES = frozenset(("exists", "isdirectory", "isfile", "mtime", "readable", "size", "writable"))
_OF_FOLDERS = frozenset(("copy", "delete", "mkdir", "rename"))

#: What a script may ask of the clock: a time zone or a locale would be the name of a file.
_CLOCK = frozenset(("-format", "-gmt"))

#: Commands that are refused by name.
_REFUSED = ("cd", "encoding", "glob", "load", "socket", "unload")


class SafeTcl:
    """A safe interpreter in place of a whole one: what `Interpreter` calls of `_tkinter`'s object."""

    def __init__(self, whole: Any) -> None:
        self.whole = whole
        self._made = 0
        whole.call("interp", "create", "-safe", _CHILD)
        for channel in ("stdout", "stderr"):
            whole.call("interp", "share", "", channel, _CHILD)
        # Tcl's own would look for programs and packages.
        self.eval('proc unknown {name args} { return -code error "invalid command name \\"$name\\"" }')
        self.splitlist = whole.splitlist
        self.interpaddr = whole.interpaddr

    def eval(self, script: str) -> Any:
        """Evaluate a script."""
        return self.whole.call("interp", "eval", _CHILD, script)

    def call(self, *words: object) -> Any:
        """Run one command."""
        return self.whole.call("interp", "eval", _CHILD, words)

    def globalgetvar(self, name: str) -> Any:
        """A variable by its full name."""
        return self.call("set", name)

    def globalsetvar(self, name: str, value: object) -> None:
        """Set a variable by its full name."""
        self.call("set", name, value)

    def createcommand(self, name: str, function: Callable[..., Any]) -> None:
        """Make a command of a Python function."""
        self._made += 1
        outside = f"python{self._made}"
        self.whole.createcommand(outside, function)
        self.whole.call("interp", "alias", _CHILD, name, "", outside)

    def hidden(self, *words: object) -> Any:
        """Run a command of the safe interpreter that its scripts cannot call."""
        return self.whole.call("interp", "invokehidden", _CHILD, *words)


class Fence:
    """The commands that reach files, for one interpreter; `script` may be read wherever it is."""

    def __init__(self, interp: Interpreter, script: str) -> None:
        self.interp = interp
        self.tk: SafeTcl = interp.tk
        self.folder = os.path.realpath(os.getcwd())
        self.script = script
        given: dict[str, Callable[..., Any]] = {
            "clock": self._clock,
            "exec": self._exec,
            "fconfigure": self._fconfigure,
            "file": self._file,
            "open": self._open,
            "pwd": lambda: ".",
            "source": self._source,
        }
        for name, function in given.items():
            interp.command(f"::{name}", function)
        for name in _REFUSED:
            interp.command(f"::{name}", self._refusal(name))

    def inside(self, name: str) -> str:
        """The path of a file that the script may use. `NsError` for any other."""
        if name == os.devnull:
            return name
        if "\0" in name:
            raise NsError(f'"{name}" is no name of a file')
        path = os.path.realpath(os.path.join(self.folder, name))
        if os.path.commonpath([self.folder, path]) == self.folder:
            return path
        raise NsError(f'"{name}" is not in the folder that the script is run in: it may use no other (--safe)')

    def _open(self, name: str, *args: str) -> Any:
        if name.startswith("|"):
            viewers_only(self.script, self.tk.splitlist(name[1:]))
            name = os.devnull
        return self.interp.guarded(self.tk.hidden, "open", self.inside(name), *args)

    def _exec(self, *words: str) -> None:
        viewers_only(self.script, words)

    def _source(self, *words: str) -> Any:
        if words[-1:] == (self.script,):
            return self.interp.guarded(self.tk.hidden, "source", self.script)
        if len(words) != 1:
            raise NsError("source takes the name of a file (--safe)")
        return self.interp.guarded(self.tk.hidden, "source", self.inside(words[0]))

    def _fconfigure(self, *words: str) -> Any:
        return self.interp.guarded(self.tk.hidden, "fconfigure", *words)

    def _file(self, what: str, *args: str) -> Any:
        if what == "channels":
            return self.interp.guarded(self.tk.call, "chan", "names", *args)
        if what in _OF_NAMES:
            return self.interp.guarded(self.tk.whole.call, "file", what, *args)
        if what in _OF_FILES and len(args) == 1:
            return self.interp.guarded(self.tk.whole.call, "file", what, self.inside(args[0]))
        if what in _OF_FOLDERS:
            return self.interp.guarded(
                self.tk.whole.call, "file", what, *(arg if arg == "-force" else self._below(arg) for arg in args)
            )
        raise NsError(f"file {what} is not among what a script may do with files (--safe)")

    def _below(self, name: str) -> str:
        path = self.inside(name)
        if path in (self.folder, os.devnull):
            raise NsError(f'"{name}" is not in the folder that the script is run in: it may change no other (--safe)')
        return path

    def _clock(self, what: str, *args: str) -> Any:
        options = args[1::2] if what == "format" else args
        if what in ("add", "scan") or (what == "format" and not _CLOCK.issuperset(options)):
            raise NsError(
                "of clock a script may use seconds, clicks, milliseconds, and format with -format and -gmt (--safe)"
            )
        return self.interp.guarded(self.tk.whole.call, "clock", what, *args)

    @staticmethod
    def _refusal(name: str) -> Callable[..., Any]:
        def refuse(*_: str) -> None:
            raise NsError(f"a script may not use {name} (--safe)")

        return refuse
