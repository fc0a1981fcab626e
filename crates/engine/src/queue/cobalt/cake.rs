//! CAKE: a shaper, and per-flow queues under COBALT with fairness between hosts.
//!
//! Source: T. Høiland-Jørgensen, D. Täht and J. Morton, "Piece of CAKE: a comprehensive queue management solution for
//! home gateways", IEEE LANMAN 2018, sections III-A (shaper), III-B (flow isolation); tc-cake(8).
//! What it decides: the shaper spaces packets by their size plus `overhead` at `rate`. DRR++ over new and old flows
//! selects the next flow. A flow's quantum is divided by the number of bulk flows of its source or its destination
//! host, whichever is larger. COBALT decides the drops of each flow. If more than `memory_limit` bytes wait, the
//! longest flow drops its oldest packet.
//! Departures: hosts are identified exactly, not by a hash. Quanta are whole bytes, without Linux's dither.
//! Not implemented: traffic classes (tins; this is `besteffort`), the ACK filter, ATM and PTM framing, ingress mode,
//! rate estimation (autorate).
//! Checked against: an independent transcription, packet by packet; the shaper's times and hosts' shares by hand
//! (tests/spec/test_aqm.py).

use std::collections::{BTreeMap, VecDeque};

use super::{CobaltState, Settings};
use crate::packet::{Packet, PacketId};
use crate::params;
use crate::params::own_params;
use crate::queue::flow_queues::hash;
use crate::queue::{Discipline, Entry, QueueContext, QueueLimit, TimedFifo};
use crate::time::Time;

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "cake",
    about: "a shaper, and flows under COBALT that share fairly, host by host (Høiland-Jørgensen et al. 2018)",
    make: || Box::new(Cake::default()),
};

/// Number of flow queues, and of queues per set of the set-associative hash.
const FLOWS: usize = 1024;
const WAYS: usize = 8;
/// Size of a full packet, bytes.
const MTU: f64 = 1514.0;

/// The scheduler state of a flow.
#[derive(Clone, Copy, Default, PartialEq)]
enum Kind {
    /// On no list.
    #[default]
    Unknown,
    /// On the new list: sends less than its share.
    Sparse,
    /// Sparse and empty at the end of its turn. Another packet makes it bulk.
    Waiting,
    /// Backlogged.
    Bulk,
    /// Empty, but its COBALT state is not yet at rest.
    Decaying,
}

#[derive(Default)]
struct Flow {
    line: TimedFifo,
    law: CobaltState,
    deficit: i64,
    kind: Kind,
    /// The flow in this queue: its hash, its source and destination.
    tag: u64,
    hosts: (i32, i32),
}

/// The number of bulk flows of each host.
#[derive(Default)]
struct Hosts(BTreeMap<i32, i64>);

impl Hosts {
    fn add(&mut self, host: i32, by: i64) {
        *self.0.entry(host).or_default() += by;
    }

    fn flows_of(&self, host: i32) -> i64 {
        self.0.get(&host).copied().unwrap_or(0)
    }
}

struct Cake {
    /// Limit of all queues together, bytes.
    memory_limit: i32,
    /// The shaper's rate, bit/s; 0 for none.
    rate: f64,
    /// Framing overhead per packet, bytes, for the shaper and the scheduler.
    overhead: i32,
    /// Minimum size of a packet with overhead, bytes.
    mpu: i32,
    /// Whether the bulk flows of a source share its part.
    by_source: bool,
    /// Whether the bulk flows of a destination share its part.
    by_destination: bool,
    /// Perturbation of the flow hash.
    perturbation: i32,
    settings: Settings,
    flows: Vec<Flow>,
    fresh: VecDeque<usize>,
    old: VecDeque<usize>,
    decaying: VecDeque<usize>,
    sources: Hosts,
    destinations: Hosts,
    next_send: Time,
    packets: usize,
    bytes: i64,
}

impl Default for Cake {
    fn default() -> Cake {
        Cake {
            memory_limit: 4 << 20,
            rate: 0.0,
            overhead: 0,
            mpu: 0,
            by_source: true,
            by_destination: true,
            perturbation: 0,
            settings: Settings::default(),
            flows: Vec::new(),
            fresh: VecDeque::new(),
            old: VecDeque::new(),
            decaying: VecDeque::new(),
            sources: Hosts::default(),
            destinations: Hosts::default(),
            next_send: Time::ZERO,
            packets: 0,
            bytes: 0,
        }
    }
}

