"""One run of one script, from its arguments to its exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

from ackclock.ns2.interp import Interpreter, ScriptExit
from ackclock.ns2.interrupt import interruptible
from ackclock.ns2.peers import NsError
from ackclock.ns2.programs import Programs

INTERRUPTED = 130


def new_interpreter(safe_script: str | None = None) -> Interpreter:
    """An interpreter with a simulation and every class of the library; a safe one for `safe_script`."""
    from ackclock._native import Simulation, SimulationError
    from ackclock.ns2 import library
    from ackclock.ns2.channels import Channels

    interp = Interpreter(safe_script=safe_script)
    interp.engine = Simulation()
    interp.plain_errors = (*interp.plain_errors, SimulationError)
    interp.channels = Channels(interp, interp.engine)
    library.start(interp)
    return interp


def now(interp: Interpreter) -> str:
    """The simulation's present instant as text; ? while it cannot tell."""
    try:
        return f"{interp.engine.now():g}"
    except (AttributeError, RuntimeError):
        return "?"


def run(argv: Sequence[str], make: Callable[[], Interpreter] = new_interpreter, defaults: str | None = None) -> int:
    """Run SCRIPT ARGS..., or standard input without any; the exit status. `defaults` names another release's values."""
    script = argv[0] if argv else ""
    interp = make()
    if defaults is not None:
        from ackclock.ns2.default_sets import begin_as

        begin_as(interp, defaults)
    if interp.fence is None:
        Programs(interp, script)
    interp.set_variable("::argv0", script or "ns")
    interp.set_variable("::argv", tuple(argv[1:]))
    interp.set_variable("::argc", len(argv[1:]))
    interp.set_variable("::tcl_interactive", 0)
    if script and not os.path.exists(script):
        raise NsError(f'couldn\'t read file "{script}": no such file or directory')
    status = 0
    try:
        with interruptible(interp.tk):
            if script:
                interp.call("::otcl::source", script)
            else:
                interp.eval(sys.stdin.read())
    except ScriptExit as leaving:
        status = leaving.status
    except KeyboardInterrupt:
        print(f"ackclock: {script or 'standard input'}: interrupted at {now(interp)} s", file=sys.stderr)
        status = INTERRUPTED
    finally:
        failed = interp.finish()
    if failed:
        raise NsError(failed)
    return status
