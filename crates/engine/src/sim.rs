//! The simulation: a network with agents and applications, and the event loop.

mod multicast;

use std::collections::VecDeque;
use std::ops::ControlFlow;

use crate::app::{self, App, AppContext, Attached};
use crate::event::timer::TimerOwner;
use crate::event::{Event, Key};
use crate::invariants::InvariantChecker;
use crate::loss::ModelId;
use crate::net::link::wifi::MediumId;
use crate::net::link::{Link, LinkId};
use crate::net::node::{AgentId, Node, NodeId};
use crate::net::quick_start::RouterId;
use crate::net::routing::Routing;
use crate::net::token_bucket::BucketId;
use crate::net::{Network, SimulationError, Upcall};
use crate::packet::{Address, PacketId};
use crate::queue;
use crate::time::Time;
use crate::transport::agent::Agent;
use crate::transport::registry;

/// Index of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AppId(pub u32);

/// Number of a callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptId(pub u32);

/// Why [`Simulation::run`] returned.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// A callback is due.
    Script(ScriptId),
    /// A sample is due ([`Network::stop_to_sample`]). The clock stays at the event before it.
    Sample,
    /// A notification that was requested with [`Simulation::listen`].
    Upcall(Upcall),
    /// Flow tables have new flows ([`crate::measure::flow::FlowTable::take_fresh`]).
    FreshFlows,
    /// Packets passed traces of which the caller is to hear ([`crate::net::link::Hook::Tell`]).
    Lines,
    /// A packet for a group needs a decision ([`Simulation::multicast_question`]).
    Multicast,
    /// The event limit was reached; call again to continue.
    Paused,
    /// There are no more events.
    Exhausted,
    /// The simulation has failed.
    Failed(SimulationError),
}

/// An error in the description of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub enum DescriptionError {
    /// No agent, queue discipline or application has this id.
    UnknownKind(String),
    /// A number is out of range; the text says which.
    BadNumber(String),
}

impl std::fmt::Display for DescriptionError {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            DescriptionError::UnknownKind(kind) => write!(out, "unknown kind {kind}"),
            DescriptionError::BadNumber(what) => out.write_str(what),
        }
    }
}

impl std::error::Error for DescriptionError {}

/// A network, its agents and its applications.
#[derive(Default)]
pub struct Simulation {
    /// The network: all but agents and applications.
    pub net: Network,
    /// Agents by number.
    pub agents: Vec<Box<dyn Agent>>,
    /// Applications by number.
    pub apps: Vec<Attached>,
    /// Static routes.
    pub routing: Routing,
    fed_by: Vec<Option<AppId>>,
    listens: Vec<u8>,
    scripts: Vec<bool>,
    upcalls: VecDeque<Upcall>,
    /// Run-time checks.
    pub checker: InvariantChecker,
}

impl Simulation {
    /// Sets every node's routes from the link costs. Of several links between two nodes the one made last is used.
    pub fn install_routes(&mut self) {
        self.net.install_routes(&mut self.routing);
    }

    /// Adds a node.
    pub fn add_node(&mut self) -> NodeId {
        self.net.nodes.push(Node::default());
        NodeId(self.net.nodes.len() as u32 - 1)
    }

    /// Adds a simplex link. Rate in bit/s, delay in s.
    ///
    /// # Errors
    /// When the discipline is unknown, the rate is not positive, or the delay is negative.
    pub fn add_link(
        &mut self,
        from: NodeId,
        to: NodeId,
        rate_bps: f64,
        delay_s: f64,
        discipline: &str,
    ) -> Result<LinkId, DescriptionError> {
        let queue = queue::make(discipline).ok_or_else(|| DescriptionError::UnknownKind(discipline.into()))?;
        if rate_bps <= 0.0 || rate_bps.is_nan() {
            return Err(DescriptionError::BadNumber(format!("a link's rate is {rate_bps} bit/s; it must be positive")));
        }
        if delay_s < 0.0 || delay_s.is_nan() {
            return Err(DescriptionError::BadNumber(format!("a link's delay is {delay_s} s; it must not be negative")));
        }
        Ok(self.net.add_link(Link::new(from.0, to.0, rate_bps, delay_s, queue)))
    }

    /// Adds an agent.
    ///
    /// # Errors
    /// When no agent has the id `kind`.
    pub fn add_agent(&mut self, kind: &str) -> Result<AgentId, DescriptionError> {
        let id = AgentId(self.agents.len() as u32);
        let agent =
            registry::make(kind, id, &mut self.net).ok_or_else(|| DescriptionError::UnknownKind(kind.into()))?;
        self.agents.push(agent);
        self.fed_by.push(None);
        self.listens.push(0);
        // `Done` is always wanted: the agent itself handles it ([`Agent::done_was_delivered`]).
        self.net.audience.push(Upcall::Done(id).bit());
        Ok(id)
    }

