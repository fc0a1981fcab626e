"""One run of one script, from its arguments to its exit status."""

from __future__ import annotations

import os
import sys

from ackclock.execution.limits import EVENTS_AT_ONE_TIME, Limits, LimitWatch
from ackclock.ns2.bindings.tcl_object import NsError
from ackclock.ns2.otcl.interp import Interpreter, ScriptError, ScriptExit
from ackclock.ns2.otcl.interrupt import INTERRUPTED, Interruptible, canceller

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: Stack, bytes: what Linux leaves room for, whatever the limit was when the process began. Tcl reads brackets within
#: brackets by calling itself, and does not look how much is left: the usual 8 MiB are full at 25,000 of them.
STACK_BYTES = 120 << 20

#: This environment variable, if it is 1, switches off what only makes scripts start faster: objects are made and
#: classes loaded at once. Nothing that a script can see changes; the tests compare both modes.
EAGER = "ACKCLOCK_EAGER"


def new_interpreter(safe_script: str | None = None) -> Interpreter:
    """An interpreter with a simulation and every class of the library; a safe one for `safe_script`."""
    from ackclock._native import Simulation, SimulationError
    from ackclock.ns2 import library

    interp = Interpreter(safe_script=safe_script)
    if os.environ.get(EAGER) == "1":
        interp.may_defer = False
        library.load_all()
    interp.engine = Simulation()
    interp.plain_errors = (*interp.plain_errors, SimulationError)
    library.start(interp)
    return interp


def _watch_programs(interp: Interpreter, script: str) -> None:
    """`exec` and `open "|..."` ask first."""

    def may_run(*words: str) -> bool:
        from ackclock.ns2.sandbox import programs

        return programs.may_run(interp, script, words)

    interp.command("::otcl::py_may_run", may_run)
    interp.eval("::otcl::watch_programs")


def now(interp: Interpreter) -> str:
    """The simulation's present instant as text; ? while it cannot tell."""
    try:
        return f"{interp.engine.now():g}"
    except (AttributeError, RuntimeError):
        return "?"


def _broken_at_the_end(interp: Interpreter) -> str | None:
    """What holds in every simulation and does not when the script is over; its files say so, too."""
    from ackclock._native import SimulationError

    engine = getattr(interp, "engine", None)  # OTcl alone, without ns-2's library, has no simulation
    if engine is None:
        return None
    try:
        engine.check()
    except SimulationError as error:
        return str(error)
    return None


def run(
    argv: Sequence[str],
    make: Callable[[], Interpreter] = new_interpreter,
    defaults: str | None = None,
    limits: Limits | None = None,
    *,
    confine: bool = False,
) -> int:
    """Run SCRIPT ARGS..., or standard input without any; the exit status. `defaults` names another release's values.

    With `confine` the operating system confines the process before the script's first line. A run that breaks an
    invariant or a limit ends with an `NsError`; what it wrote says that it is incomplete.
    """
    from ackclock._native import grow_stack

    script = argv[0] if argv else ""
    interp = make()
    if defaults is not None:
        from ackclock.ns2.bindings.default_sets import begin_as

        begin_as(interp, defaults)
    if interp.safe_filter is None:
        _watch_programs(interp, script)
    interp.set_variable("::argv0", script or "ns")
    interp.set_variable("::argv", tuple(argv[1:]))
    interp.set_variable("::argc", len(argv[1:]))
    interp.set_variable("::tcl_interactive", 0)
    if script and not os.path.exists(script):
        raise NsError(f'couldn\'t read file "{script}": no such file or directory')
    watch = LimitWatch(limits or Limits())
    watch.limits.impose()
    grow_stack(STACK_BYTES)
    if watch.limits.events_at_one_time != EVENTS_AT_ONE_TIME:
        interp.engine.limit_events_at_one_time(watch.limits.events_at_one_time)
    cancel = None
    if confine:
        from ackclock.ns2.sandbox.confinement import confine as confine_process

        cancel = canceller(interp.tk)
        confine_process(script)
    with Interruptible(interp.tk, watch, script or "standard input", cancel) as interruptible:
        try:
            return _run(interp, interruptible, watch, argv, defaults)
        except ScriptError as error:
            # Here, since looking for its line may take long, too.
            from ackclock.ns2.otcl import script_errors

            error.message = interp.advice.get(error.message, error.message)
            error.line = script_errors.told(error, script)
            raise


def _run(
    interp: Interpreter, interruptible: Interruptible, watch: LimitWatch, argv: Sequence[str], defaults: str | None
) -> int:
    """The script from its first line to its last file; the exit status."""
    from ackclock._native import SimulationError

    script = argv[0] if argv else ""
    status, stopped = 0, None

    def script_itself() -> None:
        if script:
            interp.call("::otcl::source", script)
        else:
            interp.eval(sys.stdin.read())

    try:
        interruptible.run(script_itself)
    except ScriptExit as leaving:
        status = leaving.status
    except KeyboardInterrupt:
        if watch.reason is None:
            from ackclock._internal.escape import tell

            tell(f"{script or 'standard input'}: interrupted at {now(interp)} s")
            status = INTERRUPTED
        stopped = watch.reason
    except SimulationError as error:
        stopped = str(error)
    finally:
        if stopped is not None:
            interp.channels.end_with(f"# incomplete: the run was stopped at {now(interp)} s: {stopped}\n")
        failed = interp.finish()
    if stopped is None and status == 0:
        stopped = _broken_at_the_end(interp)
    if stopped is not None:
        again = " ".join(["ackclock ns2", *([f"--defaults {defaults}"] if defaults else []), *argv])
        raise NsError(f"{script or 'standard input'}: stopped at {now(interp)} s: {stopped}; to see it again: {again}")
    if failed:
        raise NsError(failed)
    return status
