"""The order of arrays' elements, which is that of Tcl's hash tables, for variables that are kept in Python.

A table grows when it has three elements for each of its places, and then has them in another order. To look for an
element that is not there makes room for it while Tcl looks, so that a table may grow by being asked.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ackclock.ns2.interp import Interpreter

#: elements at which a new table grows; then the same times this, and so on
FIRST_GROWTH, _TIMES = 12, 4


class Arrays:
    """The arrays among an object's variables, as long as none is taken away."""

    def __init__(self) -> None:
        #: how many variables and looks were followed
        self._seen = 0
        self._heard = 0
        #: array -> names of its elements as they came
        self._came: dict[str, list[str]] = {}
        #: array -> elements at which it grows next
        self._growth: dict[str, int] = {}
        #: array -> how many elements it had when it grew by a look
        self.looks: dict[str, list[int]] = {}
        #: array -> its elements in Tcl's order, and the variables that they are
        self._ordered: dict[str, tuple[list[str], list[str]]] = {}

    def follow(self, variables: dict[str, str], looked: Sequence[Any]) -> None:
        """Take in what has come since.

        `looked` says what was looked for in vain: how many variables there were then, the element's name, and so on.
        """
        if self._seen == len(variables) and self._heard == len(looked):
            return
        count = self._seen
        next_look = looked[self._heard] if self._heard < len(looked) else -1
        for name in list(variables)[self._seen :]:
            if count == next_look:
                next_look = self._hear(looked, count)
            count += 1
            if name[-1:] == ")":
                array, _, element = name[:-1].partition("(")
                came = self._came.setdefault(array, [])
                came.append(element)
                self._ordered.pop(array, None)
                if len(came) == self._growth.setdefault(array, FIRST_GROWTH):
                    self._growth[array] *= _TIMES
        self._hear(looked, count)
        self._seen = count

    def _hear(self, looked: Sequence[Any], count: int) -> int:
        """Looks while there were so many variables; how many there are at the next one, -1 if none follows."""
        while self._heard < len(looked) and looked[self._heard] <= count:
            array = looked[self._heard + 1].partition("(")[0]
            self._heard += 2
            elements = len(self._came.get(array, ()))
            if elements and elements + 1 == self._growth[array]:
                self._growth[array] *= _TIMES
                self.looks.setdefault(array, []).append(elements)
                self._ordered.pop(array, None)
        return looked[self._heard] if self._heard < len(looked) else -1

    def order(self, array: str, interp: Interpreter) -> tuple[list[str], list[str]]:
        """The names of an array's elements in Tcl's order, and the variables that they are; neither to be changed."""
        found = self._ordered.get(array)
        if found is None:
            names = self._came.get(array, [])
            if len(names) > 1:
                names = interp.split(interp.tk.call("::otcl::hashed", names, self.looks.get(array, ())))
            found = self._ordered[array] = names, [f"{array}({name})" for name in names]
        return found
