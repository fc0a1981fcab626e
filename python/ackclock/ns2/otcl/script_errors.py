"""Where in the script an error is, and how it is told.

Tcl's errorInfo gives lines relative to the body that was running. The definitions are looked up in the script's text,
so that a message names a line one can go to.
"""

from __future__ import annotations

import re
import stat
from pathlib import Path

from ackclock.ns2.otcl.file_names import file_first
from ackclock.ns2.otcl.interp import ScriptError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_MARK = re.compile(
    r'^    \((?:procedure "(?P<procedure>.+)" line (?P<in_procedure>\d+)'
    r'|file "(?P<file>.+)" line (?P<in_file>\d+)'
    r'|".*" .*line (?P<in_body>\d+))\)$',
    re.MULTILINE,
)
#: A script is smaller than this, bytes; of errorInfo so much is looked at, characters.
_MAX_BYTES = 10 << 20
_MAX_TRACE = 1 << 20
_INNER = re.compile(r'"\{?::otcl::m::([^"}]*)\}? self class proc ?')


def plain_message(message: str) -> str:
    """The message without names that only this front end knows."""
    message = _INNER.sub(r'"\1 ', message).replace("::otcl::m::", "")
    message = file_first(message)
    return message.replace(' "', '"') if message.endswith(' "') else message


def _text(file: Path) -> str:
    """The text of a script; "" for what is no regular file (a pipe may never end), or too large to be a script."""
    try:
        found = file.stat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > _MAX_BYTES:
            return ""
        return file.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):  # ValueError: a name with a NUL
        return ""


def _definition(name: str, files: list[Path]) -> tuple[Path, int] | None:
    """File and line of `proc name`, or of the instproc that is called "Class name" inside."""
    name = name.removeprefix("::otcl::m::").removesuffix(" (proc)").removeprefix("::")
    owner, _, method = name.rpartition(" ")
    if owner:
        pattern = rf"^[ \t]*{re.escape(owner)}[ \t]+(?:inst)?proc[ \t]+{re.escape(method)}(?=\s)"
        loose = rf"^[ \t]*\S+[ \t]+(?:inst)?proc[ \t]+{re.escape(method)}(?=\s)"
    else:
        pattern = loose = rf"^[ \t]*proc[ \t]+(?:::)?{re.escape(name)}(?=\s)"
    for file in files:
        text = _text(file)
        match = re.search(pattern, text, re.MULTILINE) or re.search(loose, text, re.MULTILINE)
        if match is not None:
            return file, text.count("\n", 0, match.start()) + 1
    return None


def place(trace: str, script: str, sourced: Sequence[str] = ()) -> tuple[str, int | None]:
    """File and line of the innermost command of the script that was running."""
    # A script can write into errorInfo what it likes: no file is read because it is named there.
    marks = list(_MARK.finditer(trace[-_MAX_TRACE:]))
    files = [Path(name) for name in (script, *sourced) if name]
    where: str = script
    line: int | None = None
    for mark in reversed(marks):
        if mark["file"]:
            where, line = mark["file"], int(mark["in_file"])
        elif mark["procedure"]:
            found = _definition(mark["procedure"], files)
            if found is not None:
                where, line = str(found[0]), found[1] + int(mark["in_procedure"]) - 1
        elif line is not None:
            line += int(mark["in_body"]) - 1
    return where, line


def _line_of_event(event: str, script: str) -> int | None:
    """The line of the script that puts this event down, where one line alone has its command."""
    command = event.partition(': "')[2].removesuffix('"').split("\n")[0].strip()
    if not command or not script:
        return None
    lines = _text(Path(script)).split("\n")
    found = [number for number, text in enumerate(lines, 1) if re.search(r"\bat\b", text) and command in text]
    return found[0] if len(found) == 1 else None


def told(error: ScriptError, script: str) -> str:
    """One line for standard error: SCRIPT:LINE: message (in at 1.5: "finish")."""
    where, line = place(error.trace, script, error.files)
    if line is None and error.event:
        line = _line_of_event(error.event, script)
    head = f"{where or 'standard input'}:{line}" if line is not None else where or "standard input"
    message = " ".join(plain_message(error.message).split("\n"))
    if error.file:
        message = f"{error.file}: {message}"
    tail = f" ({error.event})" if error.event else ""
    return f"{head}: {message}{tail}"
