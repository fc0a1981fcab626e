"""Signals that end a server, so that what it began is cleaned up."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

#: From a terminal that is closed, and from whoever ends a service.
ENDING = tuple(getattr(signal, name) for name in ("SIGHUP", "SIGTERM") if hasattr(signal, name))


def leave_by_signals() -> None:
    """From now on these signals raise `SystemExit`, with the status that shells give them: 128 and the number.

    A signal that was ignored stays ignored (nohup). In another thread than the main one nothing happens.
    """
    set_handlers(_leave)


def ignore_signals() -> None:
    """While things are removed nothing interrupts that."""
    if threading.current_thread() is threading.main_thread():
        for number in (*ENDING, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)


def set_handlers(handler: Callable[[int, FrameType | None], Any]) -> None:
    """Have a function called at these signals, unless they are ignored."""
    if threading.current_thread() is threading.main_thread():
        for number in ENDING:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, handler)


def _leave(number: int, frame: FrameType | None) -> None:
    del frame
    raise SystemExit(128 + number)
