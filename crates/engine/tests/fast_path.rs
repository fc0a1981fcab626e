//! Without the fast path the same packets pass at the same times: the contract of `net/packet_path/fast.rs`.

#[path = "../examples/networks/mod.rs"]
mod networks;

use ackclock_engine::net::delay_box::Treatment;
use ackclock_engine::net::link::{Hook, HookPoint, LinkId};
use ackclock_engine::net::node::NodeId;
use networks::digests::{cases, digest_with, observe, observed, watch};
use networks::{Dumbbell, Shape};

/// Points of traces, for each of the fast paths of a link.
const HOOKS: [(&str, &[HookPoint]); 4] = [
    ("none but for drops", &[HookPoint::Dropped]),
    ("at the head", &[HookPoint::Dropped, HookPoint::Head]),
    ("behind the queue", &[HookPoint::Dropped, HookPoint::Dequeued]),
    ("at the far end", &[HookPoint::Dropped, HookPoint::Received]),
];

fn compare(cases: &[(String, &'static str)], hooks: &[(&str, &[HookPoint])]) {
    let mut differ = Vec::new();
    for (sender, queue) in cases {
        for (name, points) in hooks {
            let [fast, slow] = [true, false].map(|mode| digest_with(sender, queue, points, mode));
            if fast != slow {
                differ.push(format!("{sender} through {queue}, traces {name}"));
            }
        }
    }
    assert!(differ.is_empty(), "{} differ: {}", differ.len(), differ.join("; "));
}

#[test]
fn each_queue_gives_the_same_packets_without_the_fast_path() {
    let some: Vec<_> = cases().into_iter().filter(|(sender, _)| sender == "sack").collect();
    assert!(some.len() > 25);
    compare(&some, &HOOKS);
}

#[test]
fn each_sender_gives_the_same_packets_without_the_fast_path() {
    let some: Vec<_> = cases().into_iter().filter(|(_, queue)| matches!(*queue, "drop_tail" | "red")).collect();
    assert!(some.len() > 80);
    compare(&some, &HOOKS[3..]);
}

/// Every golden run of the engine. Some minutes: `cargo test --release -p ackclock-engine --test fast_path -- --ignored`.
#[test]
#[ignore = "some minutes"]
fn all_golden_runs_are_the_same_without_the_fast_path() {
    let all = [HookPoint::Head, HookPoint::Dequeued, HookPoint::Dropped, HookPoint::Received];
    compare(&cases(), &[("everywhere", &all)]);
}

/// Three links in a row, with losses, a delay box, a link that fails, and a rate that changes while packets are queued.
fn changing_network(has_fast_path: bool) -> (u64, Vec<i64>) {
    let shape = Shape {
        flows: 3,
        rate_bps: 2e6,
        delay_s: 0.03,
        limit: 15,
        more_links: 2,
        sender: "new_reno",
        queue: "drop_tail",
    };
    let mut dumbbell = Dumbbell::new(&shape, 3);
    dumbbell.simulation.net.use_fast_path(has_fast_path);
    dumbbell.lose(0.01);
    observe(&mut dumbbell, &[HookPoint::Dropped]);
    watch(&mut dumbbell, &["ack", "cwnd", "dupacks"]);
    let net = &mut dumbbell.simulation.net;
    let last_router = NodeId(3);
    let delay_box = net.add_delay_box(last_router);
    let treatment = Treatment { delay_s: 0.005, loss: 0.0, bytes_per_s: 150_000.0 };
    net.add_delayed_flow(delay_box, (4, 5, 0), treatment);
    net.links[2].add_hook(HookPoint::Head, Some(0), Hook::Gate);
    dumbbell.run(2.0, &[0.0, 0.1, 0.2]);
    let net = &mut dumbbell.simulation.net;
    net.links[0].set_rate_bps(1e6);
    net.links[4].set_keeps_order(true);
    net.links[4].set_delay_s(0.001);
    dumbbell.run(1.0, &[]);
    dumbbell.simulation.net.links[2].is_up = false;
    dumbbell.simulation.net.cut_wire(LinkId(2));
    dumbbell.run(0.1, &[]);
    dumbbell.simulation.net.links[2].is_up = true;
    dumbbell.run(5.0, &[]);
    assert!(dumbbell.simulation.check().is_none());
    (observed(&mut dumbbell), dumbbell.numbers("ack"))
}

#[test]
fn a_network_that_changes_is_the_same_without_the_fast_path() {
    let (fast, slow) = (changing_network(true), changing_network(false));
    assert!(fast.1.iter().all(|&ack| ack > 50), "{:?} packets arrived", fast.1);
    assert_eq!(fast, slow);
}
