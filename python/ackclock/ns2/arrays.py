"""The order of arrays' elements, which is that of Tcl's hash tables, for variables that are kept in Python."""

from __future__ import annotations

from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.ns2.interp import Interpreter


class Arrays:
    """The elements of arrays among an object's variables, as long as none is taken away."""

    def __init__(self) -> None:
        #: how many variables were looked at
        self._seen = 0
        #: array -> names of its elements as they came
        self._came: dict[str, list[str]] = {}
        #: array -> the same in Tcl's order
        self._ordered: dict[str, list[str]] = {}

    def names(self, array: str, variables: dict[str, str], interp: Interpreter) -> list[str]:
        """The names of an array's elements in Tcl's order, not to be changed."""
        for name in islice(variables, self._seen, None):
            if name[-1:] == ")":
                found, _, element = name[:-1].partition("(")
                self._came.setdefault(found, []).append(element)
                self._ordered.pop(found, None)
        self._seen = len(variables)
        ordered = self._ordered.get(array)
        if ordered is None:
            ordered = self._came.get(array, [])
            if len(ordered) > 1:
                ordered = interp.split(interp.tk.call("::otcl::hashed", ordered))
            self._ordered[array] = ordered
        return ordered
