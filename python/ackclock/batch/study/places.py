"""Where each sentence, figure, table and equation of a paper went: into a claim, or among what is not weighed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ackclock.batch.study.claim import Claim, Table, Unweighed
from ackclock.scenario.errors import ScenarioError

Item = Table | Claim | Unweighed


@dataclass(frozen=True)
class Place:
    """A place of the paper."""

    #: its name in the paper, such as "Section II"
    name: str
    #: the tables, claims and unweighed entries there
    items: tuple[Item, ...]


def where_of(item: Item) -> str:
    """Where an item stands in the paper."""
    return item.place if isinstance(item, Unweighed) else item.where


def named(where: str, places: Sequence[str]) -> list[str]:
    """The places that `where` names, one for each part between semicolons. `ScenarioError` for an unknown one.

    A part begins with the place's name: "Section II, Table 2" stands at "Section II". The longest name counts.
    """
    found = []
    for part in (part.strip() for part in where.split(";")):
        fitting = [name for name in places if _begins(part, name)]
        if not fitting:
            raise ScenarioError(f"no place of the paper begins so; paper.places has {', '.join(places)}", value=part)
        found.append(max(fitting, key=len))
    return list(dict.fromkeys(found))


def _begins(part: str, name: str) -> bool:
    return part.startswith(name) and not part[len(name) : len(name) + 1].isalnum()


def by_place(places: Sequence[str], items: Sequence[tuple[str, Item]]) -> Iterator[Place]:
    """The places in order, each with what stands there. `items` come with their keys in `claims.toml`.

    Without `places` they are those of the items, in the order of the file. Raises `ScenarioError` where an item stands
    at no known place, and for a place at which nothing stands.
    """
    names = list(places) or list(dict.fromkeys(where_of(item) for _, item in items))
    found: dict[str, list[Item]] = {name: [] for name in names}
    for key, item in items:
        try:
            at = named(where_of(item), names) if places else [where_of(item)]
        except ScenarioError as error:
            name = "place" if isinstance(item, Unweighed) else "where"
            raise ScenarioError(error.expected, key=f"{key}.{name}", value=error.value) from None
        for name in at:
            found[name].append(item)
    for number, name in enumerate(names):
        if not found[name]:
            says = "no claim, table or unweighed entry stands here"
            raise ScenarioError(says, key=f"paper.places.{number}", value=name)
        yield Place(name, tuple(found[name]))
