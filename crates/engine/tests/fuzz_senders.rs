//! Every TCP sender, with every congestion control that it has by name, through random lives: packets and ACKs that are lost,
//! late, doubled or marked, rates and delays that change, links that fail, applications that send now and then. What must hold
//! in every simulation holds (`invariants`), and once the path is good again, more and more arrives until all has that was sent.

mod fuzzing;

use ackclock_engine::net::link::error_module::ErrorModule;
use ackclock_engine::net::link::{ErrorsId, Hook, HookPoint, LinkId};
use ackclock_engine::net::node::AgentId;
use ackclock_engine::params::Value;
use ackclock_engine::sim::{Simulation, Stop};
use ackclock_engine::transport::agent::Agent;
use ackclock_engine::transport::compat::{linux26, ns3_25};
use ackclock_engine::transport::tcp::controls;
use fuzzing::{Chance, fuzz};

/// Until then the path is bad now and then, s.
const BAD_UNTIL_S: f64 = 8.0;
/// In such a time more must arrive, s: the longest timeouts are of 120 s, and a few may follow each other. Mostly it is
/// all. XCP where no router speaks it fills the queue at each timeout with all that it has, and a few packets pass.
const PATIENCE_S: f64 = 4000.0;
/// Packets that the application gives the sender in all, at most.
const MAX_PACKETS: usize = 400;

struct World {
    simulation: Simulation,
    links: [LinkId; 2],
    models: Vec<ackclock_engine::loss::ModelId>,
    sender: AgentId,
    halves_rate: bool,
}

fn sender_and_sink(id: &str, chance: &mut Chance) -> (String, Option<String>, String) {
    let (kind, control) = id.split_once(':').map_or((id, None), |(kind, control)| (kind, Some(control.to_owned())));
    let sink = match kind {
        "tcp" => "tcp",
        "xcp" => "sink_xcp",
        "sack" | "fack" | "sack_rh" | "linux" => chance.of(&["sink_sack", "sink_sack_del_ack"]),
        two_way if two_way.starts_with("full") => two_way,
        _ => chance.of(&["sink", "sink_del_ack"]),
    };
    (kind.to_owned(), control, sink.to_owned())
}

impl World {
    fn new(id: &str, chance: &mut Chance) -> World {
        let mut simulation = Simulation::default();
        let nodes = [simulation.add_node(), simulation.add_node()];
        let rate_bps = chance.of(&[1e5, 1e6, 1e7]);
        let delay_s = chance.of(&[0.001, 0.03, 0.4]);
        let queue = chance.of(&["drop_tail", "red", "codel", "sfq", "pie"]);
        let mut models = Vec::new();
        let links = [(0, 1), (1, 0)].map(|(from, to)| {
            let link = simulation.add_link(nodes[from], nodes[to], rate_bps, delay_s, queue).expect("a link");
            let limit = 3 + chance.below(40) as i64;
            simulation.net.links[link.0 as usize].queue_mut().set_param("limit", Value::Int(limit));
            simulation.net.use_queue(link, |queue, context| queue.command("link", context).is_ok());
            simulation.net.links[link.0 as usize].add_hook(HookPoint::Head, None, Hook::Gate);
            // Losses, marks, holds and doubles: each in one of three lives.
            for what in ["", "markecn", "delay_pkt", "double"] {
                if !chance.once_in(3) {
                    continue;
                }
                let model = simulation.net.models.add("uniform").expect("a model");
                let rate = chance.of(&[0.01, 0.1, 0.4]);
                simulation.net.models.set_param(model, "rate", Value::Real(rate));
                if !what.is_empty() {
                    simulation.net.models.set_param(model, what, Value::Flag(true));
                }
                let (least_s, most_s) = (delay_s * chance.unit(), delay_s * 3.0 * chance.unit());
                simulation.net.models.set_param(model, "delay", Value::Real(least_s));
                simulation.net.models.set_param(model, "delay_most", Value::Real(least_s.max(most_s)));
                let mut module = ErrorModule::default();
                module.assign_others(Some(model));
                simulation.net.errors.push(module);
                let errors = Hook::Errors(ErrorsId(simulation.net.errors.len() as u32 - 1));
                simulation.net.links[link.0 as usize].add_hook(HookPoint::WireEnd, None, errors);
                models.push(model);
            }
            link
        });
        for (from, to) in [(0, 1), (1, 0)] {
            simulation.routing.insert(nodes[from].0, nodes[to].0, 1.0);
        }
        simulation.install_routes();
        let (kind, control, sink) = sender_and_sink(id, chance);
        let [sender, receiver] = [(kind.as_str(), 0), (sink.as_str(), 1)].map(|(kind, node)| {
            let agent = simulation.add_agent(kind).expect("an agent of the table");
            simulation.attach(agent, nodes[node], None);
            agent
        });
        for (own, other) in [(sender, receiver), (receiver, sender)] {
            let there = simulation.agents[other.0 as usize].endpoint().here;
            simulation.agents[own.0 as usize].endpoint_mut().peer = there;
        }
        let mut command = |agent: AgentId, name: &str, words: &[&str]| {
            let done = simulation.with_agent(agent, |agent, net| agent.command(name, words, net));
            done.expect("a command of this agent");
        };
        if let Some(control) = &control {
            command(sender, "congestion_control", &[control]);
        }
        if kind == "tcp" || kind.starts_with("full") {
            command(receiver, "listen", &[]);
        }
        for (name, value) in [
            ("window", Value::Real(chance.of(&[4.0, 20.0, 1000.0]))),
            ("window_init", Value::Real(chance.of(&[1.0, 2.0, 10.0]))),
            ("ecn", Value::Flag(chance.once_in(2))),
            ("timestamps", Value::Flag(chance.once_in(2))),
            ("maxburst", Value::Int(chance.of(&[0, 0, 3]))),
            ("singledup", Value::Int(chance.below(2) as i64)),
            ("slow_start_restart", Value::Flag(chance.once_in(2))),
            ("pacing", Value::Flag(chance.once_in(2))),
        ] {
            simulation.agents[sender.0 as usize].set_param(name, value);
        }
        simulation.with_agent(sender, |agent, net| agent.reset(net));
        World { simulation, links, models, sender, halves_rate: id == "sack_rh" }
    }

