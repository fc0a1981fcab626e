"""Which programs a script may start.

Viewers are skipped with a note: what they would show is in the files, and `ackclock view` shows it. Text tools run
as asked. Anything else is refused by name.
"""

from __future__ import annotations

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
TOOLS = """
    awk gawk mawk nawk perl grep egrep fgrep zgrep sed cat zcat rm touch sort head tail cp mv mkdir rmdir
    ln echo printf wc cut tr paste join uniq tee date ls pwd sleep seq bc expr diff cmp comm column gzip
    gunzip basename dirname true false
"""
_VIEWERS = frozenset(VIEWERS.split())
_TOOLS = frozenset(TOOLS.split())


def may_run(interp: Interpreter, script: str, words: Sequence[str]) -> bool:
    """Whether to run this pipeline; False if a viewer in it means that it is skipped. `NsError` for other programs."""
    verdict = True
    for program in _programs(list(words)):
        name = program.rpartition("/")[2].split(" ")[0]
        if name in _VIEWERS:
            tell(f"{script}: not started, it is a viewer: {' '.join(words)}")
            verdict = False
        elif name not in _TOOLS:
            raise NsError(
                f'the script asks to run "{program}", which ackclock does not start: '
                "only text tools such as awk, perl, grep, cat and rm run, and viewers are skipped"
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
    tell(f"{script}: not started, it is a viewer: {' '.join(words)}")


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
