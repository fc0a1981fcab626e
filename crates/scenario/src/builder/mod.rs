//! Sets up an engine from a resolved description, in the order in which an ns-2 script would.

mod losses;
mod output;
mod start_order;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use ackclock_engine::app::request_response::RequestResponse;
use ackclock_engine::app::video::{Player, Settings};
use ackclock_engine::net::Upcall;
use ackclock_engine::net::link::trace_driven::DeliveryTrace;
use ackclock_engine::net::link::wifi::MediumId;
use ackclock_engine::net::link::{ErrorsId, Hook, HookPoint, LinkId};
use ackclock_engine::net::node::{AgentId, NodeId};
use ackclock_engine::params::Value;
use ackclock_engine::random::rng::Owner;
use ackclock_engine::sim::Simulation;
use ackclock_trace::recorder::{ChannelId, Recorder};
use ackclock_trace::tables::Wanted;
use ackclock_trace::tabulate;

use crate::app_parameters::app_parameters;
use crate::builder::losses::add_error_model;
use crate::builder::start_order::start_order;
use crate::defaults::Values;
use crate::model::apps::{App, Requests, Video};
use crate::model::processes::Process;
use crate::model::scenario::Scenario;
use crate::model::seed::Seed;
use crate::outside::{Chosen, Origin, Outside, Wanted as WantedCode};
use crate::resolve::flows::ResolvedFlow;
use crate::resolve::layout::{DirectedLink, LinkLoss};
use crate::resolve::network::{Happening, Network};
use crate::schedule::{Action, Schedule};

/// What was refused that resolution lets through: a message.
pub(crate) type Refusal = String;

/// What is to be started and stopped of a flow.
enum Source {
    App(ackclock_engine::sim::AppId),
    Exchange(usize),
}

/// What a run writes besides its tables, and whether it has any.
#[derive(Clone, Debug)]
pub struct Output {
    /// Where ns-2's trace goes.
    pub trace: Option<ChannelId>,
    /// Where nam's animation goes.
    pub nam: Option<ChannelId>,
    /// Where a capture goes.
    pub capture: Option<ChannelId>,
    /// Where the qlogs of connections go, by the numbers of flows.
    pub qlogs: Vec<(usize, ChannelId)>,
    /// Whether there are tables.
    pub tables: bool,
    /// Whether the series are among them, which the scenario asks for.
    pub series: bool,
}

impl Default for Output {
    fn default() -> Output {
        Output { trace: None, nam: None, capture: None, qlogs: Vec::new(), tables: true, series: true }
    }
}

struct Builder<'a> {
    engine: &'a mut Simulation,
    schedule: &'a mut Schedule,
    scenario: &'a Scenario,
    network: &'a Network,
    outside: &'a dyn Outside,
    output: &'a Output,
    links: Vec<LinkId>,
    /// Whether each link is in the traces.
    traced: Vec<bool>,
    /// Wi-Fi media by the nodes at their ends and where they are described.
    media: HashMap<((usize, usize), &'a str), MediumId>,
    senders: Vec<AgentId>,
    receivers: Vec<AgentId>,
    sources: Vec<Source>,
}

/// A simulation that is ready for its first event, and what is to happen in it. `outside` has the code that takes part.
///
/// # Errors
/// A message for values that the engine refuses.
pub fn build(scenario: &Scenario, network: &Network, outside: &dyn Outside) -> Result<(Simulation, Schedule), String> {
    let (mut engine, mut schedule) = (Simulation::default(), Schedule::default());
    engine.net.observer = Box::new(Recorder::default());
    build_in(&mut engine, &mut schedule, (scenario, network), outside, &Output::default())?;
    Ok((engine, schedule))
}

