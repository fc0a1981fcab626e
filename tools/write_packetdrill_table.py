"""Run the packetdrill scripts of others, and write the table of their verdicts into docs/packetdrill-suites.md.

    python tools/write_packetdrill_table.py NAME=FOLDER [NAME=FOLDER...]

A name is the heading of a suite, its folder the one with its scripts, such as `gtests/net/tcp` of packetdrill or
`tools/testing/selftests/net/packetdrill` of Linux. The scripts themselves are not part of ackclock: they are under the
GPL.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

from ackclock._native import run_packetdrill

PAGE = Path(__file__).resolve().parents[1] / "docs" / "packetdrill-suites.md"
START = "<!-- measured -->\n"

#: Symbols that the suites' own runners define.
DEFINITIONS = [("MSS", "1460")]


def main(words: list[str]) -> int:
    """The exit status."""
    text = PAGE.read_text(encoding="utf-8").partition(START)[0] + START
    suites = [word.partition("=")[::2] for word in words]
    if not suites or not all(name and folder for name, folder in suites):
        print(__doc__)
        return 2
    results = [(name, verdicts(Path(folder))) for name, folder in suites]
    text += "| suite | passes | differs | not applicable |\n|---|---|---|---|\n"
    for name, found in results:
        counts = [
            sum(verdict == kind for verdict, _ in found.values()) for kind in ("passes", "differs", "not applicable")
        ]
        text += f"| {name} | {' | '.join(map(str, counts))} |\n"
    for name, found in results:
        text += f"\n## {name}\n\n{tables(found)}"
    PAGE.write_text(text, encoding="utf-8")
    return 0


def verdicts(folder: Path) -> dict[str, tuple[str, str]]:
    """Each script's verdict and its cause."""
    found = {}
    for path in sorted(folder.rglob("*.pkt")):
        name = str(path.relative_to(folder))
        try:
            verdict, message, _, _ = run_packetdrill(name, path.read_text(encoding="utf-8"), [], DEFINITIONS)
        except ValueError as error:
            verdict, message = "differs", f"cannot be read: {error}"
        found[name] = verdict, message
    return found


def tables(found: dict[str, tuple[str, str]]) -> str:
    """A suite's scripts: those that differ, those that are not applicable, those that pass."""
    text = "| differs | first difference |\n|---|---|\n"
    for name, (verdict, message) in found.items():
        if verdict == "differs":
            text += f"| `{short(name)}` | {cause(name, message)} |\n"
    features = defaultdict(list)
    for name, (verdict, message) in found.items():
        if verdict == "not applicable":
            features[re.sub(r" \(line \d+\)", "", message)].append(name)
    text += "\n| not applicable | scripts |\n|---|---|\n"
    for feature, names in sorted(features.items(), key=lambda entry: (-len(entry[1]), entry[0])):
        text += f"| {feature} | {listed(names)} |\n"
    passing = [name for name, (verdict, _) in found.items() if verdict == "passes"]
    return f"{text}\n| passes |\n|---|\n| {listed(passing)} |\n"


def short(name: str) -> str:
    """A script's name without its suffix."""
    return name.removesuffix(".pkt")


def listed(names: list[str]) -> str:
    """Names in a cell, by folder."""
    folders = defaultdict(list)
    for name in names:
        folder, _, file = short(name).rpartition("/")
        folders[folder].append(f"`{file}`")
    return "; ".join(
        f"{folder}: {', '.join(files)}" if folder else ", ".join(files) for folder, files in folders.items()
    )


def cause(name: str, message: str) -> str:
    """The first line of a message, with the two packets."""
    lines = message.removeprefix(f"{name}:").splitlines()
    first = re.sub(r"error handling packet: |runtime error in |error executing code: |live packet field ", "", lines[0])
    packets = [line.partition("packet: ")[2].strip() for line in lines[1:] if "packet: " in line]
    text = f"line {first}" + (f": {' / '.join(f'`{packet}`' for packet in packets[:2])}" if packets else "")
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
