//! A simulation that has found its size allocates nothing more: packets, events and SACK blocks live in pools.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use ackclock_engine::params::Value;
use ackclock_engine::sim::{Simulation, Stop};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is the system allocator's own; counting touches nothing but a number.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Two flows of a variant over a bottleneck that loses packets.
fn dumbbell(variant: &str, control: Option<&str>, sink: &str, discipline: &str) -> Simulation {
    let mut simulation = Simulation::default();
    let nodes: Vec<_> = (0..4).map(|_| simulation.add_node()).collect();
    let [left, right] = [nodes[2], nodes[3]];
    for (from, to, rate_bps, delay_s) in
        [(nodes[0], left, 1e7, 0.002), (nodes[1], left, 1e7, 0.003), (left, right, 1.5e6, 0.02)]
    {
        for (one, other) in [(from, to), (to, from)] {
            let kind = if rate_bps < 1e7 { discipline } else { "drop_tail" };
            let link = simulation.add_link(one, other, rate_bps, delay_s, kind).unwrap();
            let queue = simulation.net.links[link.0 as usize].queue_mut();
            assert!(queue.set_param("limit", Value::Int(12)));
            simulation.routing.insert(one.0, other.0, 1.0);
        }
    }
    simulation.install_routes();
    for source in [nodes[0], nodes[1]] {
        let (sender, receiver) = (simulation.add_agent(variant).unwrap(), simulation.add_agent(sink).unwrap());
        if let Some(control) = control {
            simulation.with_agent(sender, |agent, net| agent.command("congestion_control", &[control], net)).unwrap();
            simulation.with_agent(sender, |agent, _| assert!(agent.set_param("window", Value::Real(100.0))));
        }
        let port = simulation.attach(sender, source, None);
        let far_port = simulation.attach(receiver, right, None);
        for (agent, node, port) in [(sender, right, far_port), (receiver, source, port)] {
            let end = simulation.agents[agent.0 as usize].endpoint_mut();
            end.peer.node = node.0 as i32;
            end.peer.port = port;
        }
        if sink == "tcp" {
            simulation.with_agent(receiver, |agent, net| agent.command("listen", &[], net)).unwrap();
        }
        simulation.with_agent(sender, |agent, net| agent.send_bytes(None, "", net));
    }
    simulation
}

fn run_until(simulation: &mut Simulation, seconds: f64) {
    let script = simulation.call_back(seconds - simulation.now().secs());
    loop {
        match simulation.run(10_000) {
            Stop::Paused => {}
            Stop::Script(due) if due == script => return,
            stop => panic!("stopped at {} s: {stop:?}", simulation.now().secs()),
        }
    }
}

// One test only: the counter counts for the whole process.
#[test]
fn nothing_is_allocated_once_a_simulation_has_found_its_size() {
    let classic = [
        ("tahoe", "sink"),
        ("reno", "sink_del_ack"),
        ("new_reno", "sink"),
        ("sack", "sink_sack"),
        ("fack", "sink_sack_del_ack"),
        ("vegas", "sink"),
    ];
    let classic = classic.into_iter().map(|(variant, sink)| (variant, None, sink));
    let today = ackclock_engine::transport::tcp::controls::entries();
    let today = today.map(|(control, _)| ("tcp", Some(control), "tcp"));
    for (variant, control, sink) in classic.chain(today) {
        let disciplines: &[&str] = match control {
            None => &["drop_tail", "red"],
            Some("cubic" | "prague") => &["drop_tail", "red", "codel", "fq_codel", "pie", "dualpi2", "step"],
            Some(_) => &["drop_tail", "step"],
        };
        for &discipline in disciplines {
            let mut simulation = dumbbell(variant, control, sink, discipline);
            run_until(&mut simulation, 200.0);
            // Chance may make a pool larger once more, late; what allocates as it goes on does so in every span.
            let spans: Vec<u64> = (3..9)
                .map(|hundred| {
                    // The call-backs of `run_until` are kept for good; their vector is not of the steady state.
                    let before = ALLOCATIONS.load(Ordering::Relaxed);
                    run_until(&mut simulation, 100.0 * f64::from(hundred));
                    ALLOCATIONS.load(Ordering::Relaxed) - before
                })
                .collect();
            let sender = control.unwrap_or(variant);
            assert!(
                spans.contains(&0),
                "{sender} with {sink} through {discipline}: {spans:?} allocations in each 100 s"
            );
        }
    }
}
