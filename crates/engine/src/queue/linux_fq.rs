//! Linux's `fq`: flows in turn by bytes, each packet at its departure time.
//!
//! Source: tc-fq(8); Linux 6.12, net/sched/sch_fq.c. (`fq` without a prefix is ns-2's, by finish times.)
//! What it decides: deficit round robin over new and old flows of three bands selects the next flow. A band's share is 9,
//! 3 or 1 of 13. A packet with a departure time ([`crate::packet::Packet::departure`]) is not sent before it; one too far
//! in the future (`horizon`) is dropped. With `maxrate` a flow sends at most at this rate. A flow that must wait is taken
//! out of the turns until then. While no flow can send, packets that may leave now go through a short queue of their own.
//! `limit` is that of each band, `flow_limit` that of each flow.
//! Departures: a flow is a pair of addresses and ports, which stands for Linux's socket. Flows have no hash collisions, and
//! their state is never freed. The timer is exact; Linux's may be late by 10 us (`timer_slack`). The band is that of the DSCP, as a Linux
//! socket's is by default.
//! Not implemented: rates that sockets set (SO_MAX_PACING_RATE), `orphan_mask`, `priomap`, `weights`, offload.
//! Checked against: the C of Linux 6.12 on the same packets (tests/oracle/kernel_queues).

use std::collections::{BTreeMap, VecDeque};

use super::{Discipline, Entry, QueueContext, QueueLimit};
use crate::packet::{Packet, PacketId};
use crate::params::{Params, own_params};
use crate::time::Time;

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "linux_fq",
    about: "Linux's fq: flows in turn by bytes, each packet at its departure time (tc-fq)",
    make: || Box::new(LinuxFq::default()),
};

const BANDS: usize = 3;
/// Bytes of a band per round.
const BAND_QUANTA: [i64; BANDS] = [9 << 16, 3 << 16, 1 << 16];
/// The most packets in the short queue.
const MAX_DIRECT: usize = 8;

/// Nodes and ports of a flow.
type Ends = (i32, i32, i32, i32);

/// A packet that waits, when it may leave, and its band.
#[derive(Clone, Copy)]
struct Waiting {
    packet: PacketId,
    departure: Time,
    band: usize,
}

struct Flow {
    /// In the order of departure times.
    line: VecDeque<Waiting>,
    credit: i64,
    band: usize,
    /// When the flow may send again.
    next_send: Option<Time>,
    /// When the flow left the lists, ms; `None` while it is on one or waits for its time.
    idle_since_ms: Option<i64>,
}

#[derive(Default)]
struct Band {
    fresh: VecDeque<usize>,
    old: VecDeque<usize>,
    credit: i64,
    packets: i64,
}

#[derive(Params)]
struct LinuxFq {
    /// Maximum queue length of each of three bands, packets.
    #[param("packets")]
    limit: i32,
    /// Maximum queue length of a flow, packets.
    #[param("packets")]
    flow_limit: i32,
    /// Quantum per round, bytes.
    #[param("bytes")]
    quantum: i32,
    /// Quantum of a new flow's first round, bytes.
    #[param("bytes")]
    initial_quantum: i32,
    /// A flow that was idle for longer has a whole quantum again, s.
    #[param("s")]
    refill_delay: f64,
    /// Whether `maxrate` is obeyed.
    #[param("flag")]
    pacing: bool,
    /// Rate limit of each flow, bit/s; 0 for none.
    #[param("bit/s")]
    maxrate: f64,
    /// Up to this `maxrate` each packet is spaced by its own size, bit/s.
    #[param("bit/s")]
    low_rate_threshold: f64,
    /// Packets that leave so much later than they may are marked, s; 0 for none.
    #[param("s")]
    ce_threshold: f64,
    /// How far in the future a departure time may be, s.
    #[param("s")]
    horizon: f64,
    /// Whether packets beyond the horizon are dropped; otherwise they leave at the horizon.
    #[param("flag")]
    horizon_drop: bool,
    flows: Vec<Flow>,
    known: BTreeMap<Ends, usize>,
    bands: [Band; BANDS],
    /// The band that is served.
    current: usize,
    /// Packets that bypass the flows.
    direct: VecDeque<Waiting>,
    /// Flows that wait for their time, in its order.
    delayed: BTreeMap<(Time, u64), usize>,
    /// Numbers the flows in `delayed`.
    turns: u64,
    /// When the first of the delayed flows may send, as of the last look.
    next_delayed: Option<Time>,
    /// Flows that have packets and do not wait for their time.
    eligible: usize,
    packets: usize,
    bytes: i64,
}

