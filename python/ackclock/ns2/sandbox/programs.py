"""Which programs a script may start.

Viewers are skipped with a note: what they would show is in the files, and `ackclock view` or `ackclock plot` shows it.
gnuplot runs where its script draws into a file. Text tools run as asked. Anything else is refused by name.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
from itertools import pairwise

from ackclock._internal.escape import tell
from ackclock.ns2.bindings.tcl_object import NsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.ns2.otcl.interp import Interpreter

VIEWERS = """
    nam xgraph gnuplot tracegraph trgraph xmgr xmgrace gv ggv evince okular ghostview display eog feh
    firefox xdg-open konsole wish R Rscript octave matlab xterm gedit emacs vi vim nano less more
"""
#: viewer -> what shows the same; FILE stands for a file that the viewer was to show
_INSTEAD = {
    **dict.fromkeys(["nam"], "`ackclock view FILE` plays it"),
    **dict.fromkeys(
        ["xgraph", "gnuplot", "xmgr", "xmgrace", "R", "Rscript", "octave", "matlab"],
        "`ackclock plot FILE` draws columns of numbers",
    ),
    **dict.fromkeys(["tracegraph", "trgraph"], "`ackclock plot FILE` draws it"),
}
#: among them those that draw what a program in a language of theirs says
_INTERPRETERS = frozenset(["R", "Rscript", "octave", "matlab"])
#: viewers whose arguments are the data itself, not a program that reads data
_SHOW_DATA = frozenset(["nam", "xgraph", "xmgr", "xmgrace", "tracegraph", "trgraph"])
#: a terminal of gnuplot's that is a file's format (gnuplot 6, "Complete list of terminals")
_DRAWS = re.compile(
    r"^\s*set\s+term(?:inal)?\s+['\"]?(?:pngcairo|png|pdfcairo|pdf|svg|postscript|epscairo|eps|jpeg|gif|webp|cairolatex"
    r"|epslatex|latex|pslatex|tikz|fig|emf|canvas|dumb)\b",
    re.MULTILINE,
)
_OUTPUT = re.compile(r"^\s*set\s+out(?:put)?\s+\S", re.MULTILINE)

TOOLS = """
    awk gawk mawk nawk perl grep egrep fgrep zgrep sed cat zcat rm touch sort head tail cp mv mkdir rmdir
    ln echo printf wc cut tr paste join uniq tee date ls pwd sleep seq bc expr diff cmp comm column gzip
    gunzip basename dirname true false
"""
#: scripts of gnuplot are shorter
_MOST_SCRIPT_BYTES = 1_000_000

_VIEWERS = frozenset(VIEWERS.split())
_TOOLS = frozenset(TOOLS.split())


def may_run(interp: Interpreter, script: str, words: Sequence[str]) -> bool:
    """Whether to run this pipeline; False if a viewer in it means that it is skipped. `NsError` for other programs."""
    verdict = True
    for program in _programs(list(words)):
        name = program.rpartition("/")[2].split(" ")[0]
        if name == "gnuplot" and _draws_a_file(words) and interp.tk.call("auto_execok", program):
            continue
        if name in _VIEWERS:
            _skip(script, name, words)
            verdict = False
        elif name not in _TOOLS:
            if not interp.tk.call("auto_execok", program):
                # What Tcl does and says, without Tcl: the program may come into being meanwhile.
                _empty_outputs(words)
                why = "permission denied" if os.path.exists(program) else "no such file or directory"
                raise NsError(f'couldn\'t execute "{program}": {why}')
            raise NsError(
                f'the script asks to run "{program}", which ackclock does not start: '
                "only text tools such as awk, perl, grep, cat and rm run, and viewers are skipped"
                + ("; if it draws, `ackclock plot FILE` draws columns of numbers" if name.startswith("python") else "")
            )
    if verdict:
        interp.settle_files()
    return verdict


def viewers_only(script: str, words: Sequence[str]) -> None:
    """Skip a pipeline of viewers with a note. `NsError` for one of anything else."""
    for program in _programs(list(words)):
        if program.rpartition("/")[2].split(" ")[0] not in _VIEWERS:
            raise NsError(
                f'the script asks to run "{program}"; with --safe it may run no program, and viewers are skipped'
            )
    _skip(script, next(iter(_programs(list(words))), "").rpartition("/")[2].split(" ")[0], words)


def _skip(script: str, name: str, words: Sequence[str]) -> None:
    shown = _shown(words) if name in _SHOW_DATA else ""
    instead = f"; {_INSTEAD[name]}" if name in _INSTEAD else ""
    if shown:
        instead = instead.replace("FILE", shown).replace("columns of numbers", "it")
    why = "it runs programs of its own" if name in _INTERPRETERS else "it is a viewer"
    if name == "gnuplot" and _draws_a_file(words):
        why = "gnuplot is not installed"
    tell(f"{script}: not started, {why}: {' '.join(words)}{instead}")


def _shown(words: Sequence[str]) -> str:
    """The files among the words of a viewer, for a shell; empty where there are none."""
    return " ".join(shlex.quote(word) for word in words[1:] if not word.startswith("-") and os.path.isfile(word))


def _draws_a_file(words: Sequence[str]) -> bool:
    """Whether the scripts that gnuplot is given choose a file's format and a file."""
    parts = [word.replace(";", "\n") for flag, word in pairwise(words) if flag == "-e"]
    for word in words[1:]:
        with contextlib.suppress(OSError, ValueError):
            if not word.startswith("-") and os.path.getsize(word) < _MOST_SCRIPT_BYTES:
                with open(word, encoding="utf-8", errors="replace") as file:
                    parts.append(file.read().replace(";", "\n"))
    text = "\n".join(parts)
    return _DRAWS.search(text) is not None and _OUTPUT.search(text) is not None


def _empty_outputs(words: Sequence[str]) -> None:
    """Tcl opens the files that a pipeline writes before it finds that a program is missing."""
    for word, following in pairwise([*words, ""]):
        name = following if word in (">", ">&", "2>") else word[1:].lstrip("&")
        if (word[:1] == ">" and word[:2] != ">>") or word == "2>":
            with contextlib.suppress(OSError), open(name, "wb"):
                pass


def _programs(words: list[str]) -> list[str]:
    """The first word of each part of a pipeline."""
    while words and words[0].startswith("-"):
        if words.pop(0) == "--":
            break
    found: list[str] = []
    first = True
    for word in words:
        if word in ("|", "|&"):
            first = True
        elif first:
            found.append(word)
            first = False
    return found
