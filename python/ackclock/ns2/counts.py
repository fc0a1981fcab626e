"""Class variables that count what was made: `Link set nl_`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.ns2.interp import Interpreter


class Count:
    """One of them. It is counted here; Tcl's variable has the number when Tcl looks at it."""

    def __init__(self, interp: Interpreter, class_name: str, name: str) -> None:
        self._interp = interp
        self._path = interp.of_class(class_name).path(name)
        self._value = 0
        #: whether the script has written to the variable since
        self._is_stale = True
        command = f"::otcl::count {class_name} {name}"
        interp.command(command, self._looked_at)
        interp.tk.call("trace", "add", "variable", self._path, ("read", "write"), (command,))

    def _looked_at(self, name: str, element: str, operation: str) -> None:
        if operation == "write":
            self._is_stale = True
        elif not self._is_stale:
            self._interp.set_variable(self._path, self._value)

    def next(self) -> int:
        """The number of one more."""
        if self._is_stale:
            self._value = int(self._interp.get_variable(self._path) or "")
            self._is_stale = False
        self._value += 1
        return self._value - 1

    def set(self, value: int) -> None:
        """So many there are."""
        self._value = value
        self._is_stale = False
