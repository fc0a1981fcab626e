//! A dumbbell of TCP flows and nothing else around it: for profilers, instruction counts and the cost of many flows.
//!
//!     dumbbell FLOWS MBPS LIMIT SECONDS [SENDER [QUEUE [SPREAD]]]
//!
//! FLOWS transfers without end, each from a host of its own, over one link of MBPS and 20 ms whose queue holds LIMIT
//! packets; they start evenly over SPREAD seconds (1). Prints the packets that were delivered and by how many links
//! packets went.

use ackclock_engine::node::{AgentId, NodeId};
use ackclock_engine::params::Value;
use ackclock_engine::sim::{Simulation, Stop};

const ACCESS_BPS: f64 = 1e9;

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
        assert!(queue.set_param("limit", Value::Int(limit)));
        simulation.routing.insert(from.0, to.0, 1.0);
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default: f64| words.get(index).map_or(default, |word| word.parse().expect("a number"));
    let word = |index: usize, default: &'static str| words.get(index).map_or(default, |word| word.as_str());
    let (flows, rate_bps, limit) = (number(0, 10.0) as usize, number(1, 100.0) * 1e6, number(2, 250.0) as i64);
    let (seconds, spread_s) = (number(3, 10.0), number(6, 1.0));
    let (sender, queue) = (word(4, "sack"), word(5, "drop_tail"));
    let receiver = if sender == "sack" { "sink_sack" } else { "sink" };

    let mut simulation = Simulation::default();
    let (left, right) = (simulation.add_node(), simulation.add_node());
    join(&mut simulation, (left, right), rate_bps, 0.020, limit, queue);
    let mut senders = Vec::new();
    let mut apps = Vec::new();
    for _ in 0..flows {
        let (source, destination) = (simulation.add_node(), simulation.add_node());
        join(&mut simulation, (source, left), ACCESS_BPS, 0.002, 100_000, "drop_tail");
        join(&mut simulation, (right, destination), ACCESS_BPS, 0.002, 100_000, "drop_tail");
        let ends = [(sender, source), (receiver, destination)].map(|(kind, node)| {
            let agent = simulation.add_agent(kind).expect("a kind of agent");
            simulation.attach(agent, node, None);
            agent
        });
        for (own, other) in [(ends[0], ends[1]), (ends[1], ends[0])] {
            simulation.agents[own.0 as usize].endpoint_mut().peer = simulation.agents[other.0 as usize].endpoint().here;
        }
        simulation.agents[ends[0].0 as usize].set_param("window", Value::Real(100_000.0));
        let app = simulation.add_app("ftp").expect("a kind of application");
        simulation.attach_app(app, ends[0]);
        senders.push(ends[0]);
        apps.push(app);
    }
    simulation.install_routes();
    for &AgentId(sender) in &senders {
        simulation.with_agent(AgentId(sender), |agent, net| agent.reset(net));
    }
    let end = simulation.call_back(seconds);
    let starts: Vec<_> = (0..flows).map(|flow| simulation.call_back(spread_s * flow as f64 / flows as f64)).collect();
    loop {
        match simulation.run(u64::MAX) {
            Stop::Script(script) if script == end => break,
            Stop::Script(script) => {
                let flow = starts.iter().position(|&start| start == script).expect("a start");
                simulation.with_app(apps[flow], |app, context| app.start(context));
            }
            other => panic!("the simulation stopped: {other:?}"),
        }
    }
    let acknowledged = senders.iter().map(|&AgentId(sender)| {
        let number = simulation.agents[sender as usize].param("ack").expect("a number").int();
        number + 1
    });
    let delivered: i64 = acknowledged.sum();
    println!("{delivered} packets delivered, {} packet-hops", 6 * delivered);
}
