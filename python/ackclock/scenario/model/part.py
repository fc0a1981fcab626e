"""What the parts of descriptions have in common, and what some of them are besides their keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock._native import check_part, read_deliveries
from ackclock.scenario.errors import ScenarioError
from ackclock.scenario.model.typed import Described, plain

if TYPE_CHECKING:
    from typing_extensions import Self


class Part(Described):
    """A part of a scenario. `crates/scenario` declares its keys and says what is wrong with them."""

    #: its name in the crate; without an annotation, which would be looked at once more for each class
    part = ""

    def check(self) -> None:
        """`ScenarioError` for what is wrong with the keys together."""
        try:
            check_part(self.part, self)
        except ScenarioError as error:
            # The value itself, such as a class, and not what the crate was told of it.
            if error.value is not None:
                error.value = self.__dict__.get(error.key, error.value)
            raise


class Direction(Part):
    """How a link sends in one direction."""

    def check(self) -> None:
        """Take a recording of deliveries in, so that a description does not depend on a file; `ScenarioError`."""
        given = self.__dict__["deliveries"]
        if isinstance(given, str):
            try:
                self.__dict__["deliveries"] = read_deliveries(given)
            except ScenarioError as error:
                raise error.under("deliveries") from None
        super().check()


class NamedQueue(Part):
    """A queue discipline, which has a name."""

    @property
    def name(self) -> str:
        """Its kind as a file has it: the engine's id or `module:Class`."""
        return str(plain(self.__dict__["kind"]))


class Whole(Part):
    """A whole description."""

    def _repr_html_(self) -> str:
        from ackclock.scenario.model.shown import as_html

        return as_html(self.table())

    def with_seed(self, seed: int | str | None) -> Self:
        """The same scenario with another `seed`, which is checked; the rest has been checked already."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, seed=seed)
        return other