impl Default for LinuxFq {
    fn default() -> LinuxFq {
        LinuxFq {
            limit: 10_000,
            flow_limit: 100,
            quantum: 3028,
            initial_quantum: 15_140,
            refill_delay: 0.04,
            pacing: true,
            maxrate: 0.0,
            low_rate_threshold: 550_000.0,
            ce_threshold: 0.0,
            horizon: 10.0,
            horizon_drop: true,
            flows: Vec::new(),
            known: BTreeMap::new(),
            bands: Default::default(),
            current: 0,
            direct: VecDeque::new(),
            delayed: BTreeMap::new(),
            turns: 0,
            next_delayed: None,
            eligible: 0,
            packets: 0,
            bytes: 0,
        }
    }
}

/// The band of a DSCP: of its priority in Linux, which its low three bits decide (net/ipv4/route.c, `ip_tos2prio`; tc-fq(8),
/// `priomap`). Minimum delay is band 0, maximum throughput band 2.
fn band_of(dscp: u8) -> usize {
    match dscp & 7 {
        2 | 3 => 2,
        4 | 5 => 0,
        _ => 1,
    }
}

/// Linux's clock of coarse times, ms.
fn milliseconds(at: Time) -> i64 {
    (at.secs() * 1e3 + 1e-6) as i64
}

/// Adds a packet after all that may leave as early.
fn insert(line: &mut VecDeque<Waiting>, waiting: Waiting) {
    let place = line.partition_point(|other| other.departure <= waiting.departure);
    line.insert(place, waiting);
}

impl LinuxFq {
    /// The place of a packet's flow; a new one if it is not known.
    fn flow_of(&mut self, packet: &Packet, now: Time) -> usize {
        let ends = (packet.src.node, packet.src.port, packet.dst.node, packet.dst.port);
        let next = self.flows.len();
        let place = *self.known.entry(ends).or_insert(next);
        if place == next {
            self.flows.push(Flow {
                line: VecDeque::new(),
                credit: i64::from(self.initial_quantum.max(0)),
                // As in Linux, the first turn is that of the first band.
                band: 0,
                next_send: None,
                idle_since_ms: Some(milliseconds(now) | 1),
            });
        }
        place
    }

    /// Whether a packet bypasses the flows: nothing else can leave now.
    fn is_direct(&self, departure: Time, now: Time) -> bool {
        let nothing_waits = self.packets == 0;
        let nothing_leaves = self.eligible == 0
            && self.direct.len() < MAX_DIRECT
            && self.next_delayed.is_none_or(|next_delayed| next_delayed > now);
        departure <= now && (nothing_waits || nothing_leaves) && self.maxrate <= 0.0
    }

    /// A flow waits for its time.
    fn delay(&mut self, place: usize, until: Time) {
        self.flows[place].next_send = Some(until);
        self.delayed.insert((until, self.turns), place);
        self.turns += 1;
        self.eligible -= 1;
        self.next_delayed = Some(self.next_delayed.map_or(until, |next_delayed| next_delayed.min(until)));
    }

    /// Flows whose time has come take turns again.
    fn resume_delayed(&mut self, now: Time) {
        if self.next_delayed.is_none_or(|next_delayed| next_delayed > now) {
            return;
        }
        self.next_delayed = None;
        while let Some(first) = self.delayed.first_entry() {
            if first.key().0 > now {
                self.next_delayed = Some(first.key().0);
                break;
            }
            let place = first.remove();
            self.eligible += 1;
            self.bands[self.flows[place].band].old.push_back(place);
        }
    }

    /// Finds the next band with credit and a flow; returns whether that is a new flow. `None`: no flow can send.
    fn choose(&mut self) -> Option<bool> {
        let mut looked = 0;
        loop {
            let band = &self.bands[self.current];
            if band.credit > 0 && !band.fresh.is_empty() {
                return Some(true);
            }
            if band.credit > 0 && !band.old.is_empty() {
                return Some(false);
            }
            looked += 1;
            if looked > BANDS {
                return None;
            }
            loop {
                self.current = (self.current + 1) % BANDS;
                let quantum = BAND_QUANTA[self.current];
                let band = &mut self.bands[self.current];
                band.credit = (band.credit + quantum).min(quantum);
                if band.credit > 0 {
                    break;
                }
                looked = 0;
            }
        }
    }

    fn forget(&mut self, packet: PacketId, context: &QueueContext) {
        self.packets -= 1;
        self.bytes -= i64::from(context.packets[packet].size);
    }

    /// The flow has sent a packet: when may it send the next one?
    fn pace(&mut self, place: usize, size: i64, has_departure: bool, now: Time) {
        if !self.pacing || self.maxrate <= 0.0 {
            return;
        }
        let flow = &mut self.flows[place];
        let mut size = size;
        if !has_departure {
            if self.maxrate <= self.low_rate_threshold {
                flow.credit = 0;
            } else {
                size = size.max(i64::from(self.quantum));
                if flow.credit > 0 {
                    return;
                }
            }
        }
        let mut lasts_s = (size as f64 * 8.0 / self.maxrate).min(1.0);
        if let Some(due) = flow.next_send {
            lasts_s -= (now - due).min(lasts_s / 2.0);
        }
        flow.next_send = Some(now + lasts_s);
    }
}

