//! A tin of CAKE: flows under COBALT in DRR++ order, with fairness between hosts.

use std::collections::{BTreeMap, VecDeque};

use super::super::{CobaltState, Settings};
use crate::packet::{Packet, PacketId};
use crate::queue::flow_queues::hash;
use crate::queue::{QueueContext, TimedFifo};
use crate::time::Time;

/// Number of flow queues, and of queues per set of the set-associative hash.
const FLOWS: usize = 1024;
const WAYS: usize = 8;

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
pub(super) struct Flow {
    pub line: TimedFifo,
    pub law: CobaltState,
    pub deficit: i64,
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

/// How flows of hosts share a tin.
#[derive(Clone, Copy)]
pub(super) struct Sharing {
    /// Whether the bulk flows of a source share its part.
    pub by_source: bool,
    /// Whether the bulk flows of a destination share its part.
    pub by_destination: bool,
    /// Quantum of a host's only bulk flow, bytes.
    pub quantum: i64,
}

/// The list whose first flow is served.
#[derive(Clone, Copy)]
enum List {
    Fresh,
    Old,
    Decaying,
}

/// What the first flow of a tin has for the transmitter.
pub(super) enum Turn {
    /// This flow may send.
    Flow(usize),
    /// Nothing: the flow's turn has ended.
    Over,
    /// Nothing: the flow was empty, and left its list.
    Left,
    /// No flow is on any list.
    Empty,
}

#[derive(Default)]
pub(super) struct Tin {
    pub flows: Vec<Flow>,
    fresh: VecDeque<usize>,
    old: VecDeque<usize>,
    decaying: VecDeque<usize>,
    sources: Hosts,
    destinations: Hosts,
    /// Flows in the state [`Kind::Bulk`].
    bulk: usize,
    /// Flows in the states [`Kind::Sparse`] and [`Kind::Waiting`].
    sparse: usize,
    pub packets: usize,
    /// Bytes that it may still send in this turn when there is no shaper; negative: it has sent more.
    pub deficit: i64,
    /// When the tin's own rate allows its next packet.
    pub next_send: Time,
}

impl Tin {
    /// Whether a flow is on the new or the old list.
    pub fn has_flows(&self) -> bool {
        self.bulk + self.sparse > 0
    }

    pub fn bulk_flows(&self) -> usize {
        self.bulk
    }

    /// Stores a packet; returns the place of its flow.
    pub fn push(&mut self, packet: PacketId, perturbation: i32, sharing: Sharing, context: &QueueContext) -> usize {
        if self.flows.is_empty() {
            self.flows.resize_with(FLOWS, Flow::default);
        }
        let place = self.place_of(&context.packets[packet], perturbation);
        self.flows[place].line.push(packet, context);
        self.packets += 1;
        match self.flows[place].kind {
            Kind::Unknown | Kind::Decaying => {
                self.decaying.retain(|&one| one != place);
                self.fresh.push_back(place);
                self.set_kind(place, Kind::Sparse);
                self.flows[place].deficit = self.quantum(place, sharing);
            }
            Kind::Waiting => self.set_kind(place, Kind::Bulk),
            Kind::Sparse | Kind::Bulk => {}
        }
        place
    }

    /// The queue index of a packet's flow, by set-associative hashing. A new flow takes a free queue of its set; if
    /// there is none, it shares the queue at its hash.
    fn place_of(&mut self, packet: &Packet, perturbation: i32) -> usize {
        let tag = hash(packet, perturbation);
        let own = (tag % FLOWS as u64) as usize;
        let first = own - own % WAYS;
        let ways = (0..WAYS).map(|way| first + (own + way) % WAYS);
        let known = ways.clone().find(|&place| self.flows[place].kind != Kind::Unknown && self.flows[place].tag == tag);
        if let Some(place) = known {
            return place;
        }
        let place = ways.clone().find(|&place| self.flows[place].kind == Kind::Unknown).unwrap_or(own);
        let kind = self.flows[place].kind;
        // The hosts of a bulk flow change.
        self.set_kind(place, Kind::Unknown);
        self.flows[place].tag = tag;
        self.flows[place].hosts = (packet.src.node, packet.dst.node);
        self.set_kind(place, kind);
        place
    }