    /// Adds an application.
    ///
    /// # Errors
    /// When no application has the id `kind`.
    pub fn add_app(&mut self, kind: &str) -> Result<AppId, DescriptionError> {
        let id = AppId(self.apps.len() as u32);
        let app = app::make(kind, id.0, &mut self.net).ok_or_else(|| DescriptionError::UnknownKind(kind.into()))?;
        self.apps.push(Attached { app, agent: None });
        Ok(id)
    }

    /// Attaches an agent to a node, at the given port or the lowest port without an agent; returns the port.
    pub fn attach(&mut self, agent: AgentId, node: NodeId, port: Option<i32>) -> i32 {
        let place = &mut self.net.nodes[node.0 as usize];
        let port = match port {
            Some(port) => {
                place.attach_at(agent, port);
                port
            }
            None => place.attach(agent),
        };
        let end = self.agents[agent.0 as usize].endpoint_mut();
        end.outlet = Some(node);
        end.here = Address { node: node.0 as i32, port };
        port
    }

    /// Detaches an agent. Packets that it sends are lost, and so are packets to its port at `node`. As in ns-2, its
    /// address is then node 0 with its old port; packets to its port at another node still reach it.
    pub fn detach(&mut self, agent: AgentId, node: NodeId) {
        let end = self.agents[agent.0 as usize].endpoint_mut();
        end.outlet = None;
        end.here.node = 0;
        self.net.nodes[node.0 as usize].discard_at(end.here.port);
    }

    /// Whether the event list has events.
    pub fn has_events(&self) -> bool {
        !self.net.events.is_empty()
    }

    /// Attaches an application to an agent.
    pub fn attach_app(&mut self, app: AppId, agent: AgentId) {
        self.apps[app.0 as usize].agent = Some(agent);
        self.fed_by[agent.0 as usize] = Some(app);
        self.net.audience[agent.0 as usize] = u8::MAX;
        self.with_app(app, |app, context| app.attached(context));
    }

    /// Lets [`Simulation::run`] return at notifications of this agent: one kind, or all kinds with `None`.
    pub fn listen(&mut self, agent: AgentId, kind: Option<Upcall>) {
        let wanted = kind.map_or(u8::MAX, Upcall::bit);
        self.listens[agent.0 as usize] |= wanted;
        self.net.audience[agent.0 as usize] |= wanted;
    }

    /// Resets the clock to 0 and removes all pending events. Nodes, links, agents and applications remain. Uids,
    /// random streams and indices continue.
    pub fn restart_clock(&mut self) {
        self.net.events.clear();
        self.net.current = Key { at: Time::ZERO, counter: 0 };
        self.upcalls.clear();
    }

    /// Schedules a callback `delay_s` from now.
    pub fn call_back(&mut self, delay_s: f64) -> ScriptId {
        let id = ScriptId(self.scripts.len() as u32);
        self.scripts.push(true);
        let at = self.net.now() + delay_s;
        self.net.events.schedule(at, Event::Script(id.0));
        id
    }

    /// Cancels a callback; returns whether it was pending.
    pub fn cancel(&mut self, script: ScriptId) -> bool {
        std::mem::replace(&mut self.scripts[script.0 as usize], false)
    }

    /// Runs a function on an agent, then delivers the notifications and local packets that it caused.
    pub fn with_agent<R>(&mut self, agent: AgentId, act: impl FnOnce(&mut dyn Agent, &mut Network) -> R) -> R {
        let result = self.agent_acts(agent, act);
        self.settle();
        result
    }

    /// Runs a function on an application, then delivers the notifications and local packets that it caused.
    pub fn with_app<R>(&mut self, app: AppId, act: impl FnOnce(&mut dyn App, &mut AppContext) -> R) -> R {
        let result = self.app_acts(app, act);
        self.settle();
        result
    }

    fn app_acts<R>(&mut self, app: AppId, act: impl FnOnce(&mut dyn App, &mut AppContext) -> R) -> R {
        let Attached { app: actor, agent } = &mut self.apps[app.0 as usize];
        let Some(fed) = *agent else {
            return act(&mut **actor, &mut AppContext { net: &mut self.net, agent: None, id: app.0 });
        };
        let agent = &mut *self.agents[fed.0 as usize];
        let result = act(&mut **actor, &mut AppContext { net: &mut self.net, agent: Some(agent), id: app.0 });
        self.net.count_act(fed, || self.agents[fed.0 as usize].progress());
        result
    }

