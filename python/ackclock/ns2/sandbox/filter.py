"""The filter of `ackclock ns2 --safe`: what a script that is not trusted may call.

The script runs in a safe interpreter of Tcl, which has no command that reaches out of it; OTcl and ns-2's classes are
the same. Scripts need some commands for files: those are written here in Python (`safe_files.py`, `clock.py`), for
files in the folder that the script is run in and below. No program is started, viewers are skipped as always, there is
no network.

Rule: no word of a script reaches the trusted interpreter. An alias computes its answer in Python, or runs a hidden
command of the safe interpreter itself with options from a fixed list.

The operating system is a second wall behind this one: `ackclock.ns2.sandbox.confinement`.
"""

from __future__ import annotations

import os

from ackclock.ns2.bindings.tcl_object import NsError
from ackclock.ns2.sandbox.clock import clock
from ackclock.ns2.sandbox.programs import viewers_only
from ackclock.ns2.sandbox.safe_files import Files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ackclock.ns2.otcl.interp import Interpreter

#: The safe interpreter's name in the one around it.
_CHILD = "script"

#: Commands that are refused by name.
_REFUSED = ("cd", "encoding", "glob", "load", "socket", "unload")

#: Options of a channel that a script may read and set.
_CHANNEL_OPTIONS = frozenset(("-blocking", "-buffering", "-buffersize", "-encoding", "-eofchar", "-translation"))
#: Encodings that are compiled into Tcl. The name of another would be the name of a file.
_ENCODINGS = frozenset(("binary", "identity", "iso8859-1", "unicode", "utf-8"))


class SafeTcl:
    """A safe interpreter in place of a whole one: what `Interpreter` calls of `_tkinter`'s object."""

    def __init__(self, whole: Any) -> None:
        self._whole = whole
        self._made = 0
        whole.call("interp", "create", "-safe", _CHILD)
        for channel in ("stdout", "stderr"):
            whole.call("interp", "share", "", channel, _CHILD)
        # Tcl's own would look for programs and packages.
        self.eval('proc unknown {name args} { return -code error "invalid command name \\"$name\\"" }')
        # Tcl gives every safe interpreter the trusted one's `clock`.
        whole.call("interp", "alias", _CHILD, "clock", "")
        self.splitlist = whole.splitlist
        self.interpaddr = whole.interpaddr

    def eval(self, script: str) -> Any:
        """Evaluate a script."""
        return self._whole.call("interp", "eval", _CHILD, script)

    def call(self, *words: object) -> Any:
        """Run one command."""
        return self._whole.call("interp", "eval", _CHILD, words)

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
        self._whole.createcommand(outside, function)
        self._whole.call("interp", "alias", _CHILD, name, "", outside)

    def hidden(self, name: str, *words: str) -> Any:
        """Run a command of the safe interpreter that its scripts cannot call. It runs in that interpreter."""
        return self._whole.call("interp", "invokehidden", _CHILD, name, *words)


class SafeFilter:
    """The commands that reach files, for one interpreter; `script` may be read wherever it is."""

    def __init__(self, interp: Interpreter, script: str) -> None:
        self.interp = interp
        self.tk: SafeTcl = interp.tk
        self.files = Files(os.path.realpath(os.getcwd()), script)
        self.script = script
        #: where it is in a process that sees no symbolic link on the way to it
        self._resolved = os.path.realpath(script) if script else ""
        #: descriptors that the script has opened, by the channel's name: device and inode of each
        self._opened: dict[str, tuple[int, int]] = {}
        given: dict[str, Callable[..., Any]] = {
            "clock": clock,
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
        return self.files.inside(name)

    def may_read(self, name: str) -> bool:
        """Whether the script may read this file."""
        try:
            return bool(self.files.regular(name))
        except NsError:
            return False

    def has_opened(self, channel: str, descriptor: int) -> bool:
        """Whether this descriptor is the file that the script has opened under this name, and no later one."""
        try:
            found = os.fstat(descriptor)
        except OSError:
            return False
        return self._opened.get(channel) == (found.st_dev, found.st_ino)

    def _open(self, name: str, access: str = "r", permissions: str = "0666") -> Any:
        if name.startswith("|"):
            viewers_only(self.script, self.tk.splitlist(name[1:]))
            name = os.devnull
        path = self.files.regular(name)
        channel = str(self.interp.guarded(self.tk.hidden, "open", path, access, self.files.mode(permissions)))
        number = channel.removeprefix("file")
        if number.isdigit():
            found = os.fstat(int(number))
            self._opened[channel] = found.st_dev, found.st_ino
        return channel

    def _exec(self, *words: str) -> None:
        viewers_only(self.script, words)

    def _source(self, *words: str) -> Any:
        if words[-1:] == (self.script,):
            there = self.script if os.path.exists(self.script) else self._resolved
            return self.interp.guarded(self.tk.hidden, "source", there)
        if len(words) != 1:
            raise NsError("source takes the name of a file (--safe)")
        return self.interp.guarded(self.tk.hidden, "source", self.files.regular(words[0]))

    def _fconfigure(self, channel: str, *words: str) -> Any:
        for option in words[::2]:
            if option not in _CHANNEL_OPTIONS:
                raise NsError(f'bad option "{option}": a script may use {", ".join(sorted(_CHANNEL_OPTIONS))} (--safe)')
        for option, value in zip(words[::2], words[1::2], strict=False):
            if option == "-encoding" and value not in _ENCODINGS:
                raise NsError(f'unknown encoding "{value}": a script may use {", ".join(sorted(_ENCODINGS))} (--safe)')
        return self.interp.guarded(self.tk.hidden, "fconfigure", channel, *words)

    def _file(self, what: str, *args: str) -> Any:
        if what == "channels":
            return self.interp.guarded(self.tk.call, "::tcl::chan::names", *args)
        if what in self.files.HIDDEN_NAMES:
            return self.interp.guarded(self.tk.hidden, f"tcl:file:{what}", *args)
        if what in self.files.NAMES:
            return self.interp.guarded(self.tk.call, f"::tcl::file::{what}", *args)
        return self.files.command(what, args)

    @staticmethod
    def _refusal(name: str) -> Callable[..., Any]:
        def refuse(*_: str) -> None:
            raise NsError(f"a script may not use {name} (--safe)")

        return refuse
