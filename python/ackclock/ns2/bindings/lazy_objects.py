"""Objects that exist for the script and are made when it first inspects them.

The extension keeps them (`ackclock._native.LazyObjects`): the parts of things, of which scripts name half at most, and
ordinary nodes, links, agents and applications. It answers for them until a script asks for more than it knows.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol

    from ackclock.ns2.bindings.tcl_object import TclObject
    from ackclock.ns2.otcl.interp import Interpreter

    class Whole(Protocol):
        """What promised objects are the parts of."""

        def finish(self, peer: Any, place: int) -> None:
            """The part in this place was just made: tell it what it is to know."""


class Plan:
    """How objects of a class begin, where no script has a say in it."""

    __slots__ = ("args", "bound", "class_name", "made_from")

    def __init__(
        self,
        class_name: str,
        made_from: type[TclObject] | None,
        args: tuple[str, ...] | None,
        bound: dict[str, float],
    ) -> None:
        self.class_name = class_name
        #: None until an object is made, for a library class that no script may have named yet
        self.made_from = made_from
        #: None for what stands for something of the engine that is there already
        self.args = args
        #: the first values of the bound variables
        self.bound = bound


class Kind:
    """What promised objects that are alike have in common: Python's side of what the extension knows of them."""

    #: how their parts begin
    plans: tuple[Plan, ...]

    def __init__(self, interp: Interpreter, plans: tuple[Plan, ...]) -> None:
        self.interp = interp
        self.plans = plans

    def finish(self, peer: Any, place: int, *facts: Any) -> None:
        """The part in this place was just made: tell it what is known of it."""
        raise NotImplementedError

    def answers(self) -> list[str]:
        """The methods that the extension may answer, since it is the library that would answer them."""
        raise NotImplementedError

    def library_answers(self, class_name: str, own: Mapping[str, Callable[..., Any]]) -> list[str]:
        """Those of these methods that have the library's function for objects of a class."""
        answer_of = self.interp.answer_of
        return [name for name, function in own.items() if answer_of(class_name, name) is function]