    fn sender(&self) -> &dyn Agent {
        &*self.simulation.agents[self.sender.0 as usize]
    }

    fn number(&self, name: &str) -> i64 {
        self.sender().param(name).expect("a number").int()
    }

    /// Runs until then; whether it came so far. One thing alone may stop it: a window of rate halving that has come to 0
    /// opens by one part of it, as in ns-2, and no window may be infinite here.
    fn run_until(&mut self, at_s: f64) -> bool {
        let wait_s = (at_s - self.simulation.now().secs()).max(0.0);
        let due = self.simulation.call_back(wait_s);
        loop {
            match self.simulation.run(u64::MAX) {
                Stop::Script(script) if script == due => return true,
                Stop::Script(_) => {}
                Stop::Failed(error) if self.halves_rate && error.to_string().ends_with("a window of inf packets") => {
                    return false;
                }
                stop => panic!("the simulation stopped at {} s: {stop:?}", self.simulation.now().secs()),
            }
        }
    }

    fn happens(&mut self, chance: &mut Chance, is_two_way: bool) -> usize {
        let link = chance.of(&self.links);
        match chance.below(6) {
            0 => self.simulation.net.links[link.0 as usize].set_rate_bps(chance.of(&[3e4, 1e6, 2e7])),
            1 => self.simulation.net.links[link.0 as usize].set_delay_s(chance.of(&[0.0005, 0.02, 0.3])),
            2 => self.simulation.net.links[link.0 as usize].is_up = false,
            3 => self.simulation.net.links[link.0 as usize].is_up = true,
            4 => self.simulation.net.cut_wire(link),
            _ => {
                let packets = 1 + chance.below(40);
                let bytes = if is_two_way { 1000 * packets as i64 } else { 0 };
                self.simulation.with_agent(self.sender, |agent, net| {
                    if bytes > 0 { agent.send_bytes(Some(bytes), "", net) } else { agent.advance(packets as i32, net) }
                });
                return packets;
            }
        }
        0
    }

    /// The path is good from now on.
    fn recovers(&mut self) {
        for model in std::mem::take(&mut self.models) {
            self.simulation.net.models.set_param(model, "rate", Value::Real(0.0));
        }
        for link in self.links {
            let link = &mut self.simulation.net.links[link.0 as usize];
            link.is_up = true;
            link.set_rate_bps(1e7);
            link.set_delay_s(0.01);
        }
    }
}

fn attempt(id: &str, chance: &mut Chance) {
    let is_two_way = id.starts_with("full");
    let mut world = World::new(id, chance);
    let mut given = 0;
    let steps = 5 + chance.below(25);
    for step in 0..steps {
        if given < MAX_PACKETS {
            given += world.happens(chance, is_two_way);
        }
        if !world.run_until(BAD_UNTIL_S * (step as f64 + chance.unit()) / steps as f64) {
            return;
        }
    }
    world.recovers();
    let mut arrived = None;
    loop {
        let now_s = world.simulation.now().secs();
        if !world.run_until(now_s + PATIENCE_S) {
            return;
        }
        if let Some(error) = world.simulation.check() {
            panic!("{error}");
        }
        let (ack, mut sent) = (world.number("ack"), world.number("maxseq"));
        if !is_two_way && !id.starts_with("tcp") && !id.starts_with("ns3") {
            // For duplicate ACKs ns-2's send the packet after the last ACK, even if there is none; lost, nobody waits for it.
            sent = sent.min(world.number("seqno") - 1);
        }
        if ack >= sent {
            return;
        }
        assert!(arrived < Some(ack), "{sent} was sent, {ack} acknowledged, and no more in {PATIENCE_S} s");
        arrived = Some(ack);
    }
}

#[test]
fn senders_obey_their_laws() {
    let by_name = |sender: &str, ids: Vec<&str>| ids.iter().map(|id| format!("{sender}:{id}")).collect::<Vec<_>>();
    let plain =
        ["tahoe", "reno", "new_reno", "sack", "fack", "reno_rbp", "vegas_rbp", "sack_rh", "vegas", "rfc793edu", "xcp"];
    let mut ids: Vec<String> = plain
        .iter()
        .chain(&["full", "full_tahoe", "full_new_reno", "full_sack", "full_xcp"])
        .map(ToString::to_string)
        .collect();
    ids.extend(by_name("linux", linux26::cc::CONTROLS.iter().map(|entry| entry.id).collect()));
    ids.extend(by_name("tcp", controls::entries().map(|(id, _)| id).collect()));
    ids.extend(by_name("ns3", ns3_25::cc::CONTROLS.iter().map(|entry| entry.id).collect()));
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    fuzz("senders", &ids, 4, attempt);
}
