"""Ctrl-C while Tcl is busy, and what ends a run that takes too much.

Python notices a signal between two steps of Python, and a script may stay in Tcl for as long as it likes. A thread
that the signal wakes gives Python a moment, and then tells Tcl to unwind.
"""

from __future__ import annotations

# `signal` and `threading` are these two and what every script would wait for: enumerations, weak references.
import _signal  # type: ignore[import-not-found]
import _thread
import os
import select

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
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        before = _signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    except ValueError:
        # Signals are the main thread's, and this is another.
        os.close(reading)
        os.close(writing)
        run()
        return
    #: held while the script runs; and by the watcher, until it has ended
    running, watching = _thread.allocate_lock(), _thread.allocate_lock()
    running.acquire()
    watching.acquire()

    def wait() -> None:
        try:
            while True:
                number = b""
                if select.select([reading], [], [], EVERY_S)[0]:
                    number = os.read(reading, 1)
                    if not number or not running.locked():
                        return
                elif watch.reason is None and watch.is_over():
                    _thread.interrupt_main()
                    number = bytes([_signal.SIGINT])
                if number and number[0] == _signal.SIGINT:
                    if running.acquire(timeout=_MOMENT_S):
                        return
                    _cancel(tk)
        finally:
            watching.release()

    _thread.start_new_thread(wait, ())
    try:
        run()
    finally:
        running.release()
        _signal.set_wakeup_fd(before)
        os.write(writing, b"\0")
        watching.acquire()
        os.close(reading)
        os.close(writing)
