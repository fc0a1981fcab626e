"""Traces and animations as the page plays them; libFuzzer has the Rust beneath by itself."""

from __future__ import annotations

import json
from pathlib import Path

from ackclock.server.errors import Refusal
from ackclock.server.recording import SERIES, Recording
from fuzz.reading import Offer, kind_of

WHAT = "animations (.nam) and traces as the page plays them, from Python"
WORDS = b"n l q c f v -t -s -d -S -r -D -o -a -x left-up 30deg nan cwnd_ sim_annotation".split()


def prepared(scratch: Path) -> Offer:
    """The way to offer it an input."""
    file = scratch / "in.nam"

    def offer(data: bytes) -> str:
        file.write_bytes(data)
        recording = Recording("it", "in.nam", file)
        try:
            head = recording.head()
            json.dumps(head, allow_nan=False)
            for number in range(len(head["chunks"])):
                recording.chunk(number)
            for what in SERIES:
                json.dumps(recording.series(what, None, None, 50), allow_nan=False)
            json.dumps(recording.state(head["end_s"]), allow_nan=False)
            recording.packet(0)
        except Refusal as refusal:
            return kind_of(refusal.sentence.partition(": ")[2].partition("; read before it")[0])
        finally:
            recording.close()
        return f"good: {len(head['notes'])} notes, {head['damage'] is None}"

    return offer
