//! What each packet costs, part by part: the event list, every queue discipline, every sender with its ACKs.
//!
//!     cargo bench -p ackclock-engine [-- FILTER]

use std::hint::black_box;

use ackclock_engine::event::{Event, EventList, Key};
use ackclock_engine::measure::observe::Nobody;
use ackclock_engine::net::node::NodeId;
use ackclock_engine::packet::{Address, Packet, PacketId, PacketPool};
use ackclock_engine::params::Value;
use ackclock_engine::queue::{DISCIPLINES, QueueContext};
use ackclock_engine::random::rng::{Source, Streams};
use ackclock_engine::sim::{Simulation, Stop};
use ackclock_engine::time::Time;
use ackclock_engine::transport::registry::VARIANTS;
use criterion::{Criterion, Throughput};

/// As many events as there are lanes wait in the list; each that comes up puts another one in.
fn events(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("events");
    group.throughput(Throughput::Elements(1));
    for lanes in [4, 12, 1000] {
        let mut list = EventList::default();
        let lanes: Vec<_> = (0..lanes).map(|number| (list.lane(number as f64), number as f64)).collect();
        for (link, &(lane, duration_s)) in lanes.iter().enumerate() {
            let key = Key { at: Time(duration_s), counter: list.take_counter() };
            list.insert_in(lane, key, link as u32, Some(PacketId(0)));
        }
        group.bench_function(format!("{} lanes", lanes.len()), |bencher| {
            bencher.iter(|| {
                let (key, link) = match list.pop_of_lane(|_| ()) {
                    Some((key, what)) => (key, what.link),
                    None => match list.pop_of_heap() {
                        Some((key, Event::Arrive(link, _))) => (key, link),
                        other => panic!("a packet that arrives, not {other:?}"),
                    },
                };
                let (lane, duration_s) = lanes[link as usize];
                let next = Key { at: key.at + (1.0 + duration_s), counter: list.take_counter() };
                list.insert_in(lane, next, link, Some(PacketId(0)));
            });
        });
    }
    let mut list = EventList::default();
    for timer in 0..1000 {
        list.schedule(Time(f64::from(timer)), Event::Timer(timer));
    }
    group.bench_function("1000 timers", |bencher| {
        bencher.iter(|| {
            let (key, event) = list.pop_of_heap().expect("a timer");
            list.schedule(key.at + 1000.5, event);
        });
    });
}

/// A packet comes every 80 microseconds and, once ten wait, one goes.
fn queues(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("queue");
    group.throughput(Throughput::Elements(1));
    for entry in DISCIPLINES {
        let mut queue = (entry.make)();
        let (mut packets, mut rng, mut observer) = (PacketPool::default(), Streams::default(), Nobody);
        let (mut dropped, mut dropped_early, mut error) = (Vec::new(), Vec::new(), None);
        let mut now_s = 0.0;
        let mut number = 0;
        let mut step = |started: bool| {
            now_s += 80e-6;
            number += 1;
            let mut packet = Packet::default();
            (packet.size, packet.ttl, packet.fid) = (1000, 32, number % 10);
            let id = packets.make(packet);
            let mut context = QueueContext {
                now: Time(now_s),
                packets: &mut packets,
                rng: rng.of(Source::Queue(0)),
                rate_bps: 1e8,
                delay_s: 0.02,
                dropped: &mut dropped,
                dropped_early: &mut dropped_early,
                wake_in_s: None,
                error: &mut error,
                observer: &mut observer,
            };
            if !started {
                // Those that compute nothing from their link do not know the word.
                let _ = queue.command("link", &mut context);
            }
            queue.enqueue(id, &mut context);
            if queue.len_packets() > 10
                && let Some(gone) = queue.dequeue(&mut context)
            {
                packets.free(gone);
            }
            dropped.drain(..).chain(dropped_early.drain(..)).for_each(|gone| packets.free(gone));
        };
        step(false);
        group.bench_function(entry.id, |bencher| bencher.iter(|| step(true)));
    }
}

/// A sender with 20 packets in flight over a link that loses none; a round of 10,000 events.
fn senders(criterion: &mut Criterion) {
    const EVENTS: u64 = 10_000;
    let mut group = criterion.benchmark_group("sender");
    group.throughput(Throughput::Elements(EVENTS)).sample_size(20);
    for entry in VARIANTS {
        let mut simulation = Simulation::default();
        let nodes = [simulation.add_node(), simulation.add_node()];
        for (from, to) in [(nodes[0], nodes[1]), (nodes[1], nodes[0])] {
            simulation.add_link(from, to, 1e8, 0.01, "drop_tail").expect("a link");
            simulation.routing.insert(from.0, to.0, 1.0);
        }
        simulation.install_routes();
        let sink = if entry.id.contains("sack") { "sink_sack" } else { "sink" };
        let agents = [entry.id, sink].map(|kind| simulation.add_agent(kind).expect("a kind of agent"));
        for (agent, node) in agents.into_iter().zip(nodes) {
            simulation.attach(agent, node, None);
        }
        for (agent, NodeId(peer)) in agents.into_iter().zip([nodes[1], nodes[0]]) {
            let end = simulation.agents[agent.0 as usize].endpoint_mut();
            end.peer = Address { node: peer as i32, port: 0 };
        }
        simulation.with_agent(agents[0], |agent, net| {
            agent.set_param("window", Value::Real(20.0));
            agent.reset(net);
            agent.send_bytes(None, "", net);
        });
        if simulation.run(10 * EVENTS) != Stop::Paused {
            continue; // Not one that sends by itself.
        }
        group.bench_function(entry.id, |bencher| bencher.iter(|| black_box(simulation.run(EVENTS))));
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    events(&mut criterion);
    queues(&mut criterion);
    senders(&mut criterion);
    criterion.final_summary();
}
