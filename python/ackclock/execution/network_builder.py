"""Sets up an engine from a resolved description, in the order in which an ns-2 script would."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ackclock._native import (
    Agent,
    Application,
    Channel,
    ErrorModel,
    Exchange,
    Link,
    Node,
    Params,
    Simulation,
    SimulationError,
    WifiMedium,
)
from ackclock.execution.start_order import start_order
from ackclock.plugins.classes import Own, OwnError
from ackclock.scenario import (
    Call,
    Cbr,
    Exponential,
    Ftp,
    Pareto,
    Requests,
    Scenario,
    ScenarioError,
    Telnet,
    Video,
    Wifi,
)
from ackclock.scenario.model.seed import hashed_seed, ns2_seed
from ackclock.scenario.resolve.flows import ResolvedFlow
from ackclock.scenario.resolve.layout import DirectedLink, LinkLoss, Value
from ackclock.scenario.resolve.losses import error_model
from ackclock.scenario.resolve.network import Event, Network
from ackclock.scenario.resolve.plugins import own_queue
from ackclock.scenario.resolve.wifi import wifi_settings
from ackclock.scenario.units import rate_bps, size_bytes, time_s

#: where packets are lost -> the engine's place on a link
_LOSS_PLACES = {"queue": "head", "link": "dequeued", "wire": "wire_end"}


class NetworkBuilder:
    """Sets up an engine's network, in the order in which an ns-2 script would."""

    def __init__(self, engine: Simulation, scenario: Scenario, network: Network) -> None:
        self.engine, self.scenario, self.network = engine, scenario, network
        self.nodes: list[Node] = []
        self.links: list[Link] = []
        self._hashes = hashed_seed(scenario.seed) is not None
        self._know_no_link: set[str] = set()
        self._media: dict[tuple[int, int, str], WifiMedium] = {}
        self._given: dict[int, Params] = {}
        self.senders: list[Agent] = []
        self.receivers: list[Agent] = []
        #: of each flow, what is to be started and stopped
        self.apps: list[Application | Exchange] = []

    def seed(self) -> None:
        """Seed the engine's random numbers, before anything else."""
        hashed, ns2s = hashed_seed(self.scenario.seed), ns2_seed(self.scenario.seed)
        if hashed is not None:
            self.engine.hash_seed(hashed)
        elif ns2s is not None:
            self.engine.default_stream.seed(ns2s)

    def build(
        self,
        trace: Channel | None,
        nam: Channel | None,
        pcapng: Channel | None,
        qlogs: Mapping[int, Channel] | None = None,
        *,
        tables: bool = True,
    ) -> None:
        """Everything up to the first event, but for the seed. `qlogs` has channels by the numbers of flows. Without
        `tables` nothing is measured, and there are no results.
        """
        engine, network = self.engine, self.network
        self.nodes = [engine.add_node() for _ in network.nodes]
        self._links(trace, nam)
        if pcapng is not None:
            self._capture(pcapng)
        for flow in network.flows:
            self._flow(flow)
        for number, channel in (qlogs or {}).items():
            self.senders[number].watch_connection(network.flows[number].name, channel)
        engine.schedule(network.duration_s, "stop")
        self._events(trace, nam)
        for flow, app in zip(network.flows, self.apps, strict=True):
            for start_s, stop_s in flow.spans_s:
                app.schedule(start_s, "start")
                if stop_s is not None:
                    app.schedule(stop_s, "stop")
        if tables:
            self._tables()
        self._start(nam)

    def _name_draws(self, owner: Agent | Application | Link | ErrorModel, name: str) -> None:
        if self._hashes:
            owner.name_draws(name)

    def _params(self, values: dict[str, Value]) -> Params:
        """Values in one piece. Many flows and links have the same dict of them, and the network keeps it."""
        if id(values) not in self._given:
            self._given[id(values)] = Params(list(values.items()))
        return self._given[id(values)]

    def _capture(self, pcapng: Channel) -> None:
        capture = self.engine.add_capture(pcapng)
        for place in self.network.places(self.scenario.record.capture, "record.capture"):
            leaving, entering = ([self.links[end] for end in ends] for ends in (place.leaving, place.entering))
            capture.add_interface(place.name, leaving, entering)

    def _traced_links(self) -> set[int]:
        wanted = self.scenario.record.trace
        if wanted is None:
            return set(range(len(self.network.links)))
        return {number for name in wanted for number in self.network.links_named(name, "record.trace")}

    def _events(self, trace: Channel | None, nam: Channel | None) -> None:
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
                link.schedule(event.at_s, event.what, event.value)
            if event.what in ("up", "down") and number in traced:
                self._tell_dynamics(event, trace, nam)
            if self.scenario.routing == "static" or event.what not in ("up", "down", "cost"):
                continue
            if event.what != "cost":
                (down.add if event.what == "down" else down.discard)(number)
            if number in down:
                link.schedule(event.at_s, "withdraw")
            else:
                link.schedule(event.at_s, "cost", costs[number])
            if last[event.at_s] == index:
                engine.schedule(event.at_s, "reroute")

    def _tell_dynamics(self, event: Event, trace: Channel | None, nam: Channel | None) -> None:
        """The trace lines of a link that goes down or up."""
        link, now = self.network.links[event.link], f"{event.at_s:.17g}"
        ends = f"{link.source} {link.target}"
        if trace is not None:
            trace.schedule(event.at_s, f"v {now} link-{event.what} {ends}\n")
        if nam is not None:
            state = f"l -t {now} -s {link.source} -d {link.target} -S {event.what.upper()}\n"
            remark = f"v -t {now} link-{event.what} {now} {ends}\n"
            nam.schedule(event.at_s, state + remark)

    def _links(self, trace: Channel | None, nam: Channel | None) -> None:
        traced = self._traced_links()
        failing = {event.link for event in self.network.events if event.what in ("up", "down")}
        for number, link in enumerate(self.network.links):
            self.links.append(made := self._link(number, link))
            # Most links have a queue and a transmitter that never draw.
            if link.queue.kind != "drop_tail" or isinstance(link.process, Wifi):
                self._name_draws(made, self._link_stream(number))
            if number in traced and (trace is not None or nam is not None):
                for op, place in (("+", "head"), ("-", "dequeued"), ("d", "dropped"), ("r", "received")):
                    here = self.engine.add_trace_place(op, link.source, link.target, trace, nam)
                    made.add_trace(place, here)
            for lossy in link.losses:
                if lossy.loss.place == "link":
                    self._loss(number, lossy, at_front=False)
            # The last one tapped at the front is the first to be met.
            for lossy in reversed(link.losses):
                if lossy.loss.place != "link":
                    self._loss(number, lossy, at_front=True)
            if number in failing:
                made.add_gate()
                made.set_reports_refused(True)
            self.engine.set_route_cost(link.source, link.target, link.cost)

    def _link(self, number: int, link: DirectedLink) -> Link:
        own = own_queue(link.queue.kind)
        kind = "drop_tail" if own else str(link.queue.kind)
        given = None if own else self._params(link.parameters)
        source, target = self.nodes[link.source], self.nodes[link.target]
        made = self.engine.add_link(source, target, link.rate_bps, link.delay_s, kind, given)
        if isinstance(link.process, Wifi):
            # Both directions are on one medium, unless one of them has its own.
            ends = (min(link.source, link.target), max(link.source, link.target), link.process_key)
            if ends not in self._media:
                self._media[ends] = self.engine.add_wifi_medium(wifi_settings(link.process))
            self._media[ends].join(made)
        if link.deliveries is not None:
            made.set_deliveries([at_ms / 1000 for at_ms in link.deliveries])
        if own:
            name = self.network.link_name(number)
            own.parameters = link.parameters
            queue = self._make(own, name, f"{self._link_stream(number)}/queue")
            queue.rate_bps, queue.delay_s = link.rate_bps, link.delay_s
            limit, interval_s = int(queue.limit), float(queue.interval_s)
            made.set_plugin_queue(queue, name, number, limit, interval_s, self._traced(own))
            return made
        # A discipline that computes nothing from its link knows no such command.
        if kind not in self._know_no_link:
            try:
                made.queue.command("link")
            except SimulationError:
                self._know_no_link.add(kind)
        for words in link.commands:
            made.queue.command(words)
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
        self._name_draws(model, f"{self._link_stream(number)}/{place}")
        if lossy.flow_ids is None:
            module.assign_others(model)
        else:
            module.assign_others(None)
            for flow_id in lossy.flow_ids:
                module.assign(flow_id, model)
        made.add_error_module(_LOSS_PLACES[loss.place], module, at_front)

    def _flow(self, flow: ResolvedFlow) -> None:
        engine = self.engine
        sender, receiver = engine.add_agent(flow.sender), engine.add_agent(flow.receiver)
        if flow.control is not None and flow.own is None and flow.chooses_first:
            for agent in (sender, receiver) if flow.is_two_way else (sender,):
                flow.choose_control(agent)
        for agent, parameters in ((sender, flow.parameters), (receiver, flow.receiver_parameters)):
            agent.set_param("fid", flow.flow_id)
            agent.set_params(self._params(parameters))
        sender.attach(self.nodes[flow.source])
        receiver.attach(self.nodes[flow.destination])
        sender.connect(receiver)
        self._name_draws(sender, flow.stream)
        if flow.is_two_way:
            self._name_draws(receiver, f"{flow.stream}/receiver")
        self.senders.append(sender)
        self.receivers.append(receiver)
        if flow.own:
            control, number = self._make(flow.own, flow.name, f"{flow.stream}/control"), len(self.senders)
            sender.set_plugin_control(control, flow.name, number, self._traced(flow.own))
        if flow.is_two_way:
            server = sender if isinstance(flow.app, Video) else receiver
            server.command("listen", [])
            for agent in (sender, receiver):
                agent.listen("done")
        if isinstance(flow.app, Requests):
            self.apps.append(self._exchange(flow.app, sender, receiver))
        elif isinstance(flow.app, Video):
            self.apps.append(self._video(flow.app, sender, receiver))
        else:
            self.apps.append(self._app(flow, sender))

    def _exchange(self, app: Requests, client: Agent, server: Agent) -> Exchange:
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

    def _video(self, app: Video, server: Agent, client: Agent) -> Exchange:
        return self.engine.add_video(
            client,
            server,
            [rate_bps(rate) for rate in app.bitrates],
            time_s(app.segment),
            time_s(app.buffer),
            float(app.gamma_p),
            -1 if app.segments is None else app.segments,
            size_bytes(app.request),
        )

    def _app(self, flow: ResolvedFlow, sender: Agent) -> Application:
        engine, app = self.engine, flow.app
        made = engine.add_app(app.kind)
        if not isinstance(app, Ftp):
            self._name_draws(made, flow.stream)
        parameters: dict[str, float] = {}
        if isinstance(app, Ftp):
            if flow.packets is not None:
                parameters = {"maxpkts": flow.packets}
        elif isinstance(app, Telnet):
            parameters = {"interval": time_s(app.interval) if app.interval else 0.0}
        elif isinstance(app, Call):
            parameters = {"fps": float(app.fps), "frame_variation": float(app.frame_variation)}
            parameters["reaction_s"] = time_s(app.reaction)
        elif not isinstance(app, (Requests, Video)):
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
            made.set_param(name, value)
        made.attach(sender)
        return made

    def _tables(self) -> None:
        engine, record = self.engine, self.scenario.record
        engine.keep_tables(time_s(record.sample) or None, record.changes, record.packets)
        engine.tabulate_links(self.links)
        for flow, sender, receiver in zip(self.network.flows, self.senders, self.receivers, strict=True):
            engine.tabulate_flow(sender, receiver, flow.is_tcp)
            if flow.packets is not None and flow.is_two_way:
                sender.await_bytes(flow.packets * int(flow.parameters["segsize"]))
            elif flow.packets is not None:
                sender.await_completion()

    def _start(self, nam: Channel | None) -> None:
        engine = self.engine
        engine.install_routes()
        at_node: dict[int, list[Agent]] = {}
        for flow, sender, receiver in zip(self.network.flows, self.senders, self.receivers, strict=True):
            at_node.setdefault(flow.source, []).append(sender)
            at_node.setdefault(flow.destination, []).append(receiver)
        order = start_order(len(self.network.nodes))
        for node in order:
            for agent in at_node.get(node, []):
                agent.reset()
        for flow, sender in zip(self.network.flows, self.senders, strict=True):
            # Scripts choose it at time 0, when the sender has started.
            if flow.control is not None and flow.own is None and not flow.chooses_first:
                sender.command("congestion_control", [flow.control])
        engine.reset_queues(self.links)
        if nam is not None:
            nam.write("".join(f"{line}\n" for line in self._nam_head(order)).encode())

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
