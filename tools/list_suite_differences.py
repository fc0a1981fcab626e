"""Write docs/ns2-suite-differences.md anew from what a run of ns-2's own suite printed.

    python tools/list_suite_differences.py RESULT...

A result is text with a line `C sack/sack1: what differs` for each test that differs and `tier C: 10 of 12 identical`
at the end, of all three tiers together. The causes stay: they are in the page's own table, which is read first. A test
that differs and has no cause there is an error; its line is then written by hand, and the tool run again.
"""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "ns2-suite-differences.md"
TIERS = ("A", "B", "C")
HEAD = """
ackclock writes the same trace as ns-2.35, byte for byte, in {same:,} of the {total:,} wired tests of ns-2.35's
validation suite (Debian's package ns2-examples). Tests that need other files do not count. By group: {A} of one-way
TCP, drop-tail and RED queues, error models and traces; {B} of ECN, TFRC, RAP, Quick-Start, TCP-Linux, CBQ and other
queues, monitors and link changes; {C} of two-way TCP, SCTP, LANs, web traffic and other routing. The table lists
the others with their causes. *Refused* means an error that names what is missing, without a trace.
"""


def known_causes(page: str) -> dict[tuple[str, str], str]:
    """Suite and test -> cause, as the page has it now."""
    rows = re.findall(r"^\| ([\w-]+) \| (.+?) \| (.+) \|$", page, re.MULTILINE)
    return {(suite, test): cause for suite, tests, cause in rows for test in tests.split(", ")}


def page_of(results: str, causes: dict[tuple[str, str], str]) -> str:
    """The page. Raises `ValueError` if a tier's count or a test's cause is not there."""
    counts = {tier: (int(same), int(total)) for tier, same, total in re.findall(r"tier (\w): (\d+) of (\d+)", results)}
    if missing := [tier for tier in TIERS if tier not in counts]:
        raise ValueError(f"no closing line of tier {', '.join(missing)}: run the suite with all tiers")
    differ = re.findall(r"^(\w) ([\w-]+)/(\S+?): ", results, re.MULTILINE)
    if unknown := [f"{suite}/{test}" for _, suite, test in differ if (suite, test) not in causes]:
        raise ValueError(f"no cause in {PAGE.name} for {', '.join(unknown)}")
    rows: dict[tuple[str, str, str], list[str]] = {}
    for tier, suite, test in sorted(differ):
        rows.setdefault((tier, suite, causes[suite, test]), []).append(test)
    words = {tier: f"all {same}" if same == total else f"{same} of {total}" for tier, (same, total) in counts.items()}
    same, total = (sum(pair[place] for pair in counts.values()) for place in (0, 1))
    head = textwrap.fill(" ".join(HEAD.format(same=same, total=total, **words).split()), 138)
    table = [f"| {suite} | {', '.join(tests)} | {cause} |" for (_, suite, cause), tests in rows.items()]
    lines = [
        "# Differences in ns-2's own test suite",
        "",
        head,
        "",
        "| suite | tests | cause |",
        "|---|---|---|",
        *table,
    ]
    return "\n".join(lines) + "\n"


def main(results: list[str]) -> int:
    """Write the page; the exit status."""
    if not results:
        print(__doc__, file=sys.stderr)
        return 2
    causes = known_causes(PAGE.read_text(encoding="utf-8"))
    try:
        page = page_of("\n".join(Path(name).read_text(encoding="utf-8") for name in results), causes)
    except ValueError as error:
        print(f"{Path(__file__).name}: {error}", file=sys.stderr)
        return 1
    PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