impl Discipline for LinuxFq {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        let (now, fields) = (context.now, &mut context.packets[packet]);
        let band = band_of(fields.dscp);
        if self.bands[band].packets >= i64::from(self.limit) {
            context.dropped.push(packet);
            return;
        }
        let horizon = now + self.horizon.max(0.0);
        if fields.departure > horizon {
            if self.horizon_drop {
                context.dropped.push(packet);
                return;
            }
            fields.departure = horizon;
        }
        let departure = if fields.departure == Time::ZERO { now } else { fields.departure };
        let size = i64::from(fields.size);
        let waiting = Waiting { packet, departure, band };
        if self.is_direct(departure, now) {
            insert(&mut self.direct, waiting);
        } else {
            let place = self.flow_of(&context.packets[packet], now);
            let flow = &mut self.flows[place];
            if flow.line.len() as i64 >= i64::from(self.flow_limit) {
                context.dropped.push(packet);
                return;
            }
            if let Some(since_ms) = flow.idle_since_ms.take() {
                self.bands[flow.band].fresh.push_back(place);
                if milliseconds(now) > since_ms + (self.refill_delay * 1e3) as i64 {
                    flow.credit = flow.credit.max(i64::from(self.quantum));
                }
            }
            flow.band = band;
            self.bands[band].packets += 1;
            if flow.line.is_empty() {
                self.eligible += 1;
            }
            insert(&mut flow.line, waiting);
        }
        self.packets += 1;
        self.bytes += size;
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        if self.packets == 0 {
            return None;
        }
        if let Some(waiting) = self.direct.pop_front() {
            self.forget(waiting.packet, context);
            return Some(waiting.packet);
        }
        let now = context.now;
        self.resume_delayed(now);
        loop {
            let Some(is_fresh) = self.choose() else {
                context.wake_in_s = self.next_delayed.map(|next_delayed| next_delayed - now);
                return None;
            };
            let band = &mut self.bands[self.current];
            let list = if is_fresh { &mut band.fresh } else { &mut band.old };
            let place = *list.front()?;
            let flow = &mut self.flows[place];
            if flow.credit <= 0 {
                flow.credit += i64::from(self.quantum.max(1));
                list.pop_front();
                self.bands[flow.band].old.push_back(place);
                continue;
            }
            let Some(&waiting) = flow.line.front() else {
                list.pop_front();
                if is_fresh {
                    // Otherwise a flow that sends one packet at a time would always be new.
                    self.bands[flow.band].old.push_back(place);
                } else {
                    flow.idle_since_ms = Some(milliseconds(now) | 1);
                }
                continue;
            };
            let due = flow.next_send.map_or(waiting.departure, |next_send| next_send.max(waiting.departure));
            if now < due {
                list.pop_front();
                self.delay(place, due);
                continue;
            }
            if self.ce_threshold > 0.0 && now - due > self.ce_threshold {
                context.packets[waiting.packet].mark();
            }
            flow.line.pop_front();
            if flow.line.is_empty() {
                self.eligible -= 1;
            }
            let size = i64::from(context.packets[waiting.packet].size);
            flow.credit -= size;
            self.bands[waiting.band].packets -= 1;
            self.bands[self.current].credit -= size;
            let has_departure = context.packets[waiting.packet].departure != Time::ZERO;
            self.pace(place, size, has_departure, now);
            self.forget(waiting.packet, context);
            return Some(waiting.packet);
        }
    }

    fn limit(&self) -> QueueLimit {
        QueueLimit::Packets(BANDS as i64 * i64::from(self.limit.max(0)) + MAX_DIRECT as i64)
    }

    fn len_packets(&self) -> usize {
        self.packets
    }

    fn len_bytes(&self) -> i64 {
        self.bytes
    }

    own_params!();

    fn reset(&mut self, context: &mut QueueContext) {
        let lines = self.flows.iter().flat_map(|flow| &flow.line).chain(&self.direct);
        context.dropped.extend(lines.map(|waiting| waiting.packet));
        let fresh = LinuxFq::default();
        (self.flows, self.known, self.bands) = (fresh.flows, fresh.known, fresh.bands);
        (self.direct, self.delayed, self.next_delayed) = (fresh.direct, fresh.delayed, None);
        (self.current, self.turns, self.eligible, self.packets, self.bytes) = (0, 0, 0, 0, 0);
    }
}
