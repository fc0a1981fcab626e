"""The ns-2 front end: runs an ns-2 script on ackclock's engine.

`main` takes exactly the arguments of ns: SCRIPT ARGS..., or nothing for a script on standard input.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.limits import Limits
    from ackclock.ns2.interp import Interpreter


def main(
    argv: Sequence[str] | None = None,
    make: Callable[[], Interpreter] | None = None,
    defaults: str | None = None,
    *,
    safe: bool = False,
    limits: Limits | None = None,
) -> int:
    """Run a script; the exit status that ns would have had.

    `make` gives another interpreter, `defaults` names the release whose values count (`ns2_29`) instead of 2.35's;
    with `safe` the script reaches nothing but files in the folder that it is run in. `limits` say what it may take.
    """
    from ackclock.ns2.interp import ScriptError
    from ackclock.ns2.peers import NsError
    from ackclock.ns2.session import new_interpreter, run

    words = list(sys.argv[1:] if argv is None else argv)
    script = words[0] if words else ""
    if safe:
        from functools import partial

        make = partial(new_interpreter, script)
    try:
        return run(words, make or new_interpreter, defaults, limits)
    except ScriptError as error:
        import os
        import traceback

        from ackclock.ns2.trouble import told

        print(told(error, script), file=sys.stderr)
        if "ACKCLOCK_TRACEBACK" in os.environ:
            print(error.trace, file=sys.stderr)
            traceback.print_exception(error)
    except NsError as error:
        print(f"ackclock: {error}", file=sys.stderr)
    except OSError as error:
        print(f"ackclock: {script}: {error.strerror or error}", file=sys.stderr)
    return 1
