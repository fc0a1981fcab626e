"""Ctrl-C while Tcl is busy.

Python notices a signal between two steps of Python, and a script may stay in Tcl for as long as it likes. A thread
that the signal wakes gives Python a moment, and then tells Tcl to unwind.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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


@contextmanager
def interruptible(tk: Any) -> Iterator[None]:
    """Inside, Ctrl-C ends a script wherever it is."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    done = threading.Event()

    def wait() -> None:
        while True:
            number = os.read(reading, 1)
            if not number or done.is_set():
                return
            if number[0] == signal.SIGINT and not done.wait(_MOMENT_S):
                _cancel(tk)

    watcher = threading.Thread(target=wait, name="ctrl-c", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        signal.set_wakeup_fd(before)
        os.write(writing, b"\0")
        watcher.join()
        os.close(reading)
        os.close(writing)
