"""The Rust engine as Python sees it. Written by tools/write_stub.py; do not edit."""

from typing import Any, final

from ackclock._native.simulation import Params, Simulation

@final
class Clock:
    """`now` and `at` as commands of Tcl: the object, then the script's words. What is not plain goes to who answers
    otherwise.
    """

    def __new__(cls, simulation: Simulation, due: dict[Any, Any], or_now: object, or_at: object) -> Clock: ...
    def now(self, *words: Any) -> object:
        """The present instant with all 17 digits."""
    def at(self, *words: Any) -> object:
        """Puts a command down for an instant; the event's number."""

@final
class Command:
    """A command of Tcl: what is deferred and plain is answered for at once, anything else by who answers otherwise."""

    def __call__(self, *words: Any) -> object: ...

@final
class LazyObjects:
    """The handles of all objects, and those of them that are deferred."""

    def command(self, name: str, otherwise: object) -> Command:
        """A command of Tcl, by name: `new class`, `call object method word...`, and methods of the Simulator, whose
        first word it is. What it does not do for something deferred, `otherwise` does.
        """
    def __new__(cls) -> LazyObjects: ...
    @property
    def last(self) -> int:
        """The number of the last handle."""
    @staticmethod
    def number(handle: str) -> int:
        """The number in a handle such as _o12; 0 for any other name, such as _o012."""
    def next_handle(self) -> str:
        """The next handle, such as _o12."""
    def skip(self, count: int) -> None:
        """Takes so many handles, as ns-2 does for objects that do not exist here."""
    def defer(self, plans: tuple[Any, ...], whole: object) -> list[str]:
        """Makes lazy objects of the parts of something, which begin by these plans; returns their handles. Its
        `finish` is called for each that is materialized.
        """
    def of(self, handle: str) -> tuple[object, object, int, tuple[Any, ...]] | None:
        """A deferred object is to be made and deferred no longer: its plan, who finishes it, its place among the
        parts, and what there is to know about it. `None` for any other.
        """
    def has(self, handle: str) -> bool:
        """Whether this is the handle of a deferred object."""
    def of_class(self, class_name: str) -> list[str]:
        """Handles of all deferred objects of a class."""
    def forget(self, handle: str) -> list[str]:
        """There is no such object any more. Handles of deferred objects that are to be made before it goes."""
    def serve(
        self,
        simulation: Simulation,
        handle: str,
        kind: object,
        vars: object,
        kept: dict[Any, Any],
        looked: list[Any],
        nodes: dict[Any, Any],
        drawn: dict[Any, Any],
        nodes_made: Count,
        links_made: Count,
        add_neighbour: object,
    ) -> None:
        """Commands of the Simulator with this handle are answered from now on. `kind` says what the library answers
        for it; `vars`, `kept` and `looked` are its variables; `nodes` has the handles of nodes by their numbers,
        `drawn` those of the links that nam is to be told of; the counts are of nodes and links; `add_neighbour`
        tells a node that Python made of a neighbour.
        """
    def new_node(self, simulator: str) -> str | None:
        """A new node of the Simulator with this handle: its own handle. `None` where how to make it was not learnt."""
    def know_node(self, handle: str, number: int) -> None:
        """Python made a node: its handle and its number."""
    def has_its_own(self, handle: str) -> None:
        """The script has given an object a method of its own, or another class. Of those that are answered for,
        others than the Simulator are made by then.
        """
    def put_link(self, queue_class: str, from_node: int, to_node: int, rate_bps: float, delay_s: float) -> str | None:
        """A link by a kind that was learnt: its handle. `None` where none was learnt for this class of queue."""
    def learn_nodes(self, kind: object, ports: tuple[Any, ...]) -> None:
        """New nodes are of this kind from now on; `ports` is the plan of their tables of ports."""
    def learn_links(
        self,
        queue_class: str,
        kind: object,
        discipline: str,
        params: Params,
        keeps_order: bool,
        variables: list[tuple[str, str, str]],
        bandwidth: object,
        delay: object,
    ) -> None:
        """Links with queues of a class are of this kind from now on. Variables are the queue's: what the script
        calls them, what the engine does, their types. The last two find out what is meant by a bandwidth and by a
        delay.
        """
    def learn_agents(
        self,
        class_name: str,
        kind: object,
        engine_kind: str,
        params: Params | None,
        is_sender: bool,
        variables: list[tuple[str, str, str]],
    ) -> None:
        """New agents of a class are of this kind from now on: the engine's kind, first values, variables as above."""
    def learn_apps(self, class_name: str, kind: object, engine_kind: str) -> None:
        """New applications of a class are of this kind from now on."""
    def values_changed(self) -> None:
        """Objects made from now on may be of other kinds: a class has other values."""
    def methods_changed(self) -> None:
        """Classes have other methods, too, or what the library answers has changed."""
    def reset_nodes(self, nodes: list[Any], start: int) -> int:
        """Resets the agents of these nodes, from one on, up to the first node that has to be asked itself: its
        place.
        """
    def reset_queues(self, links: list[Any], start: int) -> int:
        """The same for the queues of these links."""
    def set_costs(self, links: list[Any]) -> list[Any]:
        """Links that cost 1, as most do, count as that in the choice of routes. Those that have to be asked."""
    def to_be_asked(self, handles: list[Any], method: str) -> list[Any]:
        """Those of these nodes and links that have to be asked this method."""
    def introduce(self, handles: list[Any], method: str) -> list[Any]:
        """The same, when this method introduces them to nam and nobody listens."""
    def ends(self, link: str) -> tuple[int, int] | None:
        """Numbers of the nodes that a deferred link leads from and to."""
    def agent(self, number: int) -> str | None:
        """The handle of the agent with this number, if it was deferred."""

