//! FQ-CoDel: per-flow queues under CoDel, served by deficit round robin, new flows first.
//!
//! Source: RFC 8290, section 4 (4.1 enqueue, 4.2 dequeue), with the parameters of section 5.2.
//! What it decides: deficit round robin over new and old flows selects the next flow. CoDel decides the drops of each
//! flow. If more than `limit` packets or `memory_limit` bytes wait, the longest flow (in bytes) drops half of its bytes at its head, but at
//! most `drop_batch` packets.
//! The scheduler, its lists of flows and the search for the longest are in `flow_queues.rs`.
//! Departures: those of `flow_queues.rs`. An overflow drops half of the flow's bytes, as in Linux; the RFC drops half
//! of its packets (4.1). CoDel checks the flow's own backlog, as in the RFC. With `as_linux` the AQM is Linux's CoDel
//! (`linux.rs`), which checks the backlog of all flows and counts drops of overflows, and the scheduler is Linux's. The
//! memory limit counts packets' bytes; Linux counts those of its buffers.
//! Not implemented: none.
//! Checked against: an independent transcription of the RFC, packet by packet (tests/spec/test_aqm.py); with `as_linux`
//! the C of Linux 6.12 on the same packets (tests/oracle/kernel_queues).

use super::{CodelState, Settings};
use crate::packet::PacketId;
use crate::params::{Params, own_params};
use crate::queue::flow_queues::FlowQueues;
use crate::queue::{Discipline, Entry, QueueContext, limited_to_packets};
use crate::time::Time;

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "fq_codel",
    about: "flow queue CoDel: a queue under CoDel for each flow, new flows first (RFC 8290)",
    make: || Box::new(FqCoDel::default()),
};

#[derive(Params)]
struct FqCoDel {
    /// Maximum total queue length, packets.
    #[param("packets")]
    limit: i32,
    /// Number of queues, at most 65,536.
    #[param("")]
    flows: i32,
    /// Quantum per round, bytes.
    #[param("bytes")]
    quantum: i32,
    /// Maximum number of packets dropped at once when the queue is full.
    #[param("")]
    drop_batch: i32,
    /// Maximum total queue length, bytes; 0 for none.
    #[param("bytes")]
    memory_limit: i32,
    /// Changes which flows share a queue.
    #[param("")]
    perturbation: i32,
    #[param(flatten)]
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
            memory_limit: 0,
            perturbation: 0,
            settings: Settings::new(0.005, 0.1, true),
            queues: FlowQueues::default(),
        }
    }
}

impl FqCoDel {
    fn is_too_long(&self) -> bool {
        let is_over = self.memory_limit > 0 && self.queues.bytes() > i64::from(self.memory_limit);
        is_over || self.queues.len() as i64 > i64::from(self.limit.max(0))
    }
}

impl Discipline for FqCoDel {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        self.queues.open(self.flows);
        let place = self.queues.place_of(&context.packets[packet], self.perturbation);
        self.queues.push(place, packet, self.quantum, context);
        while self.is_too_long() {
            let Some((place, dropped)) =
                self.queues.drop_from_longest(self.drop_batch, self.settings.as_linux, context)
            else {
                return;
            };
            self.queues.flow(place).law.overflowed(dropped);
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        let settings = &self.settings;
        self.queues.dequeue(self.quantum, settings.as_linux, context, |flow, others, context| {
            flow.law.dequeue(&mut flow.line, others, settings, context)
        })
    }

    fn found_empty(&mut self, _: Time) {
        self.queues.found_empty(CodelState::found_empty);
    }

    limited_to_packets!(queues);

    own_params!();

    fn reset(&mut self, context: &mut QueueContext) {
        self.queues.reset(context);
    }
}
