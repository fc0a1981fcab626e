"""Objects that are there, and not made yet."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ackclock.ns2.peers import TclObject


class Promise:
    """An object that is made when somebody asks for it: of the objects behind a flow, scripts name half at most."""

    __slots__ = ("args", "attributes", "class_name", "first", "made_from", "variables")

    made_from: type[TclObject]
    #: its bound variables, as they are when it is promised
    first: dict[str, float]

    def __init__(self, class_name: str, args: tuple[str, ...], attributes: dict[str, Any], variables: dict[str, str]):
        self.class_name = class_name
        self.args = args
        #: what is set on the Python object
        self.attributes = attributes
        #: its OTcl variables
        self.variables = variables

    def finish(self, peer: TclObject) -> None:
        """Give the object what it was promised with."""
        for name, value in self.attributes.items():
            setattr(peer, name, value)
        for name, value in self.variables.items():
            peer.vars[name] = value
