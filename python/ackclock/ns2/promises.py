"""Objects that are there, and not made yet."""

from __future__ import annotations

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

    def place(self, handle: str) -> int:
        """Which of the parts has this handle."""
        return int(handle[2:]) - self.first
