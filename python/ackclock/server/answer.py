"""What answers are made of, and requests' numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse

from ackclock.server.errors import Refusal


class Answer(JSONResponse):
    """JSON, in which what is not finite would be an error of ours: NaN is no JSON."""

    def render(self, content: Any) -> bytes:
        """The bytes."""
        return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


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


async def body(request: Request) -> dict[str, Any]:
    """A request's JSON."""
    try:
        asked = json.loads(await request.body())
    except (ValueError, RecursionError) as error:
        raise Refusal(400, f"the request is no JSON: {error}") from None
    if not isinstance(asked, dict):
        raise Refusal(400, "the request is no JSON object")
    return asked
