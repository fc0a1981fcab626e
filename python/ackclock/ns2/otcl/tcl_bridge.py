"""Between Python and Tcl: an interpreter, calls both ways, errors, and the unwinding that `catch` cannot stop."""

from __future__ import annotations

import os
import sys

from ackclock.ns2.bindings.tcl_object import NsError
from ackclock.ns2.otcl.file_names import file_of
from ackclock.ns2.otcl.tcl_convert import result, text, wrong_args

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn


class ScriptExit(BaseException):
    """The script said `exit`."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class ScriptError(Exception):
    """An error that nothing in the script caught."""

    def __init__(self, message: str, trace: str, event: str = "") -> None:
        super().__init__(message)
        self.message = message
        #: the scheduled event it happened in, such as: in at 1.5: "finish"
        self.event = event
        #: files that the script had sourced
        self.files: list[str] = []
        #: Tcl's errorInfo
        self.trace = trace
        #: the message with the script's name and line, once it has been looked for
        self.line = ""
        #: the file that a failed write was to, "" for other errors
        self.file = ""


def _load_tkinter() -> Any:
    """`_tkinter`, whose libraries look each function up when it is first called.

    Python has them look up all at once otherwise: five thousand of Tk and X that nobody calls here.
    """
    if not hasattr(sys, "setdlopenflags"):
        import _tkinter

        return _tkinter
    before = sys.getdlopenflags()
    sys.setdlopenflags(before & ~os.RTLD_NOW | os.RTLD_LAZY)
    try:
        import _tkinter

        return _tkinter
    finally:
        sys.setdlopenflags(before)


def _tcl() -> Any:
    """A Tcl interpreter without a display.

    Made by the extension module itself: tkinter.Tcl() would also run the user's profile files, and
    importing tkinter costs more than everything else here.
    """
    try:
        _tkinter = _load_tkinter()
    except ImportError:
        raise NsError(
            "this Python has no Tcl: install python3-tk (Debian, Ubuntu), python3-tkinter (Fedora) or tk (conda)"
        ) from None
    tk = _tkinter.create(None, "ackclock", "Tk", False, False, False, False, None)
    if not str(tk.eval("info patchlevel")).startswith("8."):
        raise NsError("this Python has Tcl 9, whose numbers print differently: a Python with Tcl 8.6 is needed")
    return tk


class TclBridge:
    """One Tcl interpreter, and the way into it and out of it."""

    def __init__(self, *, safe: bool) -> None:
        """A whole interpreter, or a safe one."""
        self.tk = _tcl()
        self.tk.eval("set tcl_precision 17")
        if safe:
            from ackclock.ns2.sandbox.filter import SafeTcl

            self.tk = SafeTcl(self.tk)
        #: what Tcl's own errors are in Python
        self.tcl_error: type[Exception] = _error_of_tcl()
        #: exceptions whose text is meant for the script's author
        self.plain_errors: tuple[type[Exception], ...] = (NsError, ValueError, OSError)
        #: whether Python is called from Tcl's top level, so that what Python evaluates is at the top level, too
        self.at_top = True
        self._abort: BaseException | None = None
        self._broken: BaseException | None = None

    # --- Python to Tcl ---

    def eval(self, script: str) -> str:
        """Evaluate a script at the top level."""
        return self.guarded(self.tk.eval, script)

    def at_event(self, now: Callable[[], float], script: str) -> None:
        """Evaluate the script of an event at the top level. As in ns-2, an error in it ends the whole run.

        `now` tells the time of the event, s.
        """
        try:
            if self.at_top:
                self.tk.eval(script)
            else:
                self.tk.call("uplevel", "#0", script)
        except self.tcl_error as error:
            try:
                self._failed(error)
            except ScriptError as found:
                if not found.event:
                    found.event = f'in at {now():.15g}: "{script}"'
                    self.event_failed(script, found)
                self.abort(found)
                raise

    def event_failed(self, script: str, error: ScriptError) -> None:
        """An event's script has ended with an error that nothing caught."""

    def tcl(self, *words: object) -> str:
        """Run one Tcl command, each argument one word."""
        return self.guarded(self.tk.call, *[text(word) for word in words])

    def guarded(self, function: Callable[..., Any], *args: object) -> str:
        """The result of a call of Tcl; an error of it is a `ScriptError`, or why everything ends."""
        try:
            return result(function(*args))
        except self.tcl_error as error:
            self._failed(error)

    def _failed(self, error: Exception) -> NoReturn:
        """An error of Tcl as Python is to have it."""
        if self._abort is not None:
            raise self._abort from None
        if str(error) == "eval unwound":
            raise KeyboardInterrupt from None
        # Either is missing where the script has put something of its own in the place of Tcl's `set`.
        found = ScriptError(str(error), self.get_variable("::errorInfo") or "")
        found.file = file_of(str(error))
        found.files = self.sourced()
        raise found from self._broken

    def sourced(self) -> list[str]:
        """The files that the script has sourced, as far as they may be read for a message."""
        try:
            return self.split(self.get_variable("::otcl::sourced") or "")
        except self.tcl_error:  # the script has written something of its own there
            return []

    def word(self, value: object) -> str:
        """A Python value as one Tcl word."""
        given = text(value)
        return given if isinstance(given, str) else str(self.tk.call("list", *given))

    def get_variable(self, name: str) -> str | None:
        """A Tcl variable by its full name, or None."""
        try:
            return result(self.tk.globalgetvar(name))
        except self.tcl_error:
            return None

    def set_variable(self, name: str, value: object) -> None:
        """Set a Tcl variable by its full name."""
        self.tk.globalsetvar(name, text(value))

    def split(self, tcl_list: str) -> list[str]:
        """The elements of a Tcl list."""
        if "\0" in tcl_list:  # which splitlist does not take: it gets what Unicode says is no character
            return [word.replace("\ufdd0", "\0") for word in self.tk.splitlist(tcl_list.replace("\0", "\ufdd0"))]
        return list(self.tk.splitlist(tcl_list))

    # --- Tcl to Python ---

    def command(self, name: str, function: Callable[..., Any]) -> None:
        """Make a Tcl command of a Python function."""
        self.tk.createcommand(name, self.as_command(name, function))

    def as_command(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """A Python function as Tcl is to call it; what it raises becomes a Tcl error."""

        def run(*args: str) -> Any:
            if self._abort is not None:
                raise self._abort
            try:
                value = function(*args)
                return value if type(value) is str else text(value)
            except BaseException as error:
                self._fail(error, name, function, args)
                raise

        return run

    def _fail(self, error: BaseException, name: str, function: Callable[..., Any], args: tuple[str, ...]) -> None:
        """Leave the right result in the Tcl interpreter for an exception that is on its way out."""
        if not isinstance(error, Exception):
            self.abort(error)
            return
        if isinstance(error, ScriptError):
            message, trace = error.message, error.trace
        else:
            trace = ""
            message = str(error)
            if isinstance(error, TypeError):
                message = wrong_args(name, function, args) or message
            elif isinstance(error, OverflowError):
                message = f"{name}: a number in its arguments is out of range"
            plain = (*self.plain_errors, self.tcl_error)
            if not isinstance(error, plain) and message == str(error):
                self._broken = error
                message = f"internal error: {type(error).__name__}: {error}"
        self._try("error", message, trace)

    def abort(self, reason: BaseException) -> None:
        """Unwind the script; `catch` does not stop it. The call from Python that started it raises `reason`."""
        self._abort = reason
        self.tk.eval("interp cancel -unwind")

    def settle(self) -> None:
        """Take back an unwinding that has nothing left to unwind."""
        self._abort = None
        for _ in range(2):
            self._try("set", "::errorInfo", "")

    def _try(self, *words: str) -> bool:
        """Run a Tcl command that may fail; whether it did not."""
        try:
            self.tk.call(*words)
        except self.tcl_error:
            return False
        return True


def _error_of_tcl() -> type[Exception]:
    import _tkinter

    error: type[Exception] = _tkinter.TclError
    return error