@final
class Count:
    """A class variable that counts what was made. It is not known how many that are at first, and after a script has
    written to it.
    """

    def __new__(cls) -> Count: ...
    def value(self) -> int | None:
        """How many were made, if that is known."""
    def set(self, value: int) -> None:
        """So many there are."""
    def forget(self) -> None:
        """The script has written to the variable."""

@final
class SignalWatcher:
    """Waits for signals in a thread of its own: `heard(number)` is called there for each, and `heard(None)` when
    `every_s` seconds have passed without one, until it says False. `OSError` where the system refuses.  The thread
    takes nothing of Python's before there is something to hear: one of Python's would stop the main thread to begin.
    `interrupted` is a line for standard error. If SIGINT comes and `close` is not called within `GRACE_S` seconds,
    the line is written and the process ends with status 130: Tcl may be in a computation that nothing can stop.
    """

    def __new__(cls, every_s: float, heard: object, interrupted: str) -> SignalWatcher: ...
    def end_soon(self, line: str, status: int) -> None:
        """Writes `line` to standard error and ends the process with `status`, unless `close` is called within
        `GRACE_S` seconds.
        """
    def fileno(self) -> int:
        """The file to which the numbers of signals are to be written (`signal.set_wakeup_fd`); -1 behind `close`."""
    def close(self) -> None:
        """Ends the thread, and waits until it has ended."""

@final
class TclHashOrder:
    """The arrays among an object's variables, as long as none is taken away."""

    def __new__(cls) -> TclHashOrder: ...
    def follow(self, variables: dict[Any, Any], looked: list[Any]) -> None:
        """Takes in what has come since the last time. `looked` says what was looked for in vain: how many variables
        there were then, the element, and so on.
        """
    def names(self, array: str) -> list[str]:
        """Names of an array's elements in Tcl's order."""
    def elements(self, array: str, variables: dict[Any, Any]) -> list[Any]:
        """The elements of an array in that order."""
    def looks(self) -> list[tuple[str, list[int]]]:
        """How many elements the arrays had that grew by a look, when they did."""

__all__ = [
    "Clock",
    "Command",
    "Count",
    "LazyObjects",
    "SignalWatcher",
    "TclHashOrder",
]
