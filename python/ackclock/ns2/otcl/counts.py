"""Class variables that count what was made: `Link set nl_`."""

from __future__ import annotations

from ackclock import _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.ns2.otcl.interp import Interpreter


class Count:
    """One of them. It is counted here; Tcl's variable has the number when Tcl looks at it."""

    def __init__(self, interp: Interpreter) -> None:
        self._interp = interp
        self._path = ""
        #: the number itself, where the extension counts, too
        self.kept = _native.Count()

    def show(self, path: str, command: str) -> None:
        """Tcl has a variable of that full name for it, from now on; `command` is a name for what it calls then."""
        self._path = path
        self._interp.command(command, self._looked_at)
        self._interp.tk.call("::otcl::trace_variable", path, ("read", "write"), (command,))

    def _looked_at(self, name: str, element: str, operation: str) -> None:
        if operation == "write":
            self.kept.forget()
        elif self.kept.value() is not None:
            self._interp.set_variable(self._path, self.kept.value())

    def next(self) -> int:
        """The number of one more."""
        value = self.now()
        self.kept.set(value + 1)
        return value

    def now(self) -> int:
        """How many there are."""
        value = self.kept.value()
        if value is None:
            value = int(self._interp.get_variable(self._path) or "")
            self.kept.set(value)
        return value

    def set(self, value: int) -> None:
        """This many there are."""
        self.kept.set(value)
