"""Objects that are there, and not made yet."""

from __future__ import annotations

from bisect import bisect_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from ackclock.ns2.peers import TclObject

    class Whole(Protocol):
        """What promised objects are the parts of."""

        def finish(self, peer: Any, place: int) -> None:
            """The part in this place was just made: tell it what it is to know."""


class Plan:
    """How objects of a class begin, where no script has a say in it."""

    __slots__ = ("args", "bound", "class_name", "made_from")

    def __init__(
        self, class_name: str, made_from: type[TclObject], args: tuple[str, ...], bound: dict[str, float]
    ) -> None:
        self.class_name = class_name
        self.made_from = made_from
        self.args = args
        #: the first values of the bound variables
        self.bound = bound


class Promises:
    """Parts of things, with handles one after the other, each made when somebody asks for it.

    Of the objects behind a flow, scripts name half at most.
    """

    def __init__(self) -> None:
        #: of each thing the number in its first part's handle, in order; how its parts begin; the thing itself
        self._first: list[int] = []
        self._plans: list[tuple[Plan, ...]] = []
        self._wholes: list[Whole] = []
        #: handles of what was made and is no more
        self._gone: set[str] = set()

    def add(self, first: int, plans: tuple[Plan, ...], whole: Whole) -> None:
        """Parts whose handles begin with this number."""
        self._first.append(first)
        self._plans.append(plans)
        self._wholes.append(whole)

    def of(self, handle: str) -> tuple[Plan, Whole, int] | None:
        """How an object is to begin, what it is a part of, and its place among the parts."""
        number = handle_number(handle)
        at = bisect_right(self._first, number) - 1
        if at < 0 or handle in self._gone:
            return None
        plans, place = self._plans[at], number - self._first[at]
        return (plans[place], self._wholes[at], place) if place < len(plans) else None

    def of_class(self, class_name: str) -> list[str]:
        """Handles of all objects of a class."""
        return [
            f"_o{first + place}"
            for first, plans in zip(self._first, self._plans, strict=True)
            for place, plan in enumerate(plans)
            if plan.class_name == class_name
        ]

    def forget(self, handle: str) -> None:
        """There is no such object any more."""
        if self.of(handle) is not None:
            self._gone.add(handle)


def handle_number(handle: str) -> int:
    """The number in a handle such as _o12; 0 for any other name, such as _o012."""
    number = handle[2:]
    is_one = handle[:2] == "_o" and number.isdecimal() and number.isascii() and number[0] != "0" and len(number) < 16
    return int(number) if is_one else 0
