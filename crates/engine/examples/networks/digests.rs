//! A number for each sender through each queue discipline, which follows from every packet at every queue of a short run.

use std::any::Any;

use ackclock_engine::measure::observe::{Observer, Passing, TraceId};
use ackclock_engine::net::link::{Hook, HookPoint};
use ackclock_engine::params::Value;
use ackclock_engine::queue::{DISCIPLINES, OF_SCRIPTS};
use ackclock_engine::time::Time;
use ackclock_engine::transport::compat::{linux26, ns3_25};
use ackclock_engine::transport::tcp::controls;

use super::{Dumbbell, Shape};

/// What passes, as one number (FNV-1a, 64 bits).
struct Digest(u64);

impl Digest {
    fn take(&mut self, number: u64) {
        for byte in number.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

impl Observer for Digest {
    fn packet(&mut self, place: TraceId, now: Time, passing: Passing) {
        let packet = passing.packet;
        self.take(u64::from(place.0));
        self.take(now.secs().to_bits());
        let numbers =
            [packet.uid, packet.size, packet.seqno, packet.ackno, i32::from(packet.flags), packet.kind as i32];
        for number in numbers.into_iter().chain(passing.sack().iter().flat_map(|&(first, after)| [first, after])) {
            self.take(number as u64);
        }
    }

    fn variable(&mut self, place: TraceId, now: Time, _: &'static str, value: Value) {
        self.take(u64::from(place.0));
        self.take(now.secs().to_bits());
        self.take(value.real().to_bits());
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

/// Every sender, with every congestion control that it has by name, and every queue discipline.
pub fn cases() -> Vec<(String, &'static str)> {
    let mut senders: Vec<String> = ackclock_engine::transport::registry::VARIANTS
        .iter()
        .chain(ackclock_engine::transport::compat::ns2::full::VARIANTS)
        .map(|entry| entry.id.into())
        .collect();
    senders.retain(|id| !matches!(id.as_str(), "linux" | "ns3"));
    senders.extend(linux26::cc::CONTROLS.iter().map(|entry| format!("linux:{}", entry.id)));
    senders.extend(controls::entries().map(|(id, _)| format!("tcp:{id}")));
    senders.extend(ns3_25::cc::CONTROLS.iter().map(|entry| format!("ns3:{}", entry.id)));
    let queues = || DISCIPLINES.iter().chain(OF_SCRIPTS).map(|entry| entry.id).filter(|&id| id != "ds_red_edge");
    senders.iter().flat_map(|sender| queues().map(move |queue| (sender.clone(), queue))).collect()
}

/// The number of one of them: two flows through 1.5 Mb/s and a queue of twelve packets, for four seconds.
pub fn digest(sender: &str, queue: &str) -> u64 {
    let hooks = [HookPoint::Head, HookPoint::Dequeued, HookPoint::Dropped, HookPoint::Received];
    digest_with(sender, queue, &hooks, true)
}

/// The same with traces at these points of every link, with the fast path or without.
pub fn digest_with(sender: &str, queue: &str, hooks: &[HookPoint], has_fast_path: bool) -> u64 {
    let (rate_bps, delay_s) = (1.5e6, 0.02);
    let mut dumbbell =
        Dumbbell::new(&Shape { flows: 2, rate_bps, delay_s, limit: 12, more_links: 0, sender, queue }, 1);
    dumbbell.simulation.net.use_fast_path(has_fast_path);
    observe(&mut dumbbell, hooks);
    dumbbell.run(4.0, &[0.0, 0.3]);
    observed(&mut dumbbell)
}

/// Digests what passes these points of every link.
pub fn observe(dumbbell: &mut Dumbbell, hooks: &[HookPoint]) {
    let net = &mut dumbbell.simulation.net;
    net.observer = Box::new(Digest(0xcbf2_9ce4_8422_2325));
    for (number, link) in net.links.iter_mut().enumerate() {
        for (index, &place) in hooks.iter().enumerate() {
            link.add_hook(place, None, Hook::Trace(TraceId(4 * number as u32 + index as u32)));
        }
    }
}

/// Digests the changes of these variables of each sender, too.
pub fn watch(dumbbell: &mut Dumbbell, names: &[&str]) {
    for (number, &sender) in dumbbell.senders.iter().enumerate() {
        for name in names {
            dumbbell.simulation.agents[sender.0 as usize].watch(name, TraceId(1_000_000 + number as u32));
        }
    }
}

/// The digest so far.
pub fn observed(dumbbell: &mut Dumbbell) -> u64 {
    let observer = dumbbell.simulation.net.observer.as_any_mut();
    observer.downcast_ref::<Digest>().expect("it was put there").0
}
