//! Deficit Round Robin (DRR): flows, hashed by source, take turns of a number of bytes.
//!
//! Source: M. Shreedhar and G. Varghese, "Efficient fair queueing using deficit round robin", SIGCOMM 1995, as
//! ns-2.35's `Queue/DRR` has it.
//! What it decides: each turn allows `quantum` plus the deficit of the flow's last turn, in bytes. If all flows
//! together exceed `blimit` bytes, the longest queue drops its oldest packet.
//! Packets without a byte wait until others come.
//! Departures: a quantum below 1 counts as 1, where ns-2 loops forever; two sources in one bucket are not reported.
//! Not implemented: changing the settings by commands.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use std::collections::VecDeque;

use super::{Discipline, Entry, Fifo, QueueContext, QueueLimit};
use crate::packet::PacketId;
use crate::params::{Params, own_params};

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "drr",
    about: "deficit round robin: flows take turns, byte by byte (Shreedhar and Varghese 1995)",
    make: || Box::new(Drr::default()),
};

#[derive(Default)]
struct Flow {
    fifo: Fifo,
    deficit: i32,
    /// Whether the current turn's quantum was added to the deficit.
    has_turn: bool,
}

#[derive(Params)]
struct Drr {
    /// No effect, as in ns-2.
    #[param(state)]
    limit: i32,
    /// Maximum number of flows.
    #[param("")]
    buckets: i32,
    /// Maximum number of bytes in all flows together.
    #[param("bytes")]
    blimit: i32,
    /// Quantum per round, bytes.
    #[param("bytes")]
    quantum: i32,
    /// 1: sources that differ in the last four bits are one flow.
    #[param("")]
    mask: i32,
    flows: Vec<Flow>,
    /// Nonempty flows in the order of service.
    turns: VecDeque<usize>,
    packets: usize,
    bytes: i64,
}

impl Default for Drr {
    fn default() -> Drr {
        Drr {
            limit: 50,
            buckets: 10,
            blimit: 25_000,
            quantum: 250,
            mask: 0,
            flows: Vec::new(),
            turns: VecDeque::new(),
            packets: 0,
            bytes: 0,
        }
    }
}

/// ns-2's hash of a source node.
fn hash(source: i32) -> i32 {
    (source.wrapping_add(source >> 8).wrapping_add(!(source >> 4))) % ((2 << 23) - 1) + 1
}

impl Drr {
    fn bucket_of(&self, source: i32) -> usize {
        let source = if self.mask == 0 { source } else { source & 0xfff0 };
        hash(source).unsigned_abs() as usize % self.flows.len()
    }

    fn take(&mut self, flow: usize, context: &QueueContext) -> Option<PacketId> {
        let id = self.flows[flow].fifo.pop(context.packets)?;
        self.packets -= 1;
        self.bytes -= i64::from(context.packets[id].size);
        Some(id)
    }

    /// Index in `turns` of the flow with the most bytes; in a tie the flow that is served first.
    fn longest(&self) -> usize {
        let bytes = |place: usize| self.flows[self.turns[place]].fifo.bytes();
        (1..self.turns.len()).fold(0, |best, place| if bytes(best) < bytes(place) { place } else { best })
    }
}

impl Discipline for Drr {
    fn enqueue(&mut self, id: PacketId, context: &mut QueueContext) {
        if self.flows.is_empty() {
            self.flows = (0..self.buckets.max(1)).map(|_| Flow::default()).collect();
        }
        let bucket = self.bucket_of(context.packets[id].src.node);
        let flow = &mut self.flows[bucket];
        flow.fifo.push(id, context.packets);
        self.packets += 1;
        self.bytes += i64::from(context.packets[id].size);
        if flow.fifo.len() == 1 {
            flow.deficit = 0;
            self.turns.push_back(bucket);
        }
        while self.bytes > i64::from(self.blimit) && !self.turns.is_empty() {
            let place = self.longest();
            let longest = self.turns[place];
            context.dropped.extend(self.take(longest, context));
            if self.flows[longest].fifo.is_empty() {
                self.turns.remove(place);
            }
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        // As in ns-2, which counts bytes to learn whether packets wait.
        if self.bytes == 0 {
            return None;
        }
        loop {
            let bucket = *self.turns.front()?;
            let flow = &mut self.flows[bucket];
            if !flow.has_turn {
                flow.deficit = flow.deficit.saturating_add(self.quantum.max(1));
                flow.has_turn = true;
            }
            let size = context.packets[flow.fifo.get(0)?].size;
            if flow.deficit < size {
                flow.has_turn = false;
                self.turns.rotate_left(1);
                continue;
            }
            flow.deficit -= size;
            let next = self.take(bucket, context);
            let flow = &mut self.flows[bucket];
            if flow.fifo.is_empty() {
                flow.has_turn = false;
                flow.deficit = 0;
                self.turns.pop_front();
            }
            return next;
        }
    }

    fn limit(&self) -> QueueLimit {
        QueueLimit::Bytes(i64::from(self.blimit))
    }

    fn len_packets(&self) -> usize {
        self.packets
    }

    fn len_bytes(&self) -> i64 {
        self.bytes
    }

    own_params!();
}