params!(Cake {
    memory_limit,
    rate,
    overhead,
    mpu,
    by_source,
    by_destination,
    perturbation,
    target = settings.target,
    interval = settings.interval,
    ecn = settings.ecn
});

impl Cake {
    /// COBALT's parameters, with target and interval increased on a slow link.
    fn stretched(&self) -> Settings {
        let packet_s = if self.rate > 0.0 { MTU * 8.0 / self.rate } else { 0.0 };
        let target = self.settings.target.max(1.5 * packet_s);
        let interval = (self.settings.interval + target - self.settings.target).max(2.0 * target);
        Settings { target, interval, least_wait: 4.0 * packet_s, ..self.settings }
    }

    /// The queue index of a packet's flow, by set-associative hashing. A new flow takes a free queue of its set; if
    /// there is none, it shares the queue at its hash.
    fn place_of(&mut self, packet: &Packet) -> usize {
        let tag = hash(packet, self.perturbation);
        let own = (tag % FLOWS as u64) as usize;
        let first = own - own % WAYS;
        let ways = (0..WAYS).map(|way| first + (own + way) % WAYS);
        let known = ways.clone().find(|&place| self.flows[place].kind != Kind::Unknown && self.flows[place].tag == tag);
        if let Some(place) = known {
            return place;
        }
        let place = ways.clone().find(|&place| self.flows[place].kind == Kind::Unknown).unwrap_or(own);
        let is_bulk = self.flows[place].kind == Kind::Bulk;
        if is_bulk {
            self.count_bulk(place, -1);
        }
        let flow = &mut self.flows[place];
        flow.tag = tag;
        flow.hosts = (packet.src.node, packet.dst.node);
        if is_bulk {
            self.count_bulk(place, 1);
        }
        place
    }

    fn count_bulk(&mut self, place: usize, by: i64) {
        let (source, destination) = self.flows[place].hosts;
        self.sources.add(source, by);
        self.destinations.add(destination, by);
    }

    /// Quantum of a flow, bytes.
    fn quantum(&self, place: usize) -> i64 {
        let (source, destination) = self.flows[place].hosts;
        let all = if self.rate > 0.0 { ((self.rate / 8.0 / 4096.0) as i64).clamp(300, 1514) } else { 1514 };
        let mut load = 1;
        if self.by_source {
            load = load.max(self.sources.flows_of(source));
        }
        if self.by_destination {
            load = load.max(self.destinations.flows_of(destination));
        }
        (all / load).max(1)
    }

    /// Size of a packet with overhead, bytes.
    fn length(&self, size: i32) -> i64 {
        i64::from((size + self.overhead).max(self.mpu))
    }

    /// The longest flow (in bytes) drops its oldest packet.
    fn drop_from_longest(&mut self, context: &mut QueueContext) {
        let settings = self.stretched();
        let listed = self.fresh.iter().chain(&self.old).copied();
        let longest = listed.reduce(|best, place| {
            let bytes = |place: usize| self.flows[place].line.bytes();
            if bytes(place) > bytes(best) { place } else { best }
        });
        let Some(place) = longest else { return };
        let flow = &mut self.flows[place];
        flow.law.overflowed(context.now, &settings);
        if let Some((packet, _)) = flow.line.pop(context) {
            self.forget(packet, context);
            context.dropped.push(packet);
        }
    }

    fn forget(&mut self, packet: PacketId, context: &QueueContext) {
        self.packets -= 1;
        self.bytes -= i64::from(context.packets[packet].size);
    }

    /// Ends the turn of the flow at the head of a list: it moves to the end of the old list.
    fn end_turn(&mut self, place: usize) {
        let flow = &mut self.flows[place];
        if flow.kind == Kind::Sparse {
            flow.kind = if flow.line.is_empty() { Kind::Waiting } else { Kind::Bulk };
            if flow.kind == Kind::Bulk {
                self.count_bulk(place, 1);
            }
        }
        self.flows[place].deficit += self.quantum(place);
        self.old.push_back(place);
    }

