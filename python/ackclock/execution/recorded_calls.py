"""Calls that set an engine up, recorded once and repeated on other engines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ackclock._native import Simulation

#: A call made to an engine or to something in it, to be repeated on other engines. What engines return is numbered; the
#: engine itself is 0. In order: the method; the number of what it is called on; its arguments; those of them that are
#: numbered (place among the arguments, and number, or numbers of a list); whether what it returns is numbered. A plain
#: tuple, since Python unpacks one of a class much more slowly.
Call = tuple[Callable[..., object], int, list[Any], list[tuple[int, int | list[int]]], bool]


class Recorded:
    """Stands for an engine or something in it, and records the calls made to it."""

    def __init__(self, calls: list[Call], last: list[int], native: Any, number: int) -> None:
        self._calls, self._last, self._native, self._number = calls, last, native, number

    def __getattr__(self, name: str) -> Any:
        member = getattr(type(self._native), name)
        if not callable(member):
            return self._call(member.__get__)  # a property, such as a link's queue
        return lambda *words: self._call(member, *words)

    def _call(self, method: Callable[..., object], *words: Any) -> object:
        numbered: list[tuple[int, int | list[int]]] = []
        natives = list(words)
        for place, word in enumerate(words):
            if isinstance(word, Recorded):
                numbered.append((place, word._number))
                natives[place] = word._native
            elif isinstance(word, list) and word and isinstance(word[0], Recorded):
                numbered.append((place, [one._number for one in word]))
                natives[place] = [one._native for one in word]
        answer = method(self._native, *natives)
        is_made = type(answer).__module__ == Simulation.__module__
        # A call that was refused has raised, and is not repeated.
        kept = [None if place in dict(numbered) else word for place, word in enumerate(words)]
        self._calls.append((method, self._number, kept, numbered, is_made))
        if not is_made:
            return answer
        self._last[0] += 1
        return Recorded(self._calls, self._last, answer, self._last[0])


def repeat(calls: list[Call], engine: Simulation) -> None:
    """Make recorded calls on another engine."""
    made: list[Any] = [engine]
    for method, owner, words, numbered, is_made in calls:
        if numbered:
            words = words.copy()  # other threads repeat the same calls
            for place, number in numbered:
                words[place] = made[number] if isinstance(number, int) else [made[one] for one in number]
        answer = method(made[owner], *words)
        if is_made:
            made.append(answer)
