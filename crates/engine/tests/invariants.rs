//! Parts that break a law, put into a simulation: it stops and says which, and at which link or sender.

use std::collections::VecDeque;

use ackclock_engine::event::timer::{TimerId, TimerOwner};
use ackclock_engine::net::node::AgentId;
use ackclock_engine::net::{Network, SimulationError};
use ackclock_engine::packet::{PacketId, PacketKind};
use ackclock_engine::params::Value;
use ackclock_engine::queue::{Discipline, Queue, QueueContext, QueueLimit};
use ackclock_engine::sim::{Simulation, Stop};
use ackclock_engine::transport::agent::{Agent, Endpoint};
use ackclock_engine::transport::external_control::{ControlEvent, ControlState, ExternalCongestionOps};

/// How a queue goes wrong at its tenth packet.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wrong {
    Never,
    /// It forgets the packet.
    Forgets,
    /// It gives the packet back twice.
    Doubles,
    /// It stores the packet, its limit being nine.
    Overfills,
    /// It says that it holds a byte more.
    Miscounts,
}

/// First in, first out, and wrong.
struct Faulty {
    packets: VecDeque<PacketId>,
    bytes: i64,
    seen: usize,
    wrong: Wrong,
}

impl Discipline for Faulty {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        self.seen += 1;
        let goes_wrong = self.seen == 10;
        if goes_wrong && self.wrong == Wrong::Forgets {
            return;
        }
        self.packets.push_back(packet);
        self.bytes += i64::from(context.packets[packet].size);
        if goes_wrong && self.wrong == Wrong::Doubles {
            self.packets.push_back(packet);
            self.bytes += i64::from(context.packets[packet].size);
        }
        if goes_wrong && self.wrong == Wrong::Miscounts {
            self.bytes += 1;
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        // One that overfills keeps all.
        let packet = if self.wrong == Wrong::Overfills { None } else { self.packets.pop_front() }?;
        self.bytes -= i64::from(context.packets[packet].size);
        Some(packet)
    }

    fn limit(&self) -> QueueLimit {
        QueueLimit::Packets(if self.wrong == Wrong::Overfills { 9 } else { 1000 })
    }

    fn len_packets(&self) -> usize {
        self.packets.len()
    }

    fn len_bytes(&self) -> i64 {
        self.bytes
    }

    fn param(&self, _: &str) -> Option<Value> {
        None
    }

    fn set_param(&mut self, _: &str, _: Value) -> bool {
        false
    }
}

/// Two nodes, a sender of UDP or TCP, and this queue between them.
fn world(sender: &str, wrong: Wrong) -> (Simulation, AgentId) {
    let mut simulation = Simulation::default();
    let nodes = [simulation.add_node(), simulation.add_node()];
    for (from, to) in [(0, 1), (1, 0)] {
        let link = simulation.add_link(nodes[from], nodes[to], 1e6, 0.01, "drop_tail").unwrap();
        if from == 0 {
            let queue = Faulty { packets: VecDeque::new(), bytes: 0, seen: 0, wrong };
            simulation.net.links[link.0 as usize].set_queue(Queue::Other(Box::new(queue)));
        }
        simulation.routing.insert(nodes[from].0, nodes[to].0, 1.0);
    }
    simulation.install_routes();
    let ends = [(sender, 0), (if sender == "udp" { "null" } else { "sink" }, 1)].map(|(kind, node)| {
        let agent = simulation.add_agent(kind).unwrap();
        simulation.attach(agent, nodes[node], None);
        agent
    });
    for (own, other) in [(ends[0], ends[1]), (ends[1], ends[0])] {
        simulation.agents[own.0 as usize].endpoint_mut().peer = simulation.agents[other.0 as usize].endpoint().here;
    }
    (simulation, ends[0])
}