    /// Removes an empty flow from the head of a list.
    fn end_flow(&mut self, place: usize, now: Time, settings: &Settings) {
        if self.flows[place].kind == Kind::Bulk {
            self.count_bulk(place, -1);
        }
        let flow = &mut self.flows[place];
        flow.law.found_empty(now, settings);
        if flow.law.is_at_rest(now) {
            flow.kind = Kind::Unknown;
        } else {
            flow.kind = Kind::Decaying;
            self.decaying.push_back(place);
        }
    }

    /// Removes a flow's next packet, after any that COBALT drops.
    fn take(&mut self, place: usize, settings: &Settings, context: &mut QueueContext) -> Option<PacketId> {
        loop {
            let flow = &mut self.flows[place];
            let (packet, waited_s) = flow.line.pop(context)?;
            let drops = flow.law.drops(packet, waited_s, settings, context) && !flow.line.is_empty();
            self.forget(packet, context);
            if !drops {
                return Some(packet);
            }
            context.dropped_early.push(packet);
        }
    }
}

impl Discipline for Cake {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        if self.flows.is_empty() {
            self.flows.resize_with(FLOWS, Flow::default);
        }
        if self.packets == 0 && self.next_send < context.now {
            self.next_send = context.now;
        }
        let place = self.place_of(&context.packets[packet]);
        self.flows[place].line.push(packet, context);
        self.packets += 1;
        self.bytes += i64::from(context.packets[packet].size);
        match self.flows[place].kind {
            Kind::Unknown | Kind::Decaying => {
                self.decaying.retain(|&one| one != place);
                self.fresh.push_back(place);
                self.flows[place].kind = Kind::Sparse;
                self.flows[place].deficit = self.quantum(place);
            }
            Kind::Waiting => {
                self.flows[place].kind = Kind::Bulk;
                self.count_bulk(place, 1);
            }
            Kind::Sparse | Kind::Bulk => {}
        }
        while self.bytes > i64::from(self.memory_limit.max(0)) {
            self.drop_from_longest(context);
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        if self.packets == 0 {
            return None;
        }
        let now = context.now;
        if self.rate > 0.0 && now < self.next_send {
            context.wake_in_s = Some(self.next_send - now);
            return None;
        }
        let settings = self.stretched();
        // One decaying flow is checked first in each call, because decay must not wait for an idle link.
        let mut is_first = true;
        loop {
            let lists = [&mut self.fresh, &mut self.old, &mut self.decaying];
            let [fresh, old, decaying] = lists;
            let list = if (is_first || fresh.is_empty() && old.is_empty()) && !decaying.is_empty() {
                decaying
            } else if fresh.is_empty() {
                old
            } else {
                fresh
            };
            is_first = false;
            let place = *list.front()?;
            if self.flows[place].deficit <= 0 {
                list.pop_front();
                self.end_turn(place);
                continue;
            }
            if self.flows[place].line.is_empty() {
                list.pop_front();
                self.end_flow(place, now, &settings);
                continue;
            }
            let packet = self.take(place, &settings, context)?;
            let length = self.length(context.packets[packet].size);
            self.flows[place].deficit -= length;
            if self.rate > 0.0 {
                self.next_send = self.next_send + length as f64 * 8.0 / self.rate;
            }
            return Some(packet);
        }
    }

    fn limit(&self) -> QueueLimit {
        QueueLimit::Bytes(i64::from(self.memory_limit))
    }

    fn len_packets(&self) -> usize {
        self.packets
    }

    fn len_bytes(&self) -> i64 {
        self.bytes
    }

    own_params!();

    fn reset(&mut self, context: &mut QueueContext) {
        for flow in &mut self.flows {
            while let Some((packet, _)) = flow.line.pop(context) {
                context.dropped.push(packet);
            }
        }
        self.flows.clear();
        for list in [&mut self.fresh, &mut self.old, &mut self.decaying] {
            list.clear();
        }
        (self.sources, self.destinations) = (Hosts::default(), Hosts::default());
        (self.packets, self.bytes, self.next_send) = (0, 0, context.now);
    }
}
