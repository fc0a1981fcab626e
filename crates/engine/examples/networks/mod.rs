//! The dumbbell that the programs beside this folder run: flows that share one bottleneck, each from a host of its own.

#![allow(dead_code)] // not every program wants all

pub mod digests;
pub mod memory;

use ackclock_engine::measure::endpoint_stats::{EndpointStats, SenderStats};
use ackclock_engine::net::link::error_module::ErrorModule;
use ackclock_engine::net::link::{ErrorsId, Hook, HookPoint};
use ackclock_engine::net::node::{AgentId, NodeId};
use ackclock_engine::params::Value;
use ackclock_engine::sim::{AppId, Simulation, Stop};

const ACCESS_BPS: f64 = 1e9;
const ACCESS_DELAY_S: f64 = 0.002;
const ACCESS_LIMIT: i64 = 100_000;

/// What a dumbbell is to be.
#[derive(Clone, Copy)]
pub struct Shape<'a> {
    /// Transfers without end.
    pub flows: usize,
    /// The bottleneck's rate, bit/s.
    pub rate_bps: f64,
    /// The bottleneck's delay, s.
    pub delay_s: f64,
    /// Packets that the bottleneck's queue holds.
    pub limit: i64,
    /// Links of the bottleneck's rate that follow it.
    pub more_links: usize,
    /// A sender's id, and behind a colon the congestion control's where it has them by name: `tcp:bbr3`.
    pub sender: &'a str,
    /// A queue discipline's id.
    pub queue: &'a str,
}

/// A network and who sends in it.
pub struct Dumbbell {
    pub simulation: Simulation,
    pub senders: Vec<AgentId>,
    apps: Vec<AppId>,
}

/// Both directions of a link, each with so long a queue.
fn join(
    simulation: &mut Simulation,
    ends: (NodeId, NodeId),
    rate_bps: f64,
    delay_s: f64,
    limit: i64,
    discipline: &str,
) {
    for (from, to) in [ends, (ends.1, ends.0)] {
        let link = simulation.add_link(from, to, rate_bps, delay_s, discipline).expect("a link");
        let queue = simulation.net.links[link.0 as usize].queue_mut();
        // What has no limit of its own name keeps its own.
        queue.set_param("limit", Value::Int(limit));
        for words in commands(discipline) {
            simulation.net.use_queue(link, |queue, context| queue.command(words, context).is_ok());
        }
        simulation.routing.insert(from.0, to.0, 1.0);
    }
}

/// What a discipline is told besides its parameters.
fn commands(discipline: &str) -> &'static [&'static str] {
    match discipline {
        "drop_tail" => &[],
        "ds_red_core" => &["link", "setNumPrec 1", "addPHBEntry 0 0 0", "configQ 0 0 3 9 0.1"],
        "cbq" | "cbq_wrr" => &["link", "insert 1 1 1.0 0.1 0 0 -1 drop_tail", "bind 0 0"],
        _ => &["link"],
    }
}

fn receiver_of(sender: &str) -> &str {
    match sender {
        "tcp" => "tcp",
        "xcp" => "sink_xcp",
        "sack" | "fack" | "sack_rh" | "linux" => "sink_sack",
        two_way if two_way.starts_with("full") => two_way,
        _ => "sink",
    }
}

/// Whether a control is one of those that want their marks in proportion.
fn wants_marks(control: &str) -> bool {
    matches!(control, "dctcp" | "prague")
}

impl Dumbbell {
    /// A dumbbell whose random numbers follow from `seed`.
    pub fn new(shape: &Shape, seed: u32) -> Dumbbell {
        let mut simulation = Simulation::default();
        simulation.net.rng.default = simulation.net.rng.seeded(seed);
        let routers: Vec<NodeId> = (0..shape.more_links + 2).map(|_| simulation.add_node()).collect();
        for (index, ends) in routers.windows(2).enumerate() {
            let queue = if index == 0 { shape.queue } else { "drop_tail" };
            let delay_s = shape.delay_s / (shape.more_links + 1) as f64;
            join(&mut simulation, (ends[0], ends[1]), shape.rate_bps, delay_s, shape.limit, queue);
        }
        let (left, right) = (routers[0], routers[routers.len() - 1]);
        let mut made = Dumbbell { simulation, senders: Vec::new(), apps: Vec::new() };
        for _ in 0..shape.flows {
            made.add_flow(shape, left, right);
        }
        made.simulation.install_routes();
        for &sender in &made.senders {
            made.simulation.with_agent(sender, |agent, net| agent.reset(net));
        }
        made
    }

