//! Packets for groups: questions, copies, and their order among other events.

use ackclock_engine::net::multicast::{GROUP_BIT, NO_INTERFACE, Reason, Target};
use ackclock_engine::net::node::{AgentId, NodeId};
use ackclock_engine::params::Value;
use ackclock_engine::sim::{Simulation, Stop};

const GROUP: i32 = GROUP_BIT + 1;

/// A source, its link to a second node, and a sink there; both nodes know groups.
struct Pair {
    sim: Simulation,
    nodes: [NodeId; 2],
    source: AgentId,
    sink: AgentId,
}

impl Pair {
    fn new() -> Pair {
        let mut sim = Simulation::default();
        let nodes = [sim.add_node(), sim.add_node()];
        let link = sim.add_link(nodes[0], nodes[1], 1e6, 0.01, "drop_tail").unwrap();
        sim.net.label_interface(link, 1);
        for node in nodes {
            sim.net.multicast.add_table(node.0, false);
        }
        let [source, sink] = ["udp", "loss_monitor"].map(|kind| sim.add_agent(kind).unwrap());
        sim.attach(source, nodes[0], None);
        sim.attach(sink, nodes[1], None);
        sim.agents[source.0 as usize].endpoint_mut().peer.node = GROUP;
        Pair { sim, nodes, source, sink }
    }

    fn send(&mut self, bytes: i64) {
        self.sim.with_agent(self.source, |agent, net| agent.send_bytes(Some(bytes), "", net));
    }

    /// The answer to a missing entry: an entry for packets over an interface, and a replicator with one target.
    fn add_entry(&mut self, node: NodeId, interface: i32, target: Option<Target>) {
        let replicator = self.sim.net.multicast.add_replicator();
        self.sim.net.multicast.replicators[replicator.0 as usize].set(0, target);
        let table = self.sim.net.multicast.table(node.0).unwrap();
        table.add(Some(0), GROUP, 0, interface);
        table.install(0, Some(replicator));
    }

    fn received(&self) -> Value {
        self.sim.agents[self.sink.0 as usize].param("packets").unwrap()
    }
}

#[test]
fn a_packet_without_an_entry_is_a_question_and_is_looked_up_again() {
    let mut pair = Pair::new();
    let [first, second] = pair.nodes;
    pair.send(100);
    assert_eq!(pair.sim.run(100), Stop::Multicast);
    let question = pair.sim.multicast_question().unwrap();
    assert_eq!((question.reason, question.node, question.interface), (Reason::Missing, first.0, NO_INTERFACE));
    assert_eq!((question.source, question.group), (0, GROUP));
    let link = pair.sim.net.target_of(ackclock_engine::net::link::LinkId(0));
    pair.add_entry(first, NO_INTERFACE, Some(link));
    pair.sim.answer_multicast(true, None);

    assert_eq!(pair.sim.run(100), Stop::Multicast);
    let question = pair.sim.multicast_question().unwrap();
    assert_eq!((question.reason, question.node, question.interface), (Reason::Missing, second.0, 1));
    // 100 bytes at 1 Mb/s take 0.8 ms, and the link 10 ms.
    assert!((pair.sim.now().secs() - 0.0108).abs() < 1e-12);
    pair.add_entry(second, 1, Some(Target::Agent(pair.sink)));
    pair.sim.answer_multicast(true, None);
    assert_eq!(pair.sim.run(100), Stop::Exhausted);
    assert_eq!(pair.received(), Value::Int(1));

    // From now on nobody is asked.
    pair.send(100);
    pair.send(100);
    assert_eq!(pair.sim.run(100), Stop::Exhausted);
    assert_eq!(pair.received(), Value::Int(3));
}

