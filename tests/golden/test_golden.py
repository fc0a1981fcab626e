"""What each sender gives through each queue discipline is what is on record, in figures that a person has reviewed."""

from __future__ import annotations

from difflib import unified_diff

import pytest

from figures import HERE, queues, table

MEANT = "If that is meant: `make golden`, review the difference, and say in CHANGELOG.md what changed and why."


@pytest.mark.parametrize("queue", queues())
def test_figures_are_those_on_record(queue: str) -> None:
    file = HERE / f"{queue}.txt"
    recorded, found = file.read_text(encoding="utf-8"), table(queue)
    changed = unified_diff(recorded.splitlines(), found.splitlines(), "on record", "found", lineterm="", n=0)
    assert recorded == found, "\n".join([*changed, MEANT])


def test_every_queue_has_a_table_and_no_other() -> None:
    assert sorted(path.stem for path in HERE.glob("*.txt")) == queues()
