"""What is wrong with a description: where it stands, what was expected, and what comes nearest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


class ScenarioError(ValueError):
    """A description that cannot be simulated. Its attributes say what the message says.

    `file` and `line` are set when it was read from a file, `key` is the path in it (`flows.0.tcp`), `value` what
    stands there, `expected` what should, `nearest` the known name that looks most like the value.
    """

    def __init__(
        self,
        expected: str,
        *,
        key: str = "",
        value: Any = None,
        nearest: str | None = None,
        file: Path | None = None,
        line: int | None = None,
    ) -> None:
        self.expected, self.key, self.value, self.nearest = expected, key, value, nearest
        self.file, self.line = file, line
        super().__init__(expected)

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.file and self.line else f"{self.file}: " if self.file else ""
        what = f"{self.key} = {_shown(self.value)}" if self.value is not None else self.key
        near = f"; nearest known: {self.nearest}" if self.nearest else ""
        return f"{place}{what + ': ' if what else ''}{self.expected}{near}"

    def under(self, key: str | int) -> ScenarioError:
        """The same error of a part that stands under this key."""
        joined = f"{key}.{self.key}" if self.key else str(key)
        return type(self)(self.expected, key=joined, value=self.value, nearest=self.nearest)

    def at(self, file: Path, line: int | None) -> ScenarioError:
        """The same error, in a file."""
        return type(self)(self.expected, key=self.key, value=self.value, nearest=self.nearest, file=file, line=line)


class RenamedError(ScenarioError):
    """A key or name that an older version had; the message has the present one."""


def renamed(old: str, new: Mapping[str, str], key: str = "") -> None:
    """`RenamedError` for a name that has become another one; `new` has the present names by the old ones."""
    if old in new:
        raise RenamedError(f'renamed; expected "{new[old]}"', key=key, value=old)


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that looks most like this one, if any does."""
    from ackclock._native import nearest_name  # only for a mistake

    def text(word: str) -> str:
        """The bytes of a file's name may be no text."""
        return word.encode(errors="replace").decode()

    texts = {text(word): word for word in known}
    found = nearest_name(text(name), list(texts))
    return None if found is None else texts[found]


def choose(value: str, known: Iterable[str], what: str, key: str = "") -> str:
    """The value, if it is known; `ScenarioError` with the nearest known name if not."""
    names = list(known)
    if value not in names:
        listed = ", ".join(names) if len(names) <= 12 else f"{', '.join(names[:12])}, ... (`ackclock list` has all)"
        raise ScenarioError(f"expected {what}: {listed}", key=key, value=value, nearest=nearest(str(value), names))
    return value
