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

#: what ns-2 prints before it ends at a packet that is scheduled twice
_TWICE = "Scheduler: Event UID not valid!"


class EventQueue:
    """What is to be done when the engine hands control back: one for all schedulers of an interpreter."""

    def __init__(self, interp: Interpreter) -> None:
        self.interp = interp
        self._engine = interp.engine
        #: event -> a command of the script, or what a part of the library does
        self.due: dict[int, str | Callable[[], None]] = {}
        self._halted = False

    def at(self, time: str, command: str) -> str:
        """Evaluate a command at an instant, or so long from now if the time is negative.

        The result is the event's number, which scripts cancel it by. As in ns-2 the first one's is 1.
        """
        event = self._engine.call_back_at(time)
        if event is None:
            event = self._engine.call_back(self._delay_s(time))
        self.due[event] = command
        return str(event + 1)

    def _delay_s(self, time: str) -> float:
        try:
            when = float(time)
        except ValueError:
            when = real(time, "the time of `at`")
        now = self._engine.now()
        delay_s = -when if when < 0 else when - now
        if delay_s < 0:
            raise NsError(f"can't schedule command in past: it is {now:g} s, the command is for {when:g} s")
        return delay_s

    def at_now(self, command: str) -> str:
        """Evaluate a command at this instant, behind what is already due; the event's number."""
        return str(self.call_in(0.0, command) + 1)

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
                self._print_end(str(error))
                raise NsError(str(error)) from None
            if what == "script":
                command = due.pop(number)
                if isinstance(command, str):
                    at_event(now, command)
                else:
                    command()
            elif what == "exhausted":
                return
            elif what == "quiet":
                if not due:
                    # An idle sender of ns-2's sets its timer for ever. There the run goes on, or fails by SIGFPE.
                    interp.warn(
                        "for a million seconds no packet was sent, and no command is left to come: "
                        f"the run ends at {now():.0f} s; a last command `exit 0` ends it in time"
                    )
                    return
            else:
                self.hear(what, number)

    def _print_end(self, error: str) -> None:
        """What ns-2 prints on standard output before it ends with this error."""
        from ackclock.ns2.library.core.no_slot import account

        said = f"{_TWICE}\n\n" if error.endswith(_TWICE) else ""
        if self.interp.simulator is not None:
            said = said or account(self.interp.simulator, error)  # type: ignore[arg-type]
        if said:
            self.interp.call("puts", "-nonewline", said)

    def hear(self, what: str, number: int) -> None:
        """The engine has something to tell that is no event of the script's."""
        if what == "flows":
            for table in self.interp.flow_tables:
                table.announce()
        elif what == "multicast":
            self.interp.groups.answer()
        elif what == "lines":
            self.tell_lines()
        else:
            self.interp.told(what, number)

    def tell_lines(self) -> None:
        """Give traces that a command gets their lines up to now."""
        for place, line in self._engine.take_lines():
            self.interp.call(self.interp.told_traces[place], "handle", f" {line} ")

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
    def at(self, *words: str) -> str:
        """Evaluate a command at an instant, or so long from now if the time is negative; the event's number.

        A time alone (`$ns at 5.0"finish"`) is taken for the number of an event to cancel, as in ns-2.
        """
        if len(words) == 1:
            self.interp.warn(f"`at` needs a time and a command; at {words[0]} cancels an event, as in ns-2")
            self.call("cancel", words[0])
            return ""
        if len(words) != 2:
            raise self._cannot("at", words)
        return self.interp.event_queue.at(words[0], words[1])

    @method("at-now")
    def at_now(self, *words: str) -> str:
        """Evaluate a command at this instant, behind what is already due."""
        if len(words) != 1:
            raise self._cannot("at-now", words)
        return self.interp.event_queue.at_now(words[0])

    @method()
    def cancel(self, *words: str) -> None:
        """Forget an event that is still to come."""
        if len(words) != 1:
            raise self._cannot("cancel", words)
        digits = words[0].lstrip()[:20]
        digits = digits[: len(digits) - len(digits.lstrip("0123456789"))]
        self.interp.event_queue.take_back(int(digits or "0") - 1)

    def _cannot(self, command: str, words: tuple[str, ...]) -> NsError:
        return NsError(f"error when calling class {self.class_name}: {' '.join((command, *words))}")

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


for _name in ("List", "Heap", "Calendar", "Splay", "Map"):
    variant(f"Scheduler/{_name}", Scheduler)
