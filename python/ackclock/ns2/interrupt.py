"""Ctrl-C while Tcl is busy, and what ends a run that takes too much.

Python notices a signal between two steps of Python, and a script may stay in Tcl for as long as it likes. A thread
that the signal wakes gives Python a moment, and then tells Tcl to unwind.
"""

from __future__ import annotations

# `signal` and `threading` are these two and what every script would wait for: enumerations, weak references.
import _signal  # type: ignore[import-not-found]
import _thread

from ackclock._native import Lookout
from ackclock.limits import EVERY_S

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ackclock.limits import Watch

_MOMENT_S = 0.3
_CANCEL_UNWIND = 0x100000


def _cancel(tk: Any) -> None:
    """Tcl_CancelEval, the one call of Tcl that another thread may make."""
    import _tkinter
    import ctypes

    library = ctypes.CDLL(_tkinter.__file__)
    cancel = library.Tcl_CancelEval
    cancel.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int]
    cancel(tk.interpaddr(), None, None, _CANCEL_UNWIND)


def interruptible(tk: Any, watch: Watch, run: Callable[[], object]) -> None:
    """Run something that Ctrl-C ends wherever Tcl is, and so does what `watch` finds too much."""
    #: held while the script runs
    running = _thread.allocate_lock()

    def heard(signal: int | None) -> bool:
        if signal is None and watch.reason is None and watch.is_over():
            _thread.interrupt_main()
            signal = _signal.SIGINT
        if signal == _signal.SIGINT:
            if running.acquire(timeout=_MOMENT_S):
                return False
            _cancel(tk)
        return True

    lookout = Lookout(EVERY_S, heard)
    try:
        before = _signal.set_wakeup_fd(lookout.fileno(), warn_on_full_buffer=False)
    except ValueError:
        # Signals are the main thread's, and this is another.
        lookout.close()
        run()
        return
    running.acquire()
    try:
        run()
    finally:
        running.release()
        _signal.set_wakeup_fd(before)
        lookout.close()
