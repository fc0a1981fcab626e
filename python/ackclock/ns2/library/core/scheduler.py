"""The scheduler: the clock and the script's own events.

ns-2 has several, all with the same order of events; here each name is the engine's one event list.
"""

from __future__ import annotations

from ackclock._native import InvariantError, LimitError, SimulationError
from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class, variant
from ackclock.ns2.library.core.engine import EngineObject, real

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock.ns2.otcl.interp import Interpreter


class EventQueue:
    """What is to be done when the engine hands control back: one for all schedulers of an interpreter."""

    def __init__(self, interp: Interpreter) -> None:
        self.interp = interp
        self._engine = interp.engine
        #: event -> a command of the script, or what a part of the library does
        self.due: dict[int, str | Callable[[], None]] = {}
        self._halted = False

    def at(self, time: str, command: str) -> str:
        """Evaluate a command at an instant, or so long from now if the time is negative; the event's number."""
        event = self._engine.call_back_at(time)
        if event is None:
            event = self._engine.call_back(self._delay_s(time))
        self.due[event] = command
        return str(event)

    def _delay_s(self, time: str) -> float:
        try:
            when = float(time)
        except ValueError:
            when = self._when(time)
        now = self._engine.now()
        delay_s = -when if when < 0 else when - now
        if delay_s < 0:
            raise NsError(f"can't schedule command in past: it is {now:g} s, the command is for {when:g} s")
        return delay_s

    def _when(self, time: str) -> float:
        try:
            return real(time, "the time of `at`")
        except NsError:
            self.interp.warn(f'the time of `at` is a number; "{time}" counts as 0, as in ns-2')
            return 0.0

    def at_now(self, command: str) -> str:
        """Evaluate a command at this instant, behind what is already due; the event's number."""
        return str(self.call_in(0.0, command))

    def call_in(self, delay_s: float, what: str | Callable[[], None]) -> int:
        """Evaluate a command, or do something, this many seconds from now; the event's number."""
        event = self._engine.call_back(delay_s)
        self.due[event] = what
        return event

    def take_back(self, event: int) -> None:
        """Forget an event that is still to come."""
        if self.due.pop(event, None) is not None:
            self._engine.cancel(event)

    def run(self) -> None:
        """Go on until `halt`, or until nothing is left to happen."""
        interp = self.interp
        self._halted = False
        interp.at_top = interp.tk.eval("info level") == "0"
        run, due, at_event, now = self._engine.run, self.due, interp.at_event, self._engine.now
        while not self._halted:
            try:
                what, number = run()
            except (InvariantError, LimitError) as error:
                # `catch` does not stop it.
                self.interp.abort(error)
                raise
            except SimulationError as error:
                raise NsError(str(error)) from None
            if what == "script":
                command = due.pop(number)
                if isinstance(command, str):
                    at_event(now, command)
                else:
                    command()
            elif what == "exhausted":
                return
            elif what == "flows":
                for table in interp.flow_tables:
                    table.announce()
            else:
                interp.told(what, number)

    def halt(self) -> None:
        """Stop after the present event."""
        self._halted = True


@ns2_class("Scheduler")
class Scheduler(EngineObject):
    """`$ns set scheduler_`."""

    def create(self, *args: str) -> None:
        pass

    @method()
    def now(self) -> str:
        """The present instant, s."""
        return self.engine.now_text()

    @method()
    def at(self, time: str, *command: str) -> str:
        """Evaluate a command at an instant, or so long from now if the time is negative; the event's number."""
        if len(command) > 1:
            raise NsError(f"error when calling class {self.class_name}: at {time} {' '.join(command)}")
        return self.interp.event_queue.at(time, _only(command))

    @method("at-now")
    def at_now(self, *command: str) -> str:
        """Evaluate a command at this instant, behind what is already due."""
        return self.interp.event_queue.at_now(_only(command))

    @method()
    def cancel(self, event: str) -> None:
        """Forget an event that is still to come."""
        self.interp.event_queue.take_back(int(real(event, "the event to cancel")))

    @method()
    def run(self) -> None:
        """Go on until `halt`, or until nothing is left to happen."""
        self.interp.event_queue.run()

    @method()
    def halt(self) -> None:
        """Stop after the present event."""
        self.interp.event_queue.halt()

    @method("is-running")
    def is_running(self) -> bool:
        """Whether anything is left to happen."""
        return self.engine.has_events()

    @method()
    def dumpq(self) -> None:
        """Only for debugging ns-2 itself."""


def _only(command: tuple[str, ...]) -> str:
    if len(command) != 1:
        raise NsError('wrong # args: should be "at time command"')
    return command[0]


for _name in ("List", "Heap", "Calendar", "Splay", "Map"):
    variant(f"Scheduler/{_name}", Scheduler)
