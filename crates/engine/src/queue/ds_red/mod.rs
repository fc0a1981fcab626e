//! DiffServ RED queue (ns-2's dsRED): several RED queues in one; packets are classified by code point.
//!
//! Source: ns-2.35's `Queue/dsRED`, `/edge` and `/core` (P. Pieda, J. Ethridge, M. Baines and F. Shallwani, Nortel,
//! 2000); D. Clark and W. Fang, "Explicit allocation of best-effort packet delivery service", IEEE/ACM Trans.
//! Networking, 1998.
//! What it decides: an edge marks each packet with a code point by the policy for its source and destination. The code
//! point selects a physical queue and a precedence. Each precedence has its own RED average for early drops. A
//! scheduler selects the next queue.
//! Departures: queue numbers, precedences and code points beyond ns-2's table sizes are errors. A packet without a
//! table entry is an error too. ns-2 stops or crashes in these cases.
//! Not implemented: the policies EW and DEWP.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

mod command;
mod limits;
mod physical;
mod policy;
mod schedule;

use super::{Discipline, Entry, QueueContext, QueueLimit};
use crate::packet::{PacketId, flag};
use crate::params::{Params, own_params};
use crate::time::Time;
use limits::{CODE_POINTS, PRECEDENCES, QUEUES};
use physical::{Physical, Verdict};
use policy::Policies;
use schedule::Schedule;

/// The registry entry of a core queue, which uses the code points that it finds.
pub const CORE: Entry = Entry {
    id: "ds_red_core",
    about: "several RED queues, by code point (Nortel 2000, in ns-2.35)",
    make: || Box::new(DsRed::new(None)),
};

/// The registry entry of an edge queue, which marks packets with code points.
pub const EDGE: Entry = Entry {
    id: "ds_red_edge",
    about: "gives packets code points by policy, then several RED queues (Nortel 2000, in ns-2.35)",
    make: || Box::new(DsRed::new(Some(Policies::default()))),
};

/// The queue and precedence of a code point (per-hop behaviour).
#[derive(Clone, Copy, Debug)]
struct Behaviour {
    code_point: i32,
    queue: usize,
    precedence: usize,
}

/// Arrivals and drops.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    packets: i64,
    drops: i64,
    early_drops: i64,
}

#[derive(Params)]
struct DsRed {
    /// The number of queues in use.
    #[param(state)]
    num_queues: i32,
    /// Whether ECN-capable packets are marked instead of dropped.
    #[param("flag")]
    ecn: bool,
    /// Maximum length of each queue, packets.
    #[param("packets")]
    limit: i32,
    queues: Vec<Physical>,
    schedule: Schedule,
    behaviours: Vec<Behaviour>,
    all: Counts,
    by_code_point: [Counts; CODE_POINTS],
    has_link: bool,
    /// The time of the last [`Discipline::dequeue`] without a packet. The scheduler can select an empty queue while
    /// others hold packets.
    gave_nothing_at: Option<Time>,
    policies: Option<Policies>,
}

impl DsRed {
    fn new(policies: Option<Policies>) -> DsRed {
        let mut queue = DsRed {
            num_queues: 4,
            ecn: false,
            limit: 50,
            queues: (0..QUEUES).map(|_| Physical::default()).collect(),
            schedule: Schedule::default(),
            behaviours: Vec::new(),
            all: Counts::default(),
            by_code_point: [Counts::default(); CODE_POINTS],
            has_link: false,
            gave_nothing_at: None,
            policies,
        };
        queue.start_over(None);
        queue
    }

    fn start_over(&mut self, rate_bps: Option<f64>) {
        self.schedule.start_over();
        self.all = Counts::default();
        self.by_code_point = [Counts::default(); CODE_POINTS];
        for queue in &mut self.queues {
            queue.limit = self.limit;
            if let Some(rate_bps) = rate_bps {
                queue.set_rate(rate_bps);
            }
        }
    }

    fn used(&self) -> usize {
        usize::try_from(self.num_queues).unwrap_or(0).min(QUEUES)
    }

    fn behaviour(&self, code_point: i32) -> Result<Behaviour, String> {
        self.behaviours.iter().find(|behaviour| behaviour.code_point == code_point).copied().ok_or_else(|| {
            format!("No match found for code point {code_point} in PHB Table; ns-2 reads memory that it never set")
        })
    }

    fn select(&mut self) -> usize {
        let used = self.used();
        let queues = &self.queues;
        self.schedule.select(used, |index| queues[index].len())
    }

    fn try_enqueue(&mut self, id: PacketId, context: &mut QueueContext) -> Result<(), String> {
        if let Some(policies) = &mut self.policies {
            let code_point = policies.mark(&context.packets[id], context.now.secs(), &mut context.rng)?;
            let packet = &mut context.packets[id];
            (packet.prio, packet.dscp) = (code_point, (code_point & 0x3f) as u8);
        }
        let packet = &context.packets[id];
        let Behaviour { code_point, queue, precedence } = self.behaviour(packet.prio)?;
        let may_mark = self.ecn && packet.has(flag::ECN_CAPABLE);
        let counts = &mut self.by_code_point[code_point as usize];
        counts.packets += 1;
        self.all.packets += 1;
        match self.queues[queue].enqueue(id, precedence, may_mark, context) {
            Verdict::Stored => {}
            Verdict::Marked => context.packets[id].flags |= flag::MARKED,
            Verdict::Dropped => {
                counts.drops += 1;
                self.all.drops += 1;
                context.dropped.push(id);
            }
            Verdict::DroppedEarly => {
                counts.early_drops += 1;
                self.all.early_drops += 1;
                context.dropped_early.push(id);
            }
        }
        Ok(())
    }
}

impl Discipline for DsRed {
    fn enqueue(&mut self, id: PacketId, context: &mut QueueContext) {
        if let Err(error) = self.try_enqueue(id, context) {
            context.error.get_or_insert(error);
            context.dropped.push(id);
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        let queue = self.select();
        let next = if queue < self.used() { self.queues[queue].pop(context.packets) } else { None };
        self.gave_nothing_at = if next.is_none() { Some(context.now) } else { None };
        let id = next?;
        let (size, code_point) = (context.packets[id].size, context.packets[id].prio);
        self.schedule.taken(queue, self.used(), size, context.now.secs());
        match self.behaviour(code_point) {
            Ok(behaviour) => self.queues[queue].taken(behaviour.precedence, context.now.secs()),
            Err(error) => {
                context.error.get_or_insert(error);
            }
        }
        Some(id)
    }

    fn found_empty(&mut self, at: Time) {
        if self.gave_nothing_at.take() != Some(at) {
            self.select();
        }
    }

    fn limit(&self) -> QueueLimit {
        QueueLimit::Packets(self.queues.iter().map(|queue| i64::from(queue.limit.max(0))).sum())
    }

    fn len_packets(&self) -> usize {
        self.queues.iter().map(Physical::len).sum()
    }

    fn len_bytes(&self) -> i64 {
        self.queues.iter().map(Physical::bytes).sum()
    }

    own_params!();

    fn reset(&mut self, context: &mut QueueContext) {
        self.start_over(self.has_link.then_some(context.rate_bps));
        while let Some(packet) = self.dequeue(context) {
            context.dropped.push(packet);
        }
    }

    fn command(&mut self, name: &str, context: &mut QueueContext) -> Result<String, String> {
        let words: Vec<&str> = name.split_whitespace().collect();
        self.obey(&words, context.now.secs())
    }
}