    /// Sets the state of a flow, and counts it.
    fn set_kind(&mut self, place: usize, kind: Kind) {
        let before = std::mem::replace(&mut self.flows[place].kind, kind);
        let by = i64::from(kind == Kind::Bulk) - i64::from(before == Kind::Bulk);
        if by != 0 {
            let (source, destination) = self.flows[place].hosts;
            self.sources.add(source, by);
            self.destinations.add(destination, by);
        }
        let is_sparse = |kind: Kind| matches!(kind, Kind::Sparse | Kind::Waiting);
        self.bulk = self.bulk + usize::from(kind == Kind::Bulk) - usize::from(before == Kind::Bulk);
        self.sparse = self.sparse + usize::from(is_sparse(kind)) - usize::from(is_sparse(before));
    }

    /// Quantum of a flow, bytes.
    fn quantum(&self, place: usize, sharing: Sharing) -> i64 {
        let (source, destination) = self.flows[place].hosts;
        let mut load = 1;
        if sharing.by_source {
            load = load.max(self.sources.flows_of(source));
        }
        if sharing.by_destination {
            load = load.max(self.destinations.flows_of(destination));
        }
        (sharing.quantum / load).max(1)
    }

    /// Looks at the next flow. `check_decay`: look at a decaying one first, if there is any.
    pub fn turn(&mut self, check_decay: bool, sharing: Sharing, now: Time, settings: &Settings) -> Turn {
        let idle = self.fresh.is_empty() && self.old.is_empty();
        let (list, name) = if (check_decay || idle) && !self.decaying.is_empty() {
            (&mut self.decaying, List::Decaying)
        } else if self.fresh.is_empty() {
            (&mut self.old, List::Old)
        } else {
            (&mut self.fresh, List::Fresh)
        };
        let Some(&place) = list.front() else { return Turn::Empty };
        if self.flows[place].deficit <= 0 {
            list.pop_front();
            self.end_turn(place, sharing);
            return Turn::Over;
        }
        if self.flows[place].line.is_empty() {
            match name {
                List::Fresh => self.fresh.pop_front(),
                List::Old => self.old.pop_front(),
                List::Decaying => self.decaying.pop_front(),
            };
            self.end_flow(place, now, settings);
            return Turn::Left;
        }
        Turn::Flow(place)
    }

    /// Ends the turn of a flow: it moves to the end of the old list.
    fn end_turn(&mut self, place: usize, sharing: Sharing) {
        if self.flows[place].kind == Kind::Sparse {
            self.set_kind(place, if self.flows[place].line.is_empty() { Kind::Waiting } else { Kind::Bulk });
        }
        self.flows[place].deficit += self.quantum(place, sharing);
        self.old.push_back(place);
    }

    /// Removes an empty flow.
    fn end_flow(&mut self, place: usize, now: Time, settings: &Settings) {
        let law = &mut self.flows[place].law;
        law.found_empty(now, settings);
        if law.is_at_rest(now) {
            self.set_kind(place, Kind::Unknown);
        } else {
            self.set_kind(place, Kind::Decaying);
            self.decaying.push_back(place);
        }
    }

    /// The longest flow, and its length, bytes. In a tie the first one that is served.
    pub fn longest(&self) -> Option<(usize, i64)> {
        let listed = self.fresh.iter().chain(&self.old).copied();
        let longest = listed.reduce(|best, place| {
            let bytes = |place: usize| self.flows[place].line.bytes();
            if bytes(place) > bytes(best) { place } else { best }
        });
        longest.map(|place| (place, self.flows[place].line.bytes()))
    }

    /// Drops all packets.
    pub fn reset(&mut self, context: &mut QueueContext) {
        for flow in &mut self.flows {
            while let Some((packet, _)) = flow.line.pop(context) {
                context.dropped.push(packet);
            }
        }
        *self = Tin { next_send: context.now, ..Tin::default() };
    }
}