    /// Runs a function on an agent, and updates the agent's statistics.
    #[inline(always)]
    fn agent_acts<R>(&mut self, agent: AgentId, act: impl FnOnce(&mut dyn Agent, &mut Network) -> R) -> R {
        let actor = &mut *self.agents[agent.0 as usize];
        let result = act(actor, &mut self.net);
        self.net.count_act(agent, || actor.progress());
        result
    }

    /// Hands a packet to an agent.
    #[inline(always)]
    fn hand_over(&mut self, agent: AgentId, packet: PacketId) {
        if self.net.endpoint_stats.is_empty() {
            self.agents[agent.0 as usize].receive(packet, &mut self.net);
        } else {
            self.hand_over_counted(agent, packet);
        }
    }

    #[inline(never)]
    fn hand_over_counted(&mut self, agent: AgentId, packet: PacketId) {
        self.net.count_receive(agent, packet);
        self.agent_acts(agent, |agent, net| agent.receive(packet, net));
    }

    /// Delivers notifications, and packets between agents of one node, until there are no more.
    #[inline]
    fn settle(&mut self) {
        if std::mem::take(&mut self.net.has_news) {
            self.settle_all();
        }
    }

    fn settle_all(&mut self) {
        for _ in 0..self.checker.most_at_one_time {
            if let Some(upcall) = self.net.upcalls.pop_front() {
                let agent = upcall.agent();
                if let Some(app) = self.fed_by[agent.0 as usize] {
                    match upcall {
                        Upcall::Idle(_) => self.app_acts(app, |app, context| app.agent_is_idle(context)),
                        Upcall::Received(_, bytes) => {
                            self.app_acts(app, |app, context| app.received(bytes, context));
                        }
                        Upcall::Done(_)
                        | Upcall::Lost(_)
                        | Upcall::Emptied(_)
                        | Upcall::Message(_)
                        | Upcall::NoBytes(_)
                        | Upcall::OneBlock(_) => {}
                    }
                }
                if self.listens[agent.0 as usize] & upcall.bit() != 0 {
                    self.upcalls.push_back(upcall);
                } else if let Upcall::Done(agent) = upcall {
                    self.agent_acts(agent, |agent, net| agent.done_was_delivered(net));
                }
            } else if let Some((agent, packet)) = self.net.local.pop_front() {
                self.hand_over(agent, packet);
            } else {
                return;
            }
        }
        self.net.fail(SimulationError::Limit(format!(
            "endless loop at {} s: agents and applications keep calling each other",
            self.now().secs()
        )));
    }

    #[inline(always)]
    fn arrive(&mut self, link: LinkId, packet: PacketId, key: Key) {
        if let Some(agent) = self.net.arrive(link, packet, key) {
            self.hand_over(agent, packet);
        }
    }

    fn deliver(&mut self, delivery: Option<(AgentId, PacketId)>) {
        if let Some((agent, packet)) = delivery {
            self.hand_over(agent, packet);
        }
    }

    fn timer_due(&mut self, owner: TimerOwner) {
        match owner {
            TimerOwner::Agent(agent, which) => {
                self.agent_acts(AgentId(agent), |agent, net| agent.timer(which, net));
            }
            TimerOwner::App(app, which) => self.app_acts(AppId(app), |app, context| app.timer(which, context)),
            TimerOwner::Queue(link) => self.net.queue_timer(LinkId(link)),
            TimerOwner::Errors(model, _) => self.net.model_timer(ModelId(model)),
            TimerOwner::Lan(link, which) => self.net.ethernet_timer(LinkId(link), which),
            TimerOwner::Delayer(link, which) => self.net.delayer_timer(LinkId(link), which),
            TimerOwner::DeliveryTrace(link) => self.net.deliver_due(LinkId(link)),
            TimerOwner::Medium(medium) => self.net.medium_timer(MediumId(medium)),
            TimerOwner::QuickStart(router) => self.net.quick_start_timer(RouterId(router)),
            TimerOwner::Bucket(bucket) => self.net.bucket_timer(BucketId::new(bucket)),
            TimerOwner::DelayBox(flow) => {
                let delivery = self.net.delay_box_timer(flow);
                self.deliver(delivery);
            }
        }
    }

    /// Time of the next event.
    pub fn next_at(&mut self) -> Option<Time> {
        self.net.events.next_at()
    }

    /// Advances the clock to `at`, unless it is later already. No event may be due before. For runs in real time.
    pub fn pass_to(&mut self, at: Time) {
        debug_assert!(self.next_at().is_none_or(|due| due >= at), "something is due before");
        if at > self.now() {
            self.net.current = Key { at, counter: self.net.events.take_counter() };
        }
    }

