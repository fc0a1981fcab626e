"""Packet traces by the trace tools of `ackclock.trace`; libFuzzer has the Rust beneath by itself."""

from __future__ import annotations

from pathlib import Path

from fuzz.readers.trace import offers
from fuzz.reading import Offer

WHAT = "packet traces (.tr) by the trace tools, from Python"
WORDS = b"+ - r d e h tcp ack cbr ------- C-----N ---A--- 0x12 -t {0.0".split()


def prepared(scratch: Path) -> Offer:
    """The way to offer it an input."""
    capture, table = scratch / "out.pcapng", scratch / "out.csv"
    return offers(
        scratch / "in.tr",
        [
            lambda trace: trace.stats(),
            lambda trace: trace.series("queue", 0.5),
            lambda trace: trace.series("throughput", 0.5, node=0),
            lambda trace: trace.throughput(1, "0.0", "1.0", 0.5),
            lambda trace: trace.packets(kind="tcp"),
            lambda trace: trace.write(capture),
            lambda trace: trace.write(table),
        ],
    )