/// What stopped it.
fn failure(simulation: &mut Simulation) -> String {
    match simulation.run(10_000_000) {
        Stop::Failed(error @ (SimulationError::Invariant(_) | SimulationError::Limit(_))) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

fn with_queue(wrong: Wrong) -> (Simulation, AgentId) {
    let (mut simulation, sender) = world("udp", wrong);
    for _ in 0..30 {
        simulation.with_agent(sender, |agent, net| agent.send_bytes(Some(1000), "", net));
    }
    (simulation, sender)
}

#[test]
fn a_queue_that_keeps_the_laws_is_let_be() {
    let (mut simulation, _) = with_queue(Wrong::Never);
    assert_eq!(simulation.run(10_000_000), Stop::Exhausted);
}

#[test]
fn a_queue_that_breaks_one_is_reported() {
    for (wrong, words) in [
        (
            Wrong::Forgets,
            "says that it holds 0 packets of 0 bytes; of those it was given, 1 of 1000 bytes were neither",
        ),
        (
            Wrong::Doubles,
            "says that it holds 0 packets of 0 bytes; of those it was given, -1 of -1000 bytes were neither",
        ),
        (Wrong::Overfills, "holds 30 packets; its limit is 9"),
        (Wrong::Miscounts, "says that it holds 0 packets of 1 bytes"),
    ] {
        let said = failure(&mut with_queue(wrong).0);
        let link = "invariant violated: the queue of the link from node 0 to node 1 ";
        assert!(said.starts_with(link) && said.contains(words), "{wrong:?}: {said}");
    }
}

/// A control that sets the window to a number.
struct Sets(f64);

impl ExternalCongestionOps for Sets {
    fn decide(&mut self, sign: ControlEvent, state: &mut ControlState) -> Result<(), String> {
        if matches!(sign, ControlEvent::Ack { .. }) && state.now_s > 0.1 {
            state.cwnd = self.0;
        }
        Ok(())
    }
}

#[test]
fn a_window_that_is_no_number_is_reported() {
    for (cwnd, words) in [
        (f64::NAN, "a window of NaN packets"),
        (f64::INFINITY, "a window of inf packets"),
        (-1.0, "a window of -1 packets"),
    ] {
        let (mut simulation, sender) = world("reno", Wrong::Never);
        simulation.agents[sender.0 as usize].set_control(Box::new(Sets(cwnd)));
        simulation.with_agent(sender, |agent, net| agent.reset(net));
        simulation.with_agent(sender, |agent, net| agent.send_bytes(None, "", net));
        let said = failure(&mut simulation);
        assert!(said.contains(words), "{cwnd}: {said}");
    }
}

/// An agent that wants to be woken a second ago, or at once, again and again.
struct Waker {
    end: Endpoint,
    timer: TimerId,
    again_s: f64,
}

impl Agent for Waker {
    fn endpoint(&self) -> &Endpoint {
        &self.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.end
    }

    fn receive(&mut self, packet: PacketId, net: &mut Network) {
        net.free(packet);
    }

    fn timer(&mut self, _: u8, net: &mut Network) {
        net.set_timer(self.timer, self.again_s);
    }
}

fn with_waker(again_s: f64) -> Simulation {
    let (mut simulation, agent) = world("udp", Wrong::Never);
    let timer = simulation.net.add_timer(TimerOwner::Agent(agent.0, 0));
    let waker = Waker { end: Endpoint::new(agent, PacketKind::Udp, 0), timer, again_s };
    simulation.net.set_timer(timer, 2.0);
    simulation.agents[agent.0 as usize] = Box::new(waker);
    simulation
}

#[test]
fn time_that_goes_back_is_reported() {
    assert_eq!(failure(&mut with_waker(-1.0)), "invariant violated: an event of 1 s expires at 2 s");
}

#[test]
fn a_loop_without_end_is_reported() {
    let mut simulation = with_waker(0.0);
    simulation.checker.most_at_one_time = 1000;
    let said = failure(&mut simulation);
    assert!(said.starts_with("time does not advance: more than 1000 events at 2 s"), "{said}");
    let mut simulation = with_waker(1e-9);
    simulation.checker.most_at_one_time = 1000;
    assert_eq!(simulation.run(1_000_000), Stop::Paused);
}