    /// Runs until there is a reason to stop, or until `most_events` events were handled.
    pub fn run(&mut self, most_events: u64) -> Stop {
        let mut left = most_events;
        loop {
            let allowed = self.checker.next(left);
            let (stop, handled) = self.run_batch(allowed);
            left -= handled;
            let error = if self.checker.count(handled) { self.look() } else { None };
            match (error, stop) {
                (Some(error), _) => return Stop::Failed(error),
                (None, Stop::Paused) if left > 0 => {}
                (None, Stop::Exhausted) => return self.check().map_or(Stop::Exhausted, Stop::Failed),
                (None, stop) => return stop,
            }
        }
    }

    /// Checks all invariants; returns the first violation. For the end of a run.
    pub fn check(&mut self) -> Option<SimulationError> {
        let agents = self.agents.iter();
        let wrong = agents.clone().find_map(|agent| agent.violation());
        let kept = agents.map(|agent| agent.holds_packets()).sum();
        let at_s = self.now().secs();
        wrong.or_else(|| self.net.violation(kept)).map(|what| SimulationError::Invariant(format!("{what} at {at_s} s")))
    }

    /// Periodic check: whether time advances and, less often, all invariants.
    #[cold]
    fn look(&mut self) -> Option<SimulationError> {
        match self.checker.look(self.net.now(), self.net.links.len() + self.agents.len()) {
            Ok(true) => self.check(),
            Ok(false) => None,
            Err(what) => Some(SimulationError::Limit(what)),
        }
    }

    /// Handles up to `most_events` events; returns the reason to stop and their number. A stop without an event
    /// counts as one.
    fn run_batch(&mut self, most_events: u64) -> (Stop, u64) {
        if let Some(stop) = self.reason_to_stop() {
            return (stop, most_events.min(1));
        }
        let mut left = most_events;
        while left > 0 {
            left -= 1;
            // Nearly all events are arrivals of packets, so they are checked first, inline.
            match self.net.next_of_lanes() {
                Some((key, what)) => {
                    if let Some(packet) = what.arrival() {
                        self.arrive(LinkId(what.link), packet, key);
                    } else if let Event::TransmitterFree(link) = what.event() {
                        self.net.transmitter_free(LinkId(link), key);
                    }
                }
                None => {
                    if let Some(stop) = self.handle_next() {
                        return (stop, most_events - left);
                    }
                }
            }
            if self.net.has_news {
                self.net.has_news = false;
                self.settle_all();
                if let Some(stop) = self.reason_to_stop() {
                    return (stop, most_events - left);
                }
            }
        }
        (Stop::Paused, most_events)
    }

    #[cold]
    fn time_went_back(&self, key: Key) -> SimulationError {
        SimulationError::Invariant(format!("an event of {} s expires at {} s", key.at.secs(), self.now().secs()))
    }

    /// Handles the next event of the heap.
    fn handle_next(&mut self) -> Option<Stop> {
        let Some((key, event)) = self.net.events.pop_of_heap() else { return Some(Stop::Exhausted) };
        // Events in sorted lanes cannot be in the past: each was inserted with a delay of at least 0.
        if key.at < self.net.current.at {
            return Some(Stop::Failed(self.time_went_back(key)));
        }
        match event {
            Event::Arrive(link, packet) => self.arrive(LinkId(link), packet, key),
            Event::TransmitterFree(link) => self.net.transmitter_free(LinkId(link), key),
            Event::Timer(timer) => {
                if let Some(owner) = self.net.timers.came_up(timer, key, &mut self.net.events) {
                    self.net.current = key;
                    self.timer_due(owner);
                }
            }
            Event::Release(errors) => {
                let delivery = self.net.release(errors, key);
                self.deliver(delivery);
            }
            Event::Lan(slot) => {
                let delivery = self.net.lan_step(slot, key);
                self.deliver(delivery);
            }
            Event::Cancelled => {}
            Event::Sample => return Some(Stop::Sample),
            Event::Script(script) => {
                if std::mem::replace(&mut self.scripts[script as usize], false) {
                    self.net.current = key;
                    return Some(Stop::Script(ScriptId(script)));
                }
            }
        }
        None
    }

    #[cold]
    fn reason_to_stop(&mut self) -> Option<Stop> {
        loop {
            if let Some(error) = self.net.error.take() {
                return Some(Stop::Failed(error));
            }
            if let Some(upcall) = self.upcalls.pop_front() {
                return Some(Stop::Upcall(upcall));
            }
            if self.net.rare_news == 0 {
                return None;
            }
            if let ControlFlow::Break(stop) = self.handle_rare_news() {
                return stop;
            }
        }
    }

    /// The current time.
    pub fn now(&self) -> Time {
        self.net.now()
    }
}
