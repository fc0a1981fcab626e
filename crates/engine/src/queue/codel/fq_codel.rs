//! FQ-CoDel: each flow has a queue of its own under CoDel, flows take turns by bytes, and new flows go first.
//!
//! Source: RFC 8290, section 4 (4.1 enqueue, 4.2 dequeue), with the parameters of section 5.2.
//! What it decides: the flow that sends next, by deficit round robin over new and old flows; what each flow drops is
//! CoDel's affair; when more than `limit` packets wait, the flow that holds most bytes loses half of them at its head, but
//! at most `drop_batch` packets.
//! Departures: those of `flow_queues.rs`. A flow that loses half loses half of its bytes, as in Linux, where the RFC has half of
//! its packets (4.1). As the RFC says, CoDel looks at the flow's own bytes; Linux looks at all flows'.
//! Not implemented: the limit in bytes (`memory_limit`).
//! Checked against: an independent transcription of the RFC, packet by packet (tests/spec/test_aqm.py).

use super::{CodelState, Settings};
use crate::packet::PacketId;
use crate::params;
use crate::params::own_params;
use crate::queue::flow_queues::FlowQueues;
use crate::queue::{Discipline, Entry, QueueContext, QueueLimit};
use crate::time::Time;

/// The table's line.
pub const ENTRY: Entry = Entry {
    id: "fq_codel",
    about: "flow queue CoDel: a queue under CoDel for each flow, new flows first (RFC 8290)",
    make: || Box::new(FqCoDel::default()),
};

struct FqCoDel {
    /// Most packets that wait in all queues.
    limit: i32,
    /// How many queues there are; counts from the first packet on.
    flows: i32,
    /// Bytes of a turn.
    quantum: i32,
    /// Most packets dropped at once when all is full.
    drop_batch: i32,
    /// Changes which flows share a queue.
    perturbation: i32,
    settings: Settings,
    queues: FlowQueues<CodelState>,
}

impl Default for FqCoDel {
    fn default() -> FqCoDel {
        FqCoDel {
            limit: 10_240,
            flows: 1024,
            quantum: 1514,
            drop_batch: 64,
            perturbation: 0,
            settings: Settings { target: 0.005, interval: 0.1, ecn: true, ce_threshold: 0.0 },
            queues: FlowQueues::default(),
        }
    }
}

params!(FqCoDel {
    limit,
    flows,
    quantum,
    drop_batch,
    perturbation,
    target = settings.target,
    interval = settings.interval,
    ecn = settings.ecn,
    ce_threshold = settings.ce_threshold
});

impl Discipline for FqCoDel {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        self.queues.open(self.flows);
        let place = self.queues.place_of(&context.packets[packet], self.perturbation);
        self.queues.push(place, packet, self.quantum, context);
        while self.queues.len() as i64 > i64::from(self.limit.max(0)) {
            self.queues.drop_from_longest(self.drop_batch, context);
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        let settings = &self.settings;
        self.queues.dequeue(self.quantum, context, |flow, context| flow.law.dequeue(&mut flow.line, settings, context))
    }

    fn found_empty(&mut self, _: Time) {
        self.queues.found_empty(CodelState::found_empty);
    }

    fn limit(&self) -> QueueLimit {
        QueueLimit::Packets(i64::from(self.limit))
    }

    fn len_packets(&self) -> usize {
        self.queues.len()
    }

    fn len_bytes(&self) -> i64 {
        self.queues.bytes()
    }

    own_params!();

    fn reset(&mut self, context: &mut QueueContext) {
        self.queues.reset(context);
    }
}
