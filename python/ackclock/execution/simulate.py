"""Run a scenario: set up the engine from the description, then run it without Python."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock._internal.atomic_file import atomic_write
from ackclock._native import InvariantError, Params, Simulation, SimulationError
from ackclock.execution.limits import EVENTS_AT_ONE_TIME
from ackclock.execution.notes import notes
from ackclock.execution.start_order import start_order
from ackclock.plugins.classes import Own, OwnError
from ackclock.scenario import Cbr, Exponential, Ftp, Pareto, Requests, Scenario, ScenarioError, Telnet
from ackclock.scenario.model.seed import hashed_seed, ns2_seed
from ackclock.scenario.resolve.flows import ResolvedFlow
from ackclock.scenario.resolve.layout import DirectedLink, LinkLoss, Value
from ackclock.scenario.resolve.losses import error_model
from ackclock.scenario.resolve.network import Event, Network, resolve
from ackclock.scenario.resolve.plugins import own_code, own_queue
from ackclock.scenario.units import rate_bps, size_bytes, time_s

if TYPE_CHECKING:
    from ackclock.execution.results import Results


def run(
    scenario: Scenario,
    *,
    seed: int | str | None = None,
    trace: str | os.PathLike[str] | None = None,
    nam: str | os.PathLike[str] | None = None,
    pcapng: str | os.PathLike[str] | None = None,
    progress: Callable[[float, float], None] | None = None,
    events_at_one_time: int = EVENTS_AT_ONE_TIME,
) -> Results:
    """Run a `scenario` to its end and return its tables.

    - `seed`: replaces the scenario's; a whole number from 0 to 2**64 - 1 or a text such as "ns2:7".
    - `trace`, `nam`, `pcapng`: files for ns-2's trace, nam's animation, a capture; each gets its name when the run is
      over.
    - `progress`: called now and then with the simulated time and the duration, in seconds.
    - `events_at_one_time`: more events than this at one instant count as an endless loop.

    The interpreter's lock is released while the engine runs, so runs on several threads proceed in parallel.
    User-defined classes take the lock for each call. Raises `ScenarioError` for a description that cannot be simulated,
    `OSError` for a trace that cannot be written, and `SimulationError` for a run that cannot continue (an exception of
    the user's own code is its cause). Of the latter are `LimitError`, for an endless loop, and `InvariantError`, for a
    bug of the simulator, which names a file with the description.
    """
    if seed is not None:
        scenario = replace(scenario, seed=seed)
    network, engine = _network(scenario), Simulation()
    with contextlib.ExitStack() as files:
        channels = [_channel(engine, path, files) for path in (trace, nam, pcapng)]
        builder = NetworkBuilder(engine, scenario, network)
        builder.seed()
        builder.build(*channels)
        shown = None if progress is None else lambda now_s, end_s=network.duration_s: progress(now_s, end_s)
        engine.limit_events_at_one_time(events_at_one_time)
        started = StartedRun(engine, scenario, network.nodes, network_names(network), own_code(scenario))
        said = notes(network)
        del network, builder  # thousands of flows take more memory here than in the engine
        results = started.finish(shown)
        results.notes = said()
        return results


def _network(scenario: Scenario) -> Network:
    """What is to be run. `ScenarioError` for what cannot be, or not here."""
    if scenario.external_nodes:
        raise ScenarioError(
            "a scenario with external nodes runs in real time: use `ackclock emulate`", key="external_nodes"
        )
    return resolve(scenario)


@dataclass
class StartedRun:
    """A run that is set up, before its first event."""

    engine: Simulation
    scenario: Scenario
    nodes: list[str]
    names: dict[str, list[str]]
    own_code: list[dict[str, str | None]]

    def finish(self, progress: Callable[[float], None] | None = None) -> Results:
        """Run to the end and return the tables. `progress` is called with the simulated time. Raises the errors of
        `run`, `InvariantError` with the command that repeats the run.
        """
        from ackclock.execution.results import Results

        try:
            self.engine.run_scheduled(progress)
        except InvariantError as error:
            raise InvariantError(f"{error}; to see it again: {shown_again(self.scenario)}") from error.__cause__
        return Results(self.scenario, self.nodes, self.names, dict(self.engine.take_tables()), self.own_code)


def shown_again(scenario: Scenario) -> str:
    """The command that runs a scenario again, from a file that is written here, or where files for a while go."""
    import hashlib
    import tempfile

    from ackclock.scenario.formats.as_toml import text

    description = text(scenario)
    name = f"ackclock-broken-{hashlib.sha256(description.encode()).hexdigest()[:12]}.toml"
    for folder in (Path.cwd(), Path(tempfile.gettempdir())):
        with contextlib.suppress(OSError):
            (folder / name).write_text(description, encoding="utf-8")
            return f"ackclock run {folder / name}"
    return f"ackclock run, with\n{description}"


class CompiledScenario:
    """A scenario that is run under many seeds. What does not depend on the seed is computed once.

    `ScenarioError` for a description that cannot be simulated.
    """

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._told: list[tuple[Callable[..., object], tuple[Any, ...]]] = []
        drawn = any(flow.arrivals is not None or time_s(flow.start_jitter) > 0 for flow in scenario.flows)
        # Objects of the user's own are made anew for each run.
        self._same = not drawn and not own_code(scenario)
        if self._same:
            network = _network(scenario)
            # Under any hashed seed, the engine hears the same names of streams.
            NetworkBuilder(_Listening(self._told), scenario.with_seed(0), network).build(None, None, None)  # type: ignore[arg-type]
            self._nodes, self._names = network.nodes, network_names(network)

    def begin(self, seed: int) -> StartedRun:
        """A run with this `seed`, 0 to 2**64 - 1. `ScenarioError` for values that the engine refuses."""
        scenario, engine = self._scenario.with_seed(seed), Simulation()
        if self._same:
            engine.hash_seed(seed)
            for tell, words in self._told:
                tell(engine, *words)
            return StartedRun(engine, scenario, self._nodes, self._names, [])
        network = _network(scenario)
        builder = NetworkBuilder(engine, scenario, network)
        builder.seed()
        builder.build(None, None, None)
        return StartedRun(engine, scenario, network.nodes, network_names(network), own_code(scenario))


class _Listening:
    """An engine that records the calls made to it, to repeat them on other engines."""

    def __init__(self, told: list[tuple[Callable[..., object], tuple[Any, ...]]]) -> None:
        self._engine, self._told = Simulation(), told

    def __getattr__(self, name: str) -> Callable[..., object]:
        method, engine, told = getattr(Simulation, name), self._engine, self._told

        def tell(*words: Any) -> object:
            answer: object = method(engine, *words)
            told.append((method, words))  # what was refused is not said again
            return answer

        setattr(self, name, tell)  # asked for once
        return tell


def network_names(network: Network) -> dict[str, list[str]]:
    """Names of flows and links, in the order of their numbers."""
    return {
        "flows": [flow.name for flow in network.flows],
        "links": [network.link_name(number) for number in range(len(network.links))],
    }


def _channel(engine: Simulation, path: str | os.PathLike[str] | None, files: contextlib.ExitStack) -> int | None:
    """A channel to a file that is whole when the files' block ends."""
    if path is None:
        return None
    with Path(files.enter_context(atomic_write(path))).open("wb") as file:
        channel = engine.open_channel(os.dup(file.fileno()))
    files.callback(engine.channel_close, channel)
    return channel


#: where packets are lost -> the engine's place on a link
_LOSS_PLACES = {"queue": "head", "link": "dequeued", "wire": "wire_end"}


class NetworkBuilder:
    """Sets up an engine's network, in the order in which an ns-2 script would."""

    def __init__(self, engine: Simulation, scenario: Scenario, network: Network) -> None:
        self.engine, self.scenario, self.network = engine, scenario, network
        self.links: list[int] = []
        self._hashes = hashed_seed(scenario.seed) is not None
        self._know_no_link: set[str] = set()
        self._given: dict[int, Params] = {}
        self.senders: list[int] = []
        self.receivers: list[int] = []
        #: of each flow, what is to be started and stopped, and the words for that
        self.apps: list[tuple[int, str, str]] = []

    def seed(self) -> None:
        """Seed the engine's random numbers, before anything else."""
        hashed, ns2s = hashed_seed(self.scenario.seed), ns2_seed(self.scenario.seed)
        if hashed is not None:
            self.engine.hash_seed(hashed)
        elif ns2s is not None:
            self.engine.seed_stream(0, ns2s)

    def build(self, trace: int | None, nam: int | None, pcapng: int | None) -> None:
        """Everything up to the first event, but for the seed."""
        engine, network = self.engine, self.network
        engine.add_nodes(len(network.nodes))
        self._links(trace, nam)
        if pcapng is not None:
            self._capture(pcapng)
        for flow in network.flows:
            self._flow(flow)
        engine.schedule(network.duration_s, "stop")
        self._events(trace, nam)
        for flow, (number, start, stop) in zip(network.flows, self.apps, strict=True):
            for start_s, stop_s in flow.spans_s:
                engine.schedule(start_s, start, number)
                if stop_s is not None:
                    engine.schedule(stop_s, stop, number)
        self._tables()
        self._start(nam)

    def _name_draws(self, owner: str, number: int, name: str) -> None:
        if self._hashes:
            self.engine.name_draws(owner, number, name)

    def _params(self, values: dict[str, Value]) -> Params:
        """Values in one piece. Many flows and links have the same dict of them, and the network keeps it."""
        if id(values) not in self._given:
            self._given[id(values)] = Params(list(values.items()))
        return self._given[id(values)]

    def _capture(self, pcapng: int) -> None:
        capture = self.engine.add_capture(pcapng)
        for place in self.network.places(self.scenario.record.capture, "record.capture"):
            leaving, entering = ([self.links[end] for end in ends] for ends in (place.leaving, place.entering))
            self.engine.capture_links(capture, place.name, leaving, entering)

    def _traced_links(self) -> set[int]:
        wanted = self.scenario.record.trace
        if wanted is None:
            return set(range(len(self.network.links)))
        return {number for name in wanted for number in self.network.links_named(name, "record.trace")}

    def _events(self, trace: int | None, nam: int | None) -> None:
        engine, events, traced = self.engine, self.network.events, self._traced_links()
        costs = {number: link.cost for number, link in enumerate(self.network.links)}
        down: set[int] = set()
        # Routes are computed once for all that changes at an instant.
        last = {event.at_s: index for index, event in enumerate(events) if event.what in ("up", "down", "cost")}
        for index, event in enumerate(events):
            number, link = event.link, self.links[event.link]
            if event.what == "cost":
                costs[number] = event.value
            else:
                engine.schedule(event.at_s, event.what, link, event.value)
            if event.what in ("up", "down") and number in traced:
                self._tell_dynamics(event, trace, nam)
            if self.scenario.routing == "static" or event.what not in ("up", "down", "cost"):
                continue
            if event.what != "cost":
                (down.add if event.what == "down" else down.discard)(number)
            if number in down:
                engine.schedule(event.at_s, "withdraw", link)
            else:
                engine.schedule(event.at_s, "cost", link, costs[number])
            if last[event.at_s] == index:
                engine.schedule(event.at_s, "reroute")

    def _tell_dynamics(self, event: Event, trace: int | None, nam: int | None) -> None:
        """The trace lines of a link that goes down or up."""
        link, now = self.network.links[event.link], f"{event.at_s:.17g}"
        ends = f"{link.source} {link.target}"
        if trace is not None:
            self.engine.schedule_text(event.at_s, trace, f"v {now} link-{event.what} {ends}\n")
        if nam is not None:
            state = f"l -t {now} -s {link.source} -d {link.target} -S {event.what.upper()}\n"
            remark = f"v -t {now} link-{event.what} {now} {ends}\n"
            self.engine.schedule_text(event.at_s, nam, state + remark)

    def _links(self, trace: int | None, nam: int | None) -> None:
        traced = self._traced_links()
        failing = {event.link for event in self.network.events if event.what in ("up", "down")}
        for number, link in enumerate(self.network.links):
            self.links.append(made := self._link(number, link))
            if link.queue.kind != "drop_tail":  # which never draws, and which most links have
                self._name_draws("link", made, self._link_stream(number))
            if number in traced and (trace is not None or nam is not None):
                for op, place in (("+", "head"), ("-", "dequeued"), ("d", "dropped"), ("r", "received")):
                    here = self.engine.add_trace_place(op, link.source, link.target, trace, nam)
                    self.engine.tap(made, place, "trace", here)
            for lossy in link.losses:
                if lossy.loss.place == "link":
                    self._loss(number, lossy, at_front=False)
            # The last one tapped at the front is the first to be met.
            for lossy in reversed(link.losses):
                if lossy.loss.place != "link":
                    self._loss(number, lossy, at_front=True)
            if number in failing:
                self.engine.tap(made, "head", "gate", 0)
                self.engine.set_reports_refused(made, True)
            self.engine.set_route_cost(link.source, link.target, link.cost)

    def _link(self, number: int, link: DirectedLink) -> int:
        own = own_queue(link.queue.kind)
        kind = "drop_tail" if own else str(link.queue.kind)
        given = None if own else self._params(link.parameters)
        made = self.engine.add_link(link.source, link.target, link.rate_bps, link.delay_s, kind, given)
        if link.deliveries is not None:
            self.engine.set_deliveries(made, [at_ms / 1000 for at_ms in link.deliveries])
        if own:
            name = self.network.link_name(number)
            own.parameters = link.parameters
            queue = self._make(own, name, f"{self._link_stream(number)}/queue")
            queue.rate_bps, queue.delay_s = link.rate_bps, link.delay_s
            limit, interval_s = int(queue.limit), float(queue.interval_s)
            self.engine.set_plugin_queue(made, queue, name, number, limit, interval_s, self._traced(own))
            return made
        # A discipline that computes nothing from its link knows no such command.
        if kind not in self._know_no_link:
            try:
                self.engine.queue_command(made, "link")
            except SimulationError:
                self._know_no_link.add(kind)
        for words in link.commands:
            self.engine.queue_command(made, words)
        return made

    def _link_stream(self, number: int) -> str:
        """What the names of a link's streams begin with."""
        return f"link/{self.network.link_name(number)}"

    def _make(self, own: Own, name: str, stream: str) -> Any:
        hashed = hashed_seed(self.scenario.seed)
        seed = f"{ns2_seed(self.scenario.seed)} {name}" if hashed is None else f"{hashed} {stream}"
        try:
            return own.make(name, seed)
        except OwnError as error:
            raise ScenarioError(str(error)) from error

    def _traced(self, own: Own) -> list[str]:
        return list(own.cls.traced) if self.scenario.record.changes else []

    def _loss(self, number: int, lossy: LinkLoss, *, at_front: bool) -> None:
        loss, engine, made = lossy.loss, self.engine, self.links[number]
        module, model = engine.add_error_module(), error_model(engine, loss)
        place = self.network.links[number].losses.index(lossy) + 1
        self._name_draws("error_model", model, f"{self._link_stream(number)}/{place}")
        if lossy.flow_ids is None:
            engine.assign_error_model_to_others(module, model)
        else:
            engine.assign_error_model_to_others(module, None)
            for flow_id in lossy.flow_ids:
                engine.assign_error_model(module, flow_id, model)
        engine.tap(made, _LOSS_PLACES[loss.place], "errors", module, at_front)

    def _flow(self, flow: ResolvedFlow) -> None:
        engine = self.engine
        sender, receiver = engine.add_agent(flow.sender), engine.add_agent(flow.receiver)
        if flow.control is not None and flow.own is None and flow.chooses_first:
            for agent in (sender, receiver) if flow.is_two_way else (sender,):
                engine.agent_command(agent, "congestion_control", [flow.control])
        for agent, parameters in ((sender, flow.parameters), (receiver, flow.receiver_parameters)):
            engine.set_agent_param(agent, "fid", flow.flow_id)
            engine.set_agent_params(agent, self._params(parameters))
        engine.attach(sender, flow.source)
        engine.attach(receiver, flow.destination)
        engine.connect(sender, receiver)
        self._name_draws("agent", sender, flow.stream)
        if flow.is_two_way:
            self._name_draws("agent", receiver, f"{flow.stream}/receiver")
        self.senders.append(sender)
        self.receivers.append(receiver)
        if flow.own:
            control, number = self._make(flow.own, flow.name, f"{flow.stream}/control"), len(self.senders)
            engine.set_plugin_control(sender, control, flow.name, number, self._traced(flow.own))
        if flow.is_two_way:
            engine.agent_command(receiver, "listen", [])
            for agent in (sender, receiver):
                engine.listen(agent, "done")
        if isinstance(flow.app, Requests):
            self.apps.append((self._exchange(flow.app, sender, receiver), "ask", "stop_asking"))
        else:
            self.apps.append((self._app(flow, sender), "start_app", "stop_app"))

    def _exchange(self, app: Requests, client: int, server: int) -> int:
        return self.engine.add_exchange(
            client,
            server,
            size_bytes(app.request),
            size_bytes(app.response),
            app.times or -1,
            time_s(app.server_delay),
            time_s(app.think_time),
            app.closes,
        )

    def _app(self, flow: ResolvedFlow, sender: int) -> int:
        engine, app = self.engine, flow.app
        made = engine.add_app(app.kind)
        if not isinstance(app, Ftp):
            self._name_draws("app", made, flow.stream)
        parameters: dict[str, float] = {}
        if isinstance(app, Ftp):
            if flow.packets is not None:
                parameters = {"maxpkts": flow.packets}
        elif isinstance(app, Telnet):
            parameters = {"interval": time_s(app.interval) if app.interval else 0.0}
        elif not isinstance(app, Requests):
            parameters = {"rate_bps": rate_bps(app.rate), "packet_size": size_bytes(app.packet_size)}
            if isinstance(app, Cbr):
                parameters["random"] = float(app.dither)
                if app.packets is not None:
                    parameters["maxpkts"] = app.packets
            if isinstance(app, (Exponential, Pareto)):
                parameters |= {"burst_time": time_s(app.burst), "idle_time": time_s(app.idle)}
            if isinstance(app, Pareto):
                parameters["shape"] = float(app.shape)
        for name, value in parameters.items():
            engine.set_app_param(made, name, value)
        engine.attach_app(made, sender)
        return made

    def _tables(self) -> None:
        engine, record = self.engine, self.scenario.record
        engine.keep_tables(time_s(record.sample) or None, record.changes, record.packets)
        engine.tabulate_links(self.links)
        for flow, sender, receiver in zip(self.network.flows, self.senders, self.receivers, strict=True):
            engine.tabulate_flow(sender, receiver, flow.is_tcp)
            if flow.packets is not None and flow.is_two_way:
                engine.await_bytes(sender, flow.packets * int(flow.parameters["segsize"]))
            elif flow.packets is not None:
                engine.await_completion(sender)

    def _start(self, nam: int | None) -> None:
        engine = self.engine
        engine.install_routes()
        at_node: dict[int, list[int]] = {}
        for flow, sender, receiver in zip(self.network.flows, self.senders, self.receivers, strict=True):
            at_node.setdefault(flow.source, []).append(sender)
            at_node.setdefault(flow.destination, []).append(receiver)
        order = start_order(len(self.network.nodes))
        for node in order:
            for agent in at_node.get(node, []):
                engine.reset_agent(agent)
        for flow, sender in zip(self.network.flows, self.senders, strict=True):
            # Scripts choose it at time 0, when the sender has started.
            if flow.control is not None and flow.own is None and not flow.chooses_first:
                engine.agent_command(sender, "congestion_control", [flow.control])
        engine.reset_queues(self.links)
        if nam is not None:
            engine.channel_write(nam, "".join(f"{line}\n" for line in self._nam_head(order)).encode())

    def _nam_head(self, order: list[int]) -> list[str]:
        """What nam's file begins with: its version, nodes and links."""
        lines = ["V -t * -v 1.0a5 -a 0", "A -t * -n 1 -p 0 -o 0x7fffffff -c 30 -a 1", "A -t * -h 1 -m 1073741823 -s 0"]
        lines += [f"n -t * -a {node} -s {node} -S UP -v circle -c black -i black" for node in order]
        drawn: set[tuple[int, int]] = set()
        for link in self.network.links:
            if (link.target, link.source) not in drawn:
                drawn.add((link.source, link.target))
                ends = f"-s {link.source} -d {link.target}"
                lines.append(f"l -t * {ends} -S UP -r {link.rate_bps:.17g} -D {link.delay_s:.17g} -c black")
        return lines


__all__ = ["CompiledScenario", "ScenarioError", "SimulationError", "run"]
