"""ackclock's TCP socket beside a kernel's, by recorded answers to random scripts.

`tools/judge_tcp.py` wrote the records: scripts, the packets that Linux sent, and TCP_INFO after each event. The seeds
that differ are listed with their first difference, so that a change for better or worse shows.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from tcp_judge.compare import Answer, compare  # noqa: E402

RECORDS = Path(__file__).with_name("kernel_tcp")
#: control -> the seeds whose answers differ from the kernel's, with the first difference
DIFFERS = json.loads((RECORDS / "differs.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("control", sorted(DIFFERS))
def test_packets_and_tcp_info_are_the_kernels(control: str) -> None:
    recorded = json.loads(gzip.decompress((RECORDS / f"{control}.json.gz").read_bytes()))
    found = {}
    for record in recorded["records"]:
        answer = Answer.from_json(json.dumps(record["answer"]))
        one = compare(record["script"], control, answer, tuple(recorded["fields"]))
        if one.difference is not None:
            found[str(record["seed"])] = one.difference
    # How each differs is listed, too: a script that differs for another reason than before is new.
    assert found == DIFFERS[control]
