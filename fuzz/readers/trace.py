"""Trace files put to use from Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ackclock import trace
from fuzz.reading import Offer, Violation, kind_of

#: What a use says: a file that is damaged, or an interval that does not fit it.
Use = Callable[[trace.Trace], object]


def offers(file: Path, uses: list[Use]) -> Offer:
    """Offers inputs as this file to each use."""

    def offer(data: bytes) -> str:
        file.write_bytes(data)
        kinds = []
        for use in uses:
            try:
                use(trace.read(file))
                kinds.append("good")
            except trace.TraceError as error:
                if not str(error).startswith(f"{file}: "):
                    raise Violation(f"the error does not say the file: {error}") from error
                kinds.append(kind_of(str(error).partition(": ")[2].partition("; read before it")[0]))
        return kinds[0]

    return offer
