"""Record which commands ns-2's classes have in C++: python tools/record_ns2_commands.py SOURCE

SOURCE is a folder with the source of ns-2.35. The installed program cannot be asked for these commands, as
tools/record_ns2_classes.py asks it for the methods in OTcl. Read are the words that a `command` function compares with
the method's name, and which C++ class stands behind which class of OTcl. Written is
ackclock/ns2/bindings/ns2_35_commands.tsv, a line for each class: the commands that its superclasses do not have.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

from ackclock.ns2.bindings import catalogue

WRITTEN = Path(catalogue.__file__).with_name("ns2_35_commands.tsv")
HEAD = "# ns-2.35's commands written in C++, a line for each class. Written by tools/record_ns2_commands.py.\n"

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|^#if 0.*?^#endif", re.DOTALL | re.MULTILINE)
_CLASS = re.compile(r"\bclass\s+(\w+)\s*:\s*([^{;]+)\{")
_BASE = re.compile(r"(\w+)\s*(?:<[^>]*>)?\s*(?:,|$)")
_BEHIND = re.compile(r':\s*TclClass\("([^"]+)"\)(.{0,400}?)new\s+(\w+)', re.DOTALL)
_COMMAND = re.compile(r"\b(\w+)::command\s*\(\s*int[^)]*\)\s*\{")
_WORD = re.compile(r'str(?:n?case|n)?cmp\s*\(\s*argv\[1\]\s*,\s*"([^"\s]+)"')


class Source:
    """What the source says: superclasses and commands of C++ classes, and the C++ class of each OTcl class."""

    def __init__(self, folder: Path) -> None:
        self.bases: dict[str, list[str]] = defaultdict(list)
        self.behind: dict[str, str] = {}
        self.commands: dict[str, set[str]] = defaultdict(set)
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".cc", ".h"):
                self._read(_COMMENT.sub("", path.read_text(encoding="utf-8", errors="replace")))

    def _read(self, text: str) -> None:
        for name, bases in _CLASS.findall(text):
            self.bases[name] += _BASE.findall(bases.strip())
        self.behind |= {name: cpp for name, _, cpp in _BEHIND.findall(text)}
        for match in _COMMAND.finditer(text):
            self.commands[match[1]].update(_WORD.findall(_body(text, match.end())))

    def of(self, cpp: str) -> set[str]:
        """The commands of a C++ class, inherited ones included."""
        found, left, seen = set(), [cpp], set()
        while left:
            name = left.pop()
            if name not in seen:
                seen.add(name)
                found |= self.commands[name]
                left += self.bases[name]
        return found


def _body(text: str, start: int) -> str:
    depth, end = 1, start
    while depth and end < len(text):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return text[start:end]


def main() -> int:
    """Write the table."""
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        print("record_ns2_commands.py: expected the folder of ns-2.35's source", file=sys.stderr)
        return 2
    source = Source(Path(sys.argv[1]))
    known = {name: source.of(source.behind[name]) for name in catalogue.names() if name in source.behind}
    lines = []
    for name, commands in known.items():
        inherited = set().union(*(known.get(parent, set()) for parent in catalogue.ancestry(name)))
        if own := sorted(commands - inherited):
            lines.append("\t".join((name, *own)) + "\n")
    WRITTEN.write_text(HEAD + "".join(lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