/// Sets up a network in an empty simulation, whose observer is a [`Recorder`] with the channels of `output`. The senders of
/// the flows, in their order. `outside` has the code that takes part.
///
/// # Errors
/// A message for values that the engine refuses.
pub fn build_in(
    engine: &mut Simulation,
    schedule: &mut Schedule,
    (scenario, network): (&Scenario, &Network),
    outside: &dyn Outside,
    output: &Output,
) -> Result<Vec<AgentId>, String> {
    match scenario.seed {
        Some(Seed::Hashed(seed)) => engine.net.rng.hash(seed),
        Some(Seed::Ns2(seed)) => engine.net.rng.default = engine.net.rng.seeded(seed),
        None => {}
    }
    let (links, traced, media, senders, receivers, sources) = Default::default();
    let mut builder = Builder {
        engine,
        schedule,
        scenario,
        network,
        outside,
        output,
        links,
        traced,
        media,
        senders,
        receivers,
        sources,
    };
    builder.build()?;
    Ok(builder.senders)
}

impl Builder<'_> {
    fn build(&mut self) -> Result<(), Refusal> {
        let network = self.network;
        for _ in &network.nodes {
            self.engine.add_node();
        }
        self.add_links()?;
        if let Some(capture) = self.output.capture {
            self.add_capture(capture)?;
        }
        for flow in &network.flows {
            self.add_flow(flow)?;
        }
        let output = self.output;
        for &(number, channel) in &output.qlogs {
            self.add_qlog(number, channel)?;
        }
        self.put(network.duration_s, Action::Stop);
        self.add_events();
        for (number, flow) in network.flows.iter().enumerate() {
            let (start, stop) = match self.sources[number] {
                Source::App(app) => (Action::StartApp(app), Action::StopApp(app)),
                Source::Exchange(exchange) => (Action::ask(exchange), Action::StopExchange(exchange)),
            };
            for &(start_s, stop_s) in &flow.spans_s {
                self.put(start_s, start.clone());
                if let Some(stop_s) = stop_s {
                    self.put(stop_s, stop.clone());
                }
            }
        }
        if self.output.tables {
            self.add_tables()?;
        }
        self.start()
    }

    fn put(&mut self, at_s: f64, action: Action) {
        self.schedule.put_after(self.engine, at_s, action);
    }

    fn name_draws(&mut self, owner: Owner, number: u32, name: &str) {
        if matches!(self.scenario.seed, Some(Seed::Hashed(_))) {
            self.engine.net.rng.name(owner, number, name);
        }
    }

    fn link_stream(&self, number: usize) -> String {
        format!("link/{}", self.network.link_name(number))
    }

    fn add_links(&mut self) -> Result<(), Refusal> {
        let network = self.network;
        let failing: HashSet<usize> = network
            .events
            .iter()
            .filter(|event| matches!(event.what, Happening::Up | Happening::Down))
            .map(|event| event.link)
            .collect();
        self.traced = self.traced_links()?;
        for (number, link) in network.links.iter().enumerate() {
            let made = self.add_link(number, link)?;
            self.links.push(made);
            if let Some(Process::Wifi(wifi)) = &link.process {
                let ends = (link.source.min(link.target), link.source.max(link.target));
                let medium = match self.media.entry((ends, link.process_key.as_str())) {
                    Entry::Occupied(made) => *made.get(),
                    Entry::Vacant(none) => *none.insert(self.engine.net.add_medium(wifi.settings())?),
                };
                self.engine.net.join_medium(made, medium);
            }
            if link.queue.kind != "drop_tail" || matches!(link.process, Some(Process::Wifi(_))) {
                let name = self.link_stream(number);
                self.name_draws(Owner::Link, made.0, &name);
            }
            if self.traced[number] {
                self.add_trace(made, link);
            }
            for (place, lossy) in link.losses.iter().enumerate() {
                if lossy.loss.place == "link" {
                    self.add_loss(number, place, lossy, false)?;
                }
            }
            // The last one hooked at the front is the first to be met.
            for (place, lossy) in link.losses.iter().enumerate().rev() {
                if lossy.loss.place != "link" {
                    self.add_loss(number, place, lossy, true)?;
                }
            }
            if failing.contains(&number) {
                let link = &mut self.engine.net.links[made.0 as usize];
                link.add_hook(HookPoint::Head, Some(0), Hook::Gate);
                link.reports_refused = true;
            }
            self.engine.routing.insert(link.source as u32, link.target as u32, link.cost);
        }
        Ok(())
    }

    /// What decides about random numbers of code that acts for a flow or a link: its name in ns-2's way, else `stream`.
    fn seed_of(&self, name: &str, stream: &str) -> String {
        match self.scenario.seed {
            Some(Seed::Hashed(seed)) => format!("{seed} {stream}"),
            Some(Seed::Ns2(seed)) => format!("{seed} {name}"),
            None => format!("None {name}"),
        }
    }

    fn wanted<'b>(&self, code: &'b Chosen, name: &'b str, number: usize, stream: &str) -> WantedCode<'b> {
        let seed = self.seed_of(name, stream);
        WantedCode { code, name, number: number as u32, seed, records_changes: self.scenario.record.changes }
    }

    fn add_link(&mut self, number: usize, link: &DirectedLink) -> Result<LinkId, Refusal> {
        let ends = (NodeId(link.source as u32), NodeId(link.target as u32));
        let kind = if link.code.is_some() { "drop_tail" } else { &link.queue.kind };
        let made = self.engine.add_link(ends.0, ends.1, link.rate_bps, link.delay_s, kind);
        let made = made.map_err(|error| error.to_string())?;
        if let Some(deliveries) = &link.deliveries {
            let at_s = deliveries.at_ms().iter().map(|&at_ms| at_ms as f64 / 1000.0);
            self.engine.net.set_delivery_trace(made, DeliveryTrace::recorded(at_s)?);
        } else if !link.slots.is_empty() {
            self.engine.net.set_delivery_trace(made, DeliveryTrace::new(link.slots.iter().copied())?);
        }
        if let Some(code) = &link.code {
            let name = self.network.link_name(number);
            let wanted = self.wanted(code, &name, number, &format!("link/{name}/queue"));
            self.outside.give_queue(self.engine, made, (link.rate_bps, link.delay_s), wanted)?;
            return Ok(made);
        }
        let net = &mut self.engine.net;
        let queue = net.links[made.0 as usize].queue_mut();
        for (name, value) in &link.parameters.0 {
            if !queue.set_param(name, *value) {
                return Err(format!("a {} queue has no parameter {name}", link.queue.kind));
            }
        }
        // A discipline that computes nothing from its link knows no such command.
        let _ = net.use_queue(made, |queue, context| queue.command("link", context));
        for words in &link.commands {
            net.use_queue(made, |queue, context| queue.command(words, context))?;
        }
        Ok(made)
    }

    fn add_loss(&mut self, number: usize, place: usize, lossy: &LinkLoss, at_front: bool) -> Result<(), Refusal> {
        self.engine.net.errors.push(Default::default());
        let module = ErrorsId(self.engine.net.errors.len() as u32 - 1);
        let model = add_error_model(self.engine, &lossy.loss)?;
        let name = format!("{}/{}", self.link_stream(number), place + 1);
        self.name_draws(Owner::ErrorModel, model.0, &name);
        let errors = &mut self.engine.net.errors[module.0 as usize];
        match &lossy.flow_ids {
            None => errors.assign_others(Some(model)),
            Some(ids) => {
                errors.assign_others(None);
                ids.iter().for_each(|&id| errors.assign(id as i32, model));
            }
        }
        let point = match lossy.loss.place.as_str() {
            "queue" => HookPoint::Head,
            "link" => HookPoint::Dequeued,
            _ => HookPoint::WireEnd,
        };
        let link = &mut self.engine.net.links[self.links[number].0 as usize];
        link.add_hook(point, at_front.then_some(0), Hook::Errors(module));
        Ok(())
    }

    fn add_flow(&mut self, flow: &ResolvedFlow) -> Result<(), Refusal> {
        let terms = &flow.terms;
        let sender = self.engine.add_agent(&terms.sender).map_err(|error| error.to_string())?;
        let receiver = self.engine.add_agent(&terms.receiver).map_err(|error| error.to_string())?;
        if flow.chooses_first() {
            self.choose_control(flow, sender)?;
            if flow.is_two_way() {
                self.choose_control(flow, receiver)?;
            }
        }
        for (agent, parameters) in [(sender, &terms.parameters), (receiver, &terms.receiver_parameters)] {
            self.set_params(agent, flow.flow_id, parameters)?;
        }
        self.engine.attach(sender, NodeId(flow.source as u32), None);
        self.engine.attach(receiver, NodeId(flow.destination as u32), None);
        for (agent, other) in [(sender, receiver), (receiver, sender)] {
            let there = self.engine.agents[other.0 as usize].endpoint().here;
            self.engine.agents[agent.0 as usize].endpoint_mut().peer = there;
        }
        self.name_draws(Owner::Agent, sender.0, &flow.stream);
        if flow.is_two_way() {
            self.name_draws(Owner::Agent, receiver.0, &format!("{}/receiver", flow.stream));
        }
        self.senders.push(sender);
        self.receivers.push(receiver);
        if let Some(code) = terms.code.as_ref().filter(|code| code.origin == Origin::Python) {
            let wanted = self.wanted(code, &flow.name, self.senders.len(), &format!("{}/control", flow.stream));
            self.outside.give_control(self.engine, sender, wanted)?;
        }
        if flow.is_two_way() {
            let server = if matches!(flow.app, App::Video(_)) { sender } else { receiver };
            self.command(server, "listen", &[])?;
            for agent in [sender, receiver] {
                self.engine.listen(agent, Some(Upcall::Done(agent)));
            }
        }
        let source = match &flow.app {
            App::Requests(app) => self.add_exchange(app, sender, receiver),
            App::Video(app) => self.add_video(app, sender, receiver),
            app => self.add_app(flow, app, sender)?,
        };
        self.sources.push(source);
        Ok(())
    }

    /// Gives an agent its congestion control: the engine's by name, or a compiled one. An object of the user's own comes later.
    fn choose_control(&mut self, flow: &ResolvedFlow, agent: AgentId) -> Result<(), Refusal> {
        match (&flow.terms.code, &flow.terms.control) {
            (Some(code), _) if code.origin != Origin::Python => {
                let wanted = self.wanted(code, &flow.name, self.senders.len() + 1, &format!("{}/control", flow.stream));
                self.outside.give_control(self.engine, agent, wanted)
            }
            (None, Some(control)) => self.command(agent, "congestion_control", &[control]).map(drop),
            _ => Ok(()),
        }
    }

    fn set_params(&mut self, agent: AgentId, flow_id: i64, parameters: &Values) -> Result<(), Refusal> {
        let set = &mut self.engine.agents[agent.0 as usize];
        if !set.set_param("fid", Value::Int(flow_id)) {
            return Err("an agent has no flow id".into());
        }
        set.was_set(&mut self.engine.net);
        set.report(None, &mut self.engine.net);
        let unknown = parameters.0.iter().filter(|(name, value)| !set.set_param(name, *value)).map(|(name, _)| name);
        let unknown: Vec<_> = unknown.collect();
        set.was_set(&mut self.engine.net);
        unknown.first().map_or(Ok(()), |name| Err(format!("this agent has no parameter {name}")))
    }

    fn command(&mut self, agent: AgentId, name: &str, arguments: &[&str]) -> Result<String, Refusal> {
        self.engine.with_agent(agent, |agent, net| agent.command(name, arguments, net))
    }

    fn add_exchange(&mut self, app: &Requests, client: AgentId, server: AgentId) -> Source {
        let times = u32::try_from(app.times).ok().filter(|&times| times > 0);
        let sizes = (app.request.value, app.response.value);
        let exchange = RequestResponse::new(sizes, times, (app.server_delay.value, app.think_time.value), app.closes);
        Source::Exchange(self.schedule.add_exchange(self.engine, Box::new(exchange), (client, server), client))
    }

    fn add_video(&mut self, app: &Video, server: AgentId, client: AgentId) -> Source {
        let player = Player::new(Settings {
            bitrates_bps: app.bitrates.iter().map(|rate| rate.value).collect(),
            segment_s: app.segment.value,
            buffer_s: app.buffer.value,
            gamma_p: app.gamma_p.value,
            segments: app.segments.and_then(|segments| u32::try_from(segments).ok()),
            request_bytes: app.request.value,
        });
        Source::Exchange(self.schedule.add_exchange(self.engine, Box::new(player), (client, server), server))
    }

    fn add_app(&mut self, flow: &ResolvedFlow, app: &App, sender: AgentId) -> Result<Source, Refusal> {
        let made = self.engine.add_app(app.kind()).map_err(|error| error.to_string())?;
        if !matches!(app, App::Ftp(_)) {
            self.name_draws(Owner::App, made.0, &flow.stream);
        }
        for (name, value) in app_parameters(app, flow.packets) {
            if !self.engine.apps[made.0 as usize].app.set_param(name, value) {
                return Err(format!("this application has no parameter {name}"));
            }
        }
        self.engine.attach_app(made, sender);
        Ok(Source::App(made))
    }

    fn add_events(&mut self) {
        let network = self.network;
        let mut costs: Vec<f64> = network.links.iter().map(|link| link.cost).collect();
        let mut down: HashSet<usize> = HashSet::new();
        let routes = |what: Happening| matches!(what, Happening::Up | Happening::Down | Happening::Cost(_));
        for (index, event) in network.events.iter().enumerate() {
            let (number, link, at_s) = (event.link, self.links[event.link], event.at_s);
            match event.what {
                Happening::Rate(rate_bps) => self.put(at_s, Action::Rate(link, rate_bps)),
                Happening::Delay(delay_s) => self.put(at_s, Action::Delay(link, delay_s)),
                Happening::Up => self.put(at_s, Action::Up(link)),
                Happening::Down => self.put(at_s, Action::Down(link)),
                Happening::Cut => self.put(at_s, Action::Cut(link)),
                Happening::Cost(cost) => costs[number] = cost,
            }
            if self.traced[number] {
                self.tell_dynamics(event);
            }
            if self.scenario.routing == "static" || !routes(event.what) {
                continue;
            }
            match event.what {
                Happening::Down => drop(down.insert(number)),
                Happening::Up => drop(down.remove(&number)),
                _ => {}
            }
            let cost = (!down.contains(&number)).then_some(costs[number]);
            self.put(at_s, Action::Cost(link, cost));
            // Routes are computed once for all that changes at an instant.
            let is_last = !network.events[index + 1..].iter().any(|later| later.at_s == at_s && routes(later.what));
            if is_last {
                self.put(at_s, Action::Reroute);
            }
        }
    }

    fn add_tables(&mut self) -> Result<(), Refusal> {
        let record = &self.scenario.record;
        let sample_s = Some(record.sample.value).filter(|&sample_s| self.output.series && sample_s > 0.0);
        let wanted = Wanted { sample_s, changes: record.changes, packets: record.packets };
        tabulate::keep(self.engine, wanted);
        tabulate::add_links(self.engine, &self.links);
        for (number, flow) in self.network.flows.iter().enumerate() {
            let ends = (self.senders[number], self.receivers[number]);
            tabulate::add_flow(self.engine, ends, flow.is_tcp())
                .map_err(|name| format!("this agent has no parameter {name}"))?;
            match flow.packets {
                Some(packets) if flow.is_two_way() => {
                    let segment = flow.terms.parameters.get("segsize").map_or(0, Value::int);
                    tabulate::await_bytes(self.engine, ends.0, packets * segment);
                }
                Some(_) => tabulate::await_completion(self.engine, ends.0),
                None => {}
            }
        }
        Ok(())
    }

    fn start(&mut self) -> Result<(), Refusal> {
        self.engine.install_routes();
        let mut at_node: BTreeMap<usize, Vec<AgentId>> = BTreeMap::new();
        for (number, flow) in self.network.flows.iter().enumerate() {
            at_node.entry(flow.source).or_default().push(self.senders[number]);
            at_node.entry(flow.destination).or_default().push(self.receivers[number]);
        }
        let order = start_order(self.network.nodes.len());
        for &node in &order {
            for &agent in at_node.get(&node).into_iter().flatten() {
                self.engine.with_agent(agent, |agent, net| agent.reset(net));
            }
        }
        for (number, flow) in self.network.flows.iter().enumerate() {
            // Scripts choose it at time 0, when the sender has started.
            if !flow.chooses_first() {
                self.choose_control(flow, self.senders[number])?;
            }
        }
        for &link in &self.links {
            self.engine.net.use_queue(link, |queue, context| queue.reset(context));
        }
        self.write_nam_head(&order);
        Ok(())
    }
}
