"""A scenario run in real time, with packets of real programs in network namespaces."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from ackclock._native import Agent, Simulation
from ackclock.emulate.namespaces import Namespace, lacking
from ackclock.emulate.registry import NamespaceError, Registration
from ackclock.execution.results import Results
from ackclock.scenario import Scenario, ScenarioError
from ackclock.scenario.resolve.network import resolve
from ackclock.scenario.resolve.plugins import own_code

#: Seconds for the simulation to stop: user-defined code takes part in it, and may hang.
STOP_S = 5.0


class EmulationError(RuntimeError):
    """An emulation that cannot be done here, or that is over."""


@dataclass(frozen=True)
class RealFlow:
    """A conversation of real packets: who, with whom, the protocol's number, the ports (0 without)."""

    flow: int
    source: str
    destination: str
    protocol: int
    source_port: int
    destination_port: int


class Emulation:
    """A network of a description between namespaces: `with Emulation(scenario) as network: network.start("s1", [...])`.

    Each of the scenario's `external_nodes` becomes a network namespace `ackclock-NAME` with one address; a packet
    that a program in one sends to another's address enters the simulation at its node at the instant at which it is
    read, and leaves it at its destination. Bytes are those of the IP packet. The scenario's own flows run at the
    same time. When the block ends, or the scenario's duration is over, the run ends, and so do the programs that
    were started here and what they have started.

    The block removes the namespaces at its end, also after an exception. A signal that ends the process at once leaves
    them; the next emulation removes them. Programs that `start` started are killed with the process.

    How exact: a packet is handed over when the machine gets to it, some tens of microseconds late
    (`seen["late_median_s"]` has the median, `seen["latest_s"]` the worst); rates and order are exact, since a link's
    times follow from one another. The simulation's thread has a real-time priority above that of the thread which
    enters the block, and so above that of the programs.

    Raises `ScenarioError` for a description that cannot be simulated, `NamespaceError` where namespaces or devices
    cannot be made, `EmulationError` where the simulation does not stop. Linux, as root.
    """

    def __init__(self, scenario: Scenario) -> None:
        if not scenario.external_nodes:
            raise ScenarioError("expected the nodes where real packets enter and leave", key="external_nodes")
        self.scenario = scenario
        self._network = resolve(scenario)
        #: each end's namespace, by the node's name
        self.namespaces = {
            name: Namespace(f"ackclock-{name}", f"10.77.0.{number}")
            for number, name in enumerate(scenario.external_nodes, 1)
        }
        #: numbers of what went by: `came_in`, `went_out`, `marked`, `strange` (no IP, or for no end), `lost` (outside
        #: the simulation); of the packets that went out the times, s, that 50 % and 99 % of them were late at most,
        #: `late_median_s` and `late_99_s`; how late an event was at most, `latest_s`; there when it is over
        self.seen: dict[str, float] = {}
        #: the real conversations; there when it is over
        self.flows: list[RealFlow] = []
        self._results: Results | None = None
        self._failure: BaseException | None = None
        self._enough = threading.Event()
        self._engine = Simulation()
        self._network.native.build(self._engine)
        self._stack = contextlib.ExitStack()
        self._registration = Registration()
        # A program dies with the thread that has started it, so that is one which lasts.
        self._starter = ThreadPoolExecutor(1, "ackclock-programs")
        self._thread: threading.Thread | None = None
        #: simulated seconds so far
        self.now_s = 0.0
        #: packets that came in or went out so far
        self.packets = 0
        self._last_s = 0.0
        self._began = threading.Event()
        self._began_s = 0.0

    def address(self, end: str) -> str:
        """The address of an end, by its node's name."""
        return self.namespaces[end].address

    def __enter__(self) -> Emulation:
        if (lacks := lacking()) is not None:
            raise NamespaceError(lacks)
        with contextlib.ExitStack() as stack:
            for namespace in self.namespaces.values():
                stack.callback(namespace.release)
            stack.enter_context(self._registration)
            stack.callback(self._starter.shutdown)
            for namespace in self.namespaces.values():
                namespace.make(self._registration)
            ends = []
            for name, namespace in self.namespaces.items():
                gateway = self._engine.add_agent("gateway")
                gateway.attach(self._engine.node(self._network.numbers[name]))
                ends.append((gateway, os.dup(namespace.device), [namespace.address]))
            # A daemon: user-defined code that hangs in it must not keep the process.
            self._thread = threading.Thread(target=self._run, args=(ends,), name="ackclock-emulation", daemon=True)
            self._thread.start()
            stack.callback(self._stop)
            self._stack = stack.pop_all()
        return self

    def _stop(self) -> None:
        """End the run."""
        self._enough.set()
        if self._thread is not None:
            self._thread.join(STOP_S)

    def _run(self, ends: list[tuple[Agent, int, list[str]]]) -> None:
        def goes_on(now_s: float, packets: int) -> bool:
            if packets > self.packets:
                self.packets, self._last_s = packets, now_s
            self.now_s = now_s
            return not self._enough.is_set()

        # Before all that does not keep a clock, and before the programs, which have the caller's priority: what it
        # hands over late looks to them like a path that gathers packets. Of this thread alone; it sleeps while
        # nothing is due.
        with contextlib.suppress(OSError):
            above = os.sched_getparam(0).sched_priority + 1
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(min(above, os.sched_get_priority_max(os.SCHED_RR))))
        try:
            self._began_s = time.monotonic()
            self._began.set()
            seen, flows = self._engine.run_in_real_time(ends, goes_on)
            self.seen = dict(seen)
            self.flows = [RealFlow(*flow) for flow in flows]
            tables = dict(self._engine.take_tables())
            names, code = self._network.names(), own_code(self.scenario)
            self._results = Results(self.scenario, self._network.nodes, names, tables, code)
        except BaseException as error:
            self._failure = error
        finally:
            self._enough.set()

    def start(self, end: str, command: Sequence[str], **how: Any) -> subprocess.Popen[str]:
        """Start a program, `command` with its arguments, at the external node `end`; `how` is what `subprocess.Popen`
        takes.

        A program that cannot be started says so on standard error and has the exit status 127. `EmulationError` if the
        emulation is over or has not begun.
        """
        if self._thread is None or not self._thread.is_alive():
            raise EmulationError("the emulation is over, or has not begun")
        return self._starter.submit(self.namespaces[end].start, command, self._registration.token, **how).result()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until the run is over, or for `timeout_s` seconds; returns whether it is over."""
        return self._enough.wait(timeout_s)

    def began_s(self) -> float:
        """The monotonic clock's time at which the simulation began."""
        self._began.wait()
        return self._began_s

    def settle(self, quiet_s: float = 0.3, most_s: float = 5.0) -> None:
        """Wait until no packet has entered or left for `quiet_s` seconds, or for `most_s` seconds."""
        since_s = self.now_s
        while not self.wait(0.05):
            if self.now_s - max(since_s, self._last_s) >= quiet_s or self.now_s - since_s >= most_s:
                return

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
        if self._thread is not None and self._thread.is_alive() and error is None:
            raise EmulationError(f"the simulation did not stop within {STOP_S:g} s")
        if self._failure is not None and error is None:
            raise self._failure

    @property
    def results(self) -> Results:
        """The tables of the simulated links and flows. `EmulationError` before the emulation is over."""
        if self._results is None:
            raise EmulationError("the emulation is not over; its tables are there behind its `with` block")
        return self._results
