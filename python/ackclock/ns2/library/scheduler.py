"""The scheduler: the clock and the script's own events.

ns-2 has several, all with the same order of events; here each name is the engine's one event list.
"""

from __future__ import annotations

from collections.abc import Callable

from ackclock._native import SimulationError
from ackclock.ns2.library.engine import EngineObject, real
from ackclock.ns2.peers import NsError, method, ns2_class


@ns2_class("Scheduler")
class Scheduler(EngineObject):
    """`$ns set scheduler_`."""

    def create(self, *args: str) -> None:
        #: event -> a command of the script, or what a part of the library does
        self._commands: dict[int, str | Callable[[], None]] = {}
        self._halted = False

    @method()
    def now(self) -> float:
        """The present instant, s."""
        return self.engine.now()

    @method()
    def at(self, time: str, *command: str) -> str:
        """Evaluate a command at an instant, or so long from now if the time is negative; the event's number."""
        now = self.engine.now()
        try:
            when = real(time, "the time of `at`")
        except NsError:
            self.interp.warn(f'the time of `at` is a number; "{time}" counts as 0, as in ns-2')
            when = 0.0
        if len(command) > 1:
            raise NsError(f"error when calling class {self.class_name}: at {time} {' '.join(command)}")
        delay_s = -when if when < 0 else when - now
        if delay_s < 0:
            raise NsError(f"can't schedule command in past: it is {now:g} s, the command is for {when:g} s")
        return self._call_back(delay_s, command)

    @method("at-now")
    def at_now(self, *command: str) -> str:
        """Evaluate a command at this instant, behind what is already due."""
        return self._call_back(0.0, command)

    def _call_back(self, delay_s: float, command: tuple[str, ...]) -> str:
        if len(command) != 1:
            raise NsError('wrong # args: should be "at time command"')
        event = self.engine.call_back(delay_s)
        self._commands[event] = command[0]
        return str(event)

    def call_in(self, delay_s: float, action: Callable[[], None]) -> int:
        """Do something so many seconds from now; the event's number."""
        event = self.engine.call_back(delay_s)
        self._commands[event] = action
        return event

    def take_back(self, event: int) -> None:
        """Forget an event that is still to come."""
        if self._commands.pop(event, None) is not None:
            self.engine.cancel(event)

    @method()
    def cancel(self, event: str) -> None:
        """Forget an event that is still to come."""
        self.take_back(int(real(event, "the event to cancel")))

    @method()
    def run(self) -> None:
        """Go on until `halt`, or until nothing is left to happen."""
        self._halted = False
        self.interp.at_top = self.interp.tk.eval("info level") == "0"
        while not self._halted:
            try:
                what, number = self.engine.run()
            except SimulationError as error:
                raise NsError(str(error)) from None
            if what == "script":
                self._evaluate(self._commands.pop(number))
            elif what == "exhausted":
                return
            elif what == "flows":
                for table in self.interp.flow_tables:
                    table.announce()
            else:
                self.interp.told(what, number)

    def _evaluate(self, command: str | Callable[[], None]) -> None:
        if isinstance(command, str):
            self.interp.at_event(self.engine.now(), command)
        else:
            command()

    @method()
    def halt(self) -> None:
        """Stop after the present event."""
        self._halted = True

    @method("is-running")
    def is_running(self) -> bool:
        """Whether anything is left to happen."""
        return self.engine.has_events()

    @method()
    def dumpq(self) -> None:
        """Only for debugging ns-2 itself."""


def _declare(name: str) -> None:
    ns2_class(f"Scheduler/{name}")(type(f"{name}Scheduler", (Scheduler,), {"__doc__": f"Scheduler/{name}."}))


for _name in ("List", "Heap", "Calendar", "Splay", "Map"):
    _declare(_name)