#[test]
fn packets_that_nobody_answers_for_are_freed() {
    let mut pair = Pair::new();
    let [first, _] = pair.nodes;
    pair.send(100);
    assert_eq!(pair.sim.run(100), Stop::Multicast);
    pair.sim.answer_multicast(false, None);
    assert_eq!(pair.sim.run(100), Stop::Exhausted);

    // A replicator without a receiver asks, unless it is silent.
    pair.add_entry(first, NO_INTERFACE, None);
    pair.send(100);
    assert_eq!(pair.sim.run(100), Stop::Multicast);
    assert!(matches!(pair.sim.multicast_question().unwrap().reason, Reason::NoReceiver(_)));
    pair.sim.answer_multicast(false, None);
    pair.sim.net.multicast.replicators[0].is_silent = true;
    pair.send(100);
    assert_eq!(pair.sim.run(100), Stop::Exhausted);
    assert_eq!(pair.sim.check(), None);
}

#[test]
fn a_packet_over_another_interface_is_a_question() {
    let mut pair = Pair::new();
    let [first, second] = pair.nodes;
    let link = pair.sim.net.target_of(ackclock_engine::net::link::LinkId(0));
    pair.add_entry(first, NO_INTERFACE, Some(link));
    pair.add_entry(second, 7, Some(Target::Agent(pair.sink)));
    pair.send(100);
    assert_eq!(pair.sim.run(100), Stop::Multicast);
    assert_eq!(pair.sim.multicast_question().unwrap().reason, Reason::WrongInterface);
    pair.sim.net.multicast.table(second.0).unwrap().change_interface(Some(0), GROUP, 7, 1);
    pair.sim.answer_multicast(true, None);
    assert_eq!(pair.sim.run(100), Stop::Exhausted);
    assert_eq!(pair.received(), Value::Int(1));
}

// What a question's answer inserts comes before what was inserted after the packet was sent.
#[test]
fn what_an_answer_does_keeps_the_place_of_its_packet() {
    let mut pair = Pair::new();
    let [first, second] = pair.nodes;
    let link = pair.sim.net.target_of(ackclock_engine::net::link::LinkId(0));
    pair.add_entry(second, 1, Some(Target::Agent(pair.sink)));
    pair.send(100);
    // Due at the same instant as the packet's arrival, and inserted after it was sent.
    let later = pair.sim.call_back(8.0 * 100.0 / 1e6 + 0.01);
    assert_eq!(pair.sim.run(100), Stop::Multicast);
    pair.add_entry(first, NO_INTERFACE, Some(link));
    pair.sim.answer_multicast(true, None);
    assert_eq!(pair.sim.run(100), Stop::Script(later));
    assert_eq!(pair.received(), Value::Int(1));
}

// Copies take no uid; a packet that an encapsulator makes takes the next one, as if it were made at once.
#[test]
fn an_encapsulated_packet_has_the_uid_after_its_own() {
    let mut pair = Pair::new();
    let [first, second] = pair.nodes;
    let [inward, outward] = ["encapsulator", "decapsulator"].map(|kind| pair.sim.add_agent(kind).unwrap());
    pair.sim.attach(inward, first, None);
    pair.sim.attach(outward, second, None);
    let there = pair.sim.agents[outward.0 as usize].endpoint().here;
    pair.sim.agents[inward.0 as usize].endpoint_mut().peer = there;
    pair.sim.routing.insert(0, 1, 1.0);
    pair.sim.install_routes();
    pair.add_entry(first, NO_INTERFACE, Some(Target::Encapsulator(inward)));
    pair.add_entry(second, NO_INTERFACE, Some(Target::Agent(pair.sink)));
    // Two datagrams of 1000 and 500 bytes.
    pair.send(1500);
    assert_eq!(pair.sim.run(1000), Stop::Exhausted);
    assert_eq!(pair.received(), Value::Int(2));
    // The encapsulated packets have 20 bytes more.
    assert_eq!(pair.sim.net.links[0].bytes_sent, 1020 + 520);
    assert_eq!(pair.sim.check(), None);
}
