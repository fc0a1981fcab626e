"""Signals that end a process, held back until what it has made is removed."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType
from typing import Any

#: Signals that can be caught, that end a process by default, and that come from outside (signal(7)).
ENDING = (
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGTERM,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGALRM,
    signal.SIGVTALRM,
    signal.SIGPROF,
    signal.SIGXCPU,
)


class HeldSignals:
    """While its block is open, a signal that would end the process is only remembered, in `received`.

    Nothing is interrupted, so the block must look at `received` now and then. A signal that the process ignores
    (nohup) stays ignored. In the main thread alone, as `signal.signal`.
    """

    def __init__(self) -> None:
        #: the first one that came; None while there was none
        self.received: signal.Signals | None = None
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> HeldSignals:
        for number in ENDING:
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._remember)
        return self

    def _remember(self, number: int, _: FrameType | None) -> None:
        if self.received is None:
            self.received = signal.Signals(number)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
