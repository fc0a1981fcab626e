"""Ctrl-C while Tcl is busy, and what ends a run that takes too much.

Python notices a signal between two steps of Python, and a script may stay in Tcl for as long as it likes. A thread
that the signal wakes gives Python a moment, and then tells Tcl to unwind. Tcl looks for that between two commands: if a
single one takes too long, or the end of the run does, the process is ended after `SignalWatcher`'s grace time.
"""

from __future__ import annotations

# `signal` and `threading` are these two and what every script would wait for: enumerations, weak references.
import _signal  # type: ignore[import-not-found]
import _thread

from ackclock import _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ackclock._native import SignalWatcher
    from ackclock.execution.limits import LimitWatch

#: The exit status of a run that Ctrl-C or another signal ended, and of one that took too much.
INTERRUPTED, STOPPED = 130, 1
_MOMENT_S = 0.3
_CANCEL_UNWIND = 0x100000


def canceller(tk: Any) -> Callable[[], None]:
    """What unwinds Tcl: Tcl_CancelEval, the one call of Tcl that another thread may make."""
    import _tkinter
    import ctypes

    cancel = ctypes.CDLL(_tkinter.__file__).Tcl_CancelEval
    cancel.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int]
    return lambda: cancel(tk.interpaddr(), None, None, _CANCEL_UNWIND)


class Interruptible:
    """A context in which a run can be stopped wherever it is, from its first command to the last line that it writes.

    `name` stands in messages. `cancel` unwinds Tcl; without it, it is looked up when it is needed.
    """

    def __init__(self, tk: Any, watch: LimitWatch, name: str, cancel: Callable[[], None] | None = None) -> None:
        self._tk, self._watch, self._name, self._cancel = tk, watch, name, cancel
        #: held while the script runs
        self._running = _thread.allocate_lock()
        self._lookout: SignalWatcher | None = None
        self._before = -1

    def __enter__(self) -> Interruptible:
        line = f"ackclock: {self._name}: interrupted; it did not stop by itself, so the process was ended"
        if not hasattr(_native, "SignalWatcher"):
            return self  # Windows: Ctrl-C ends a run between two of its commands
        lookout = _native.SignalWatcher(self._watch.limits.every_s, self._heard, line)
        try:
            self._before = _signal.set_wakeup_fd(lookout.fileno(), warn_on_full_buffer=False)
            self._lookout = lookout
        except ValueError:
            # Signals are the main thread's, and this is another.
            lookout.close()
        return self

    def __exit__(self, *_: object) -> None:
        if self._lookout is not None:
            _signal.set_wakeup_fd(self._before)
            self._lookout.close()

    def run(self, script: Callable[[], object]) -> None:
        """Run the script. `KeyboardInterrupt` where it was stopped."""
        self._running.acquire()
        try:
            script()
        finally:
            self._running.release()

    def _heard(self, signal: int | None) -> bool:
        """Called by the thread that waits for signals; whether it goes on waiting."""
        watch = self._watch
        if signal is None and watch.reason is None and watch.is_over():
            if self._lookout is not None:
                self._lookout.end_soon(f"ackclock: {self._name}: stopped: {watch.reason}", STOPPED)
            _thread.interrupt_main()
            signal = _signal.SIGINT
        if signal == _signal.SIGINT:
            if self._running.acquire(timeout=_MOMENT_S):
                self._running.release()
            else:
                (self._cancel or canceller(self._tk))()
        return True
