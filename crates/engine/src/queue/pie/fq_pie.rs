//! FQ-PIE: per-flow queues under PIE, served by deficit round robin, new flows first.
//!
//! Source: G. Ramakrishnan et al., "FQ-PIE queue discipline in the Linux kernel: design, implementation and
//! challenges", IEEE LCN Symposium 2019; tc-fq_pie(8). The scheduler is that of RFC 8290, the AQM that of RFC 8033.
//! What it decides: deficit round robin over new and old flows selects the next flow. PIE decides the drops of each
//! flow. An arrival that finds `limit` packets in all queues is dropped.
//! With `as_linux` the AQM is Linux's PIE (`linux.rs`), and so is the scheduler.
//! Departures: those of `flow_queues.rs`. All flows update at the same time; Linux spreads the updates of many flows
//! over time.
//! Not implemented: the limit in bytes (`memory_limit`), which Linux 6.12 only counts.
//! Checked against: an independent transcription, packet by packet (tests/spec/test_aqm.py); with `as_linux` the C of
//! Linux 6.12 on the same packets (tests/oracle/kernel_queues).

use super::{PieState, Settings};
use crate::packet::PacketId;
use crate::params::{Params, own_params};
use crate::queue::flow_queues::FlowQueues;
use crate::queue::{Discipline, Entry, QueueContext, limited_to_packets};
use crate::time::Time;

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "fq_pie",
    about: "flow queue PIE: a queue under PIE for each flow, new flows first (Ramakrishnan et al. 2019)",
    make: || Box::new(FqPie::default()),
};

#[derive(Params)]
struct FqPie {
    /// Maximum total queue length, packets.
    #[param("packets")]
    limit: i32,
    /// Number of queues, at most 65,536.
    #[param("")]
    flows: i32,
    /// Quantum per round, bytes.
    #[param("bytes")]
    quantum: i32,
    /// Changes which flows share a queue.
    #[param("")]
    perturbation: i32,
    #[param(flatten)]
    settings: Settings,
    queues: FlowQueues<PieState>,
}

impl Default for FqPie {
    fn default() -> FqPie {
        FqPie {
            limit: 10_240,
            flows: 1024,
            quantum: 1514,
            perturbation: 0,
            settings: Settings::default(),
            queues: FlowQueues::default(),
        }
    }
}

impl Discipline for FqPie {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        self.queues.open(self.flows);
        let place = self.queues.place_of(&context.packets[packet], self.perturbation);
        if self.queues.len() as i64 >= i64::from(self.limit) {
            self.queues.flow(place).law.overflowed();
            context.dropped.push(packet);
            return;
        }
        let flow = self.queues.flow(place);
        if flow.law.drops(packet, flow.line.bytes(), &self.settings, context) {
            context.dropped_early.push(packet);
        } else {
            self.queues.push(place, packet, self.quantum, context);
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        let settings = &self.settings;
        self.queues.dequeue(self.quantum, settings.as_linux, context, |flow, _, context| {
            let (packet, waited_s) = flow.line.pop(context)?;
            let size = context.packets[packet].size;
            flow.law.left(size, waited_s, flow.line.bytes(), settings, context.now);
            Some(packet)
        })
    }

    fn found_empty(&mut self, _: Time) {
        self.queues.found_empty(|_| {});
    }

    fn timer(&mut self, context: &mut QueueContext) {
        for flow in self.queues.flows() {
            flow.law.update(flow.line.bytes(), &self.settings);
        }
        context.wake_after(self.settings.tupdate);
    }

    limited_to_packets!(queues);

    own_params!();

    fn reset(&mut self, context: &mut QueueContext) {
        self.queues.reset(context);
        context.wake_after(self.settings.first_update_s());
    }
}
