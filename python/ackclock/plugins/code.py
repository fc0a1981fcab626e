"""The base of all classes of the user's own."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from random import Random


class PluginCode:
    """A class whose objects a run calls. Its source is hashed when the class is created: a file may change later."""

    #: names of attributes, numbers, whose changes are recorded
    traced: ClassVar[tuple[str, ...]] = ()

    #: the name of the flow or the link
    name: str
    #: random numbers that follow from the scenario's seed and the name
    random: Random

    _source_sha256: ClassVar[str | None]

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        source = None if cls.__module__.startswith("ackclock.plugins") else _source(cls)
        cls._source_sha256 = _sha256(source) if source else None


def _sha256(source: bytes) -> str:
    import hashlib  # only for classes of the user's own

    return hashlib.sha256(source).hexdigest()


def _source(cls: type) -> bytes | None:
    """The file of a class; its own text where there is no file (a notebook)."""
    try:
        return Path(inspect.getfile(cls)).read_bytes()
    except (OSError, TypeError):
        pass
    functions = [value for value in vars(cls).values() if inspect.isfunction(value)]
    try:
        return "".join(map(inspect.getsource, functions)).encode()
    except (OSError, TypeError):
        return None


def source_sha256(cls: type[PluginCode]) -> str | None:
    """sha256 of the source of a class, and of the user's classes that it is made from where they stand elsewhere;
    `None` where one has none that is known.
    """
    users = [
        one for one in cls.__mro__ if issubclass(one, PluginCode) and not one.__module__.startswith("ackclock.plugins")
    ]
    known = {one._source_sha256 for one in users or [cls]}
    if len(known) == 1:
        return known.pop()
    parts = sorted(digest for digest in known if digest)
    return _sha256("".join(parts).encode()) if len(parts) == len(known) and parts else None
