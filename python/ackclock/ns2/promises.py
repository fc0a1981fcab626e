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


class Promise:
    """Parts of something, with handles one after the other, each made when somebody asks for it.

    Of the objects behind a flow, scripts name half at most.
    """

    __slots__ = ("first", "plans", "whole")

    def __init__(self, first: int, plans: tuple[Plan, ...], whole: Whole) -> None:
        #: the number in the first part's handle
        self.first = first
        self.plans = plans
        self.whole = whole


class Promises:
    """All that was promised, in the order of handles."""

    def __init__(self) -> None:
        self._promises: list[Promise] = []
        self._first: list[int] = []
        #: handles of what was made and is no more
        self._gone: set[str] = set()

    def add(self, first: int, plans: tuple[Plan, ...], whole: Whole) -> None:
        """Parts whose handles begin with this number."""
        self._first.append(first)
        self._promises.append(Promise(first, plans, whole))

    def of(self, handle: str) -> tuple[Promise, int] | None:
        """The promise that an object is part of, and its place among the parts."""
        number = handle_number(handle)
        at = bisect_right(self._first, number) - 1
        if at < 0 or handle in self._gone:
            return None
        promise = self._promises[at]
        place = number - promise.first
        return (promise, place) if place < len(promise.plans) else None

    def of_class(self, class_name: str) -> list[str]:
        """Handles of all objects of a class."""
        return [
            f"_o{promise.first + place}"
            for promise in self._promises
            for place, plan in enumerate(promise.plans)
            if plan.class_name == class_name
        ]

    def forget(self, handle: str) -> None:
        """There is no such object any more."""
        if self.of(handle) is not None:
            self._gone.add(handle)


def handle_number(handle: str) -> int:
    """The number in a handle such as _o12; 0 for any other name."""
    number = handle[2:]
    return int(number) if handle[:2] == "_o" and number.isdecimal() and number.isascii() else 0
