"""What answers are made of, and requests' numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse

from ackclock.server.errors import Refusal
from ackclock.server.validate import parsed

#: Digits of a number in an address: more are no number of ours, and Python takes long over thousands.
MOST_DIGITS = 20


class Answer(JSONResponse):
    """JSON, in which what is not finite would be an error of ours: NaN is no JSON."""

    def render(self, content: Any) -> bytes:
        """The bytes."""
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        # A file may have half of a surrogate pair in it, which UTF-8 cannot say.
        return text.encode("utf-8", "replace")


def number(request: Request, name: str, kind: Callable[[str], Any], default: Any = None) -> Any:
    """A number of the query."""
    text = request.query_params.get(name)
    if text is None or text == "":
        return default
    try:
        value = kind(text)
        if math.isfinite(value):
            return value
    except (ValueError, OverflowError):
        pass
    expected = "a whole number" if kind is int else "a number of seconds"
    raise Refusal(400, f"{name}={text!r}: expected {expected}")


def place(request: Request, name: str) -> int:
    """A whole number in the address. `Refusal` (404) for anything else."""
    text = request.path_params[name]
    if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS:
        return int(text)
    raise Refusal(404, f"not found: {request.url.path}")


async def body(request: Request) -> dict[str, Any]:
    """A request's JSON."""
    return parsed(await request.body())
