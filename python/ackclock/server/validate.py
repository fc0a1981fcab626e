"""What may come in a request: refused with a sentence before anything is started or written."""

from __future__ import annotations

import json
import math
from typing import Any

from ackclock.plugins.library import is_library
from ackclock.server.errors import Refusal

#: Tables and lists may be nested so deep: a scenario's are five deep.
MOST_DEEP = 64
#: A script gets at most so many arguments, and so many bytes of them. Linux lets one argument have 128 KiB (execve(2)).
MOST_ARGUMENTS = 1000
MOST_ARGUMENT_BYTES = 64 << 10
#: The name of a run is cut to so many characters.
MOST_NAME = 200
#: Whole numbers have at most 64 bits.
_LEAST, _GREATEST = -(1 << 63), (1 << 64) - 1


def parsed(body: bytes) -> dict[str, Any]:
    """The JSON object of a request. `Refusal` for what is none, or has in it what no answer to it could use."""
    try:
        asked = json.loads(body.decode("utf-8"), parse_constant=_constant, parse_float=_finite, parse_int=_whole)
    except RecursionError:
        raise Refusal(400, f"the request is not JSON that can be read: more than {MOST_DEEP} levels") from None
    except ValueError as error:
        raise Refusal(400, f"the request is not JSON: {error}") from None
    if not isinstance(asked, dict):
        raise Refusal(400, "the request is not a JSON object")
    _check(asked)
    return asked


def _constant(word: str) -> float:
    raise ValueError(f"{word} is not a number in JSON")


def _finite(word: str) -> float:
    number = float(word)
    if not math.isfinite(number):
        raise ValueError(f"{word[:20]} is too large a number")
    return number


def _whole(word: str) -> int:
    # Twenty digits and a sign are enough for 64 bits. Python takes long over many digits.
    number = int(word) if len(word) <= 21 else _GREATEST + 1
    if not _LEAST <= number <= _GREATEST:
        raise ValueError(f"{word[:20]}... is a whole number of more than 64 bits")
    return number


def _check(asked: dict[str, Any]) -> None:
    """`Refusal` for what is nested too deep, and for text that is no Unicode text."""
    level: list[object] = [asked]
    for _ in range(MOST_DEEP):
        inner: list[object] = []
        for value in level:
            if isinstance(value, dict):
                inner.extend(value)
                inner.extend(value.values())
            elif isinstance(value, list):
                inner.extend(value)
            elif isinstance(value, str):
                _check_text(value)
        if not inner:
            return
        level = inner
    raise Refusal(400, f"the request is nested more than {MOST_DEEP} levels deep")


def _check_text(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        # JSON can write half of a surrogate pair, which is no character (RFC 8259, section 8.2).
        raise Refusal(400, f"the request has text with half of a surrogate pair: {text[:40]!a}") from None


def words_of(arguments: object) -> list[str]:
    """A script's arguments. `Refusal` for what a command line cannot have."""
    if not isinstance(arguments, list) or not all(isinstance(word, str | int | float) for word in arguments):
        raise Refusal(400, "arguments: expected a list of strings")
    if len(arguments) > MOST_ARGUMENTS:
        raise Refusal(400, f"arguments: {len(arguments)} words; expected at most {MOST_ARGUMENTS}")
    words = [str(word) for word in arguments]
    if any("\0" in word for word in words):
        raise Refusal(400, "arguments: a word has a NUL character, which no command line can have")
    length = sum(len(word.encode()) + 1 for word in words)
    if length > MOST_ARGUMENT_BYTES:
        raise Refusal(400, f"arguments: {length} bytes; expected at most {MOST_ARGUMENT_BYTES}")
    return words


def described(table: object) -> str:
    """A scenario as it came, for the process that runs it. `Refusal` where it names Python or a file."""
    if not isinstance(table, dict):
        raise Refusal(422, "scenario: expected a table, as in a scenario file")
    _refuse_names(table)
    return json.dumps(table)


def _refuse_names(value: object, key: str = "") -> None:
    """`Refusal` for a control or queue that is a user's own code, and for a recording that is a file."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in parts:
        path = f"{key}.{name}" if key else str(name)
        if name in ("control", "kind", "queue") and isinstance(part, str) and ":" in part:
            raise Refusal(422, f"{path} = {part!r}: the page runs no Python; `ackclock run` does", path)
        if is_library(part):
            raise Refusal(422, f"{path} = {part!r}: the page loads no library; `ackclock run` does", path)
        if name == "deliveries" and isinstance(part, str):
            raise Refusal(
                422, f"{path} = {part!r}: the page reads no file; give the numbers, or use `ackclock run`", path
            )
        _refuse_names(part, path)
