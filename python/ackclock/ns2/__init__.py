"""The ns-2 front end: runs an ns-2 script on ackclock's engine.

`main` takes exactly the arguments of ns: SCRIPT ARGS..., or nothing for a script on standard input.
"""

from __future__ import annotations

import sys

from ackclock._internal.escape import tell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.execution.limits import Limits
    from ackclock.ns2.otcl.interp import Interpreter


def main(
    argv: Sequence[str] | None = None,
    make: Callable[[], Interpreter] | None = None,
    defaults: str | None = None,
    *,
    safe: bool = False,
    limits: Limits | None = None,
    confine: bool = False,
) -> int:
    """Run a script; the exit status that ns would have had.

    `make` gives another interpreter, `defaults` names the release whose values count (`ns2_29`) instead of 2.35's;
    with `safe` the script runs in a safe interpreter, whose commands reach nothing but files in the folder that it is
    run in; with `confine` the operating system sees to the same. `limits` say what it may take.
    """
    from ackclock.ns2.bindings.tcl_object import NsError
    from ackclock.ns2.otcl.interp import ScriptError
    from ackclock.ns2.session import new_interpreter, run

    words = list(sys.argv[1:] if argv is None else argv)
    script = words[0] if words else ""
    if _is_no_text(script):
        tell(f"{script}: this file name is not UTF-8, and Tcl opens no such file (nor does ns-2); rename it")
        return 1
    if safe:
        from functools import partial

        make = partial(new_interpreter, script)
    try:
        return run(words, make or new_interpreter, defaults, limits, confine=confine)
    except ScriptError as error:
        import os
        import traceback

        tell(error.line)
        if "ACKCLOCK_TRACEBACK" in os.environ:
            print(error.trace, file=sys.stderr)
            traceback.print_exception(error)
    except NsError as error:
        tell(str(error))
    except OSError as error:
        from ackclock.ns2.otcl.file_names import relative

        file = "" if error.filename is None else f"{relative(error.filename)}: "
        tell(f"{script}: {file}{error.strerror or error}")
    return 1


def _is_no_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return True
    return False