    fn add_flow(&mut self, shape: &Shape, left: NodeId, right: NodeId) {
        let simulation = &mut self.simulation;
        let (source, destination) = (simulation.add_node(), simulation.add_node());
        join(simulation, (source, left), ACCESS_BPS, ACCESS_DELAY_S, ACCESS_LIMIT, "drop_tail");
        join(simulation, (right, destination), ACCESS_BPS, ACCESS_DELAY_S, ACCESS_LIMIT, "drop_tail");
        let (kind, control) = shape.sender.split_once(':').unwrap_or((shape.sender, ""));
        let ends = [(kind, source), (receiver_of(kind), destination)].map(|(kind, node)| {
            let agent = simulation.add_agent(kind).expect("a kind of agent");
            simulation.attach(agent, node, None);
            agent
        });
        for (own, other) in [(ends[0], ends[1]), (ends[1], ends[0])] {
            simulation.agents[own.0 as usize].endpoint_mut().peer = simulation.agents[other.0 as usize].endpoint().here;
        }
        let sender = &mut simulation.agents[ends[0].0 as usize];
        sender.set_param("window", Value::Real(100_000.0));
        sender.set_param("ecn", Value::Flag(wants_marks(control)));
        sender.was_set(&mut simulation.net);
        let mut command = |agent: AgentId, name: &str, arguments: &[&str]| {
            let done = simulation.with_agent(agent, |agent, net| agent.command(name, arguments, net));
            done.expect("a command of this agent");
        };
        if !control.is_empty() {
            command(ends[0], "congestion_control", &[control]);
        }
        if !control.is_empty() && kind == "tcp" {
            // The receiver echoes marks as its own control needs them.
            command(ends[1], "congestion_control", &[control]);
        }
        if kind == "tcp" || kind.starts_with("full") {
            command(ends[1], "listen", &[]);
        }
        let app = simulation.add_app("ftp").expect("a kind of application");
        simulation.attach_app(app, ends[0]);
        self.senders.push(ends[0]);
        self.apps.push(app);
    }

    /// The first link, of those in the way of data, loses such a part of its packets, before its queue.
    pub fn lose(&mut self, part: f64) {
        let net = &mut self.simulation.net;
        let model = net.models.add("uniform").expect("a model");
        assert!(net.models.set_param(model, "rate", Value::Real(part)), "it has a rate");
        let mut module = ErrorModule::default();
        module.assign_others(Some(model));
        net.errors.push(module);
        let errors = ErrorsId(net.errors.len() as u32 - 1);
        net.links[0].add_hook(HookPoint::Head, None, Hook::Errors(errors));
    }

    /// Measures all links and flows.
    pub fn measure(&mut self) {
        let Dumbbell { simulation, senders, .. } = self;
        simulation.net.measure_links();
        for &sender in &*senders {
            let progress = simulation.agents[sender.0 as usize].progress();
            let tcp = SenderStats::new(f64::INFINITY, progress);
            simulation.net.measure_endpoint(sender, EndpointStats::new(true, Some(tcp)));
            simulation.net.measure_endpoint(AgentId(sender.0 + 1), EndpointStats::new(false, None));
        }
    }

    /// Runs for so many seconds; flow n starts after the n-th of `starts_s`.
    pub fn run(&mut self, seconds: f64, starts_s: &[f64]) {
        let simulation = &mut self.simulation;
        let end = simulation.call_back(seconds);
        let starts: Vec<_> = starts_s.iter().map(|&start_s| simulation.call_back(start_s)).collect();
        loop {
            match simulation.run(u64::MAX) {
                Stop::Script(script) if script == end => return,
                Stop::Script(script) => {
                    // Call-backs are numbered in the order in which they were asked for.
                    let flow = starts.binary_search_by_key(&script.0, |start| start.0).expect("a start");
                    simulation.with_app(self.apps[flow], |app, context| app.start(context));
                }
                other => panic!("the simulation stopped: {other:?}"),
            }
        }
    }

    /// A number of each sender: `ack`, the highest one acknowledged (a packet's, or with two-way TCP a byte's), or `nackpack`,
    /// how many ACKs it has received.
    pub fn numbers(&self, name: &str) -> Vec<i64> {
        let number = |id: &AgentId| self.simulation.agents[id.0 as usize].param(name).expect("a number").int();
        self.senders.iter().map(number).collect()
    }
}
