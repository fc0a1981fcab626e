//! CAKE: a shaper, traffic classes, and per-flow queues under COBALT with fairness between hosts.
//!
//! Source: T. Høiland-Jørgensen, D. Täht and J. Morton, "Piece of CAKE: a comprehensive queue management solution for
//! home gateways", IEEE LANMAN 2018, sections III-A (shaper), III-B (flow isolation), III-C (traffic classes), III-D
//! (ACK filter); tc-cake(8); Linux 6.12, net/sched/sch_cake.c.
//! What it decides: the shaper spaces packets by their size plus `overhead` at `rate`. `diffserv` sorts packets into
//! tins by DSCP. With a shaper the last tin that is within its share of the rate is served, else the one that will be
//! first; without one, tins take turns by bytes. In a tin, DRR++ over new and old flows selects the next flow. A flow's
//! quantum is divided by the number of bulk flows of its source or its destination host, whichever is larger. COBALT
//! decides the drops of each flow. If more than `memory_limit` bytes wait, the longest flow of all tins drops its oldest
//! packet. With `ingress`, dropped packets too take time of the shaper, and COBALT lets each bulk flow hold two packets.
//! Departures: hosts are identified exactly, not by a hash. Quanta are whole bytes, without Linux's dither. The memory
//! limit counts packets' bytes; Linux counts those of its buffers.
//! Not implemented: ATM and PTM framing, washing of DSCPs, rate estimation (autorate), flow isolation by hosts alone.
//! Checked against: the C of Linux 6.12 on the same packets (tests/oracle/kernel_queues); an independent transcription,
//! packet by packet; the shaper's times and hosts' shares by hand (tests/spec/test_aqm.py).

mod ack_filter;
mod diffserv;
mod tin;

use self::ack_filter::AckFilter;
use self::diffserv::Mode;
use self::tin::{Sharing, Tin, Turn};
use super::Settings;
use crate::packet::PacketId;
use crate::params::{Params, own_params};
use crate::queue::{Discipline, Entry, QueueContext, QueueLimit};
use crate::time::Time;

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "cake",
    about: "a shaper, classes by DSCP, and a queue under COBALT for each flow, fair between hosts (Høiland-Jørgensen et al. 2018)",
    make: || Box::new(Cake::default()),
};

/// Size of a full packet, bytes.
const MTU: f64 = 1514.0;
/// Linux's limits of memory: at least the one with a rate, at most the other, bytes.
const MIN_MEMORY: f64 = 4_194_304.0;
const MAX_MEMORY: f64 = 10_240.0 * MTU;

#[derive(Params)]
struct Cake {
    /// Maximum queue length, bytes; 0 for Linux's: four times `interval` at `rate`, at least 4 MiB, at most 15.5 MB.
    #[param("bytes")]
    memory_limit: i32,
    /// The shaper's rate, bit/s; 0 for none.
    #[param("bit/s")]
    rate: f64,
    /// Bytes added to each packet's size for the rate.
    #[param("bytes")]
    overhead: i32,
    /// Minimum packet size for the rate, bytes.
    #[param("bytes")]
    mpu: i32,
    /// Tins by DSCP: 0 for `besteffort`, 1 for `precedence`, 3, 4 or 8 for `diffserv3`, `diffserv4`, `diffserv8`.
    #[param("")]
    diffserv: i32,
    /// Redundant ACKs are dropped: 0 for none, 1 for all but one of a connection, 2 for all.
    #[param("")]
    ack_filter: i32,
    /// Whether drops too use the shaper's rate, for a shaper behind the bottleneck.
    #[param("flag")]
    ingress: bool,
    /// Whether a source's flows share its part.
    #[param("flag")]
    by_source: bool,
    /// Whether a destination's flows share its part.
    #[param("flag")]
    by_destination: bool,
    /// Changes which flows share a set.
    #[param("")]
    perturbation: i32,
    #[param(flatten)]
    settings: Settings,
    mode: Mode,
    /// Each tin's share of the rate, and its quantum without a shaper, bytes.
    shares: Vec<(f64, i64)>,
    tins: Vec<Tin>,
    /// The tin that is served without a shaper.
    current: usize,
    next_send: Time,
    /// A packet is sent from here on even if those dropped have used the shaper's time: at two thirds of the rate.
    failsafe: Time,
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
            diffserv: 3,
            ack_filter: 0,
            ingress: false,
            by_source: true,
            by_destination: true,
            perturbation: 0,
            settings: Settings::default(),
            mode: Mode::Diffserv3,
            shares: Vec::new(),
            tins: Vec::new(),
            current: 0,
            next_send: Time::ZERO,
            failsafe: Time::ZERO,
            packets: 0,
            bytes: 0,
        }
    }
}

impl Cake {
    /// The share of the rate that a tin has, bit/s.
    fn rate_of(&self, tin: usize) -> f64 {
        self.rate * self.shares[tin].0
    }

    /// A tin's COBALT parameters, with target and interval increased on a slow link.
    fn stretched(&self, tin: usize) -> Settings {
        let rate = self.rate_of(tin);
        let packet_s = if rate > 0.0 { MTU * 8.0 / rate } else { 0.0 };
        let target = self.settings.target.max(1.5 * packet_s);
        let interval = (self.settings.interval + target - self.settings.target).max(2.0 * target);
        let bulk = if self.ingress { self.tins[tin].bulk_flows() as f64 } else { 0.0 };
        Settings { target, interval, least_wait: packet_s * (2.0 * bulk).max(4.0), ..self.settings }
    }

    fn sharing(&self, tin: usize) -> Sharing {
        let rate = self.rate_of(tin);
        Sharing {
            by_source: self.by_source,
            by_destination: self.by_destination,
            quantum: if rate > 0.0 { ((rate / 8.0 / 4096.0) as i64).clamp(300, 1514) } else { 1514 },
        }
    }

    /// Limit of all queues together, bytes.
    fn memory(&self) -> i64 {
        if self.memory_limit != 0 {
            return i64::from(self.memory_limit.max(0));
        }
        if self.rate <= 0.0 {
            return MAX_MEMORY as i64;
        }
        (4.0 * self.settings.interval * self.rate / 8.0).clamp(MIN_MEMORY, MAX_MEMORY) as i64
    }

    /// Size of a packet with overhead, bytes.
    fn length(&self, packet: PacketId, context: &QueueContext) -> i64 {
        i64::from((context.packets[packet].size + self.overhead).max(self.mpu))
    }

    /// The shaper's and the tin's rate are used for a packet.
    fn advance_shaper(&mut self, tin: usize, length: i64, now: Time, is_drop: bool) {
        if self.rate <= 0.0 {
            return;
        }
        let bits = length as f64 * 8.0;
        let own_s = bits / self.rate_of(tin);
        let own = &mut self.tins[tin].next_send;
        if *own < now {
            *own = *own + own_s;
        } else if *own < now + own_s {
            *own = now + own_s;
        }
        self.next_send = self.next_send + bits / self.rate;
        if !is_drop {
            self.failsafe = self.failsafe + 1.5 * bits / self.rate;
        }
    }

    /// The longest flow (in bytes) of all tins drops its oldest packet.
    fn drop_from_longest(&mut self, context: &mut QueueContext) {
        let longest = (0..self.tins.len()).filter_map(|tin| self.tins[tin].longest().map(|found| (tin, found)));
        let longest = longest.reduce(|best, other| if other.1.1 > best.1.1 { other } else { best });
        let Some((tin, (place, _))) = longest else { return };
        let settings = self.stretched(tin);
        let flow = &mut self.tins[tin].flows[place];
        flow.law.overflowed(context.now, &settings);
        if let Some((packet, _)) = flow.line.pop(context) {
            self.forget_dropped(tin, packet, context);
            context.dropped.push(packet);
        }
    }

    fn filter_acks(&mut self, tin: usize, place: usize, context: &mut QueueContext) {
        let filter = AckFilter::numbered(self.ack_filter);
        let line = &mut self.tins[tin].flows[place].line;
        let Some(index) = filter.redundant(line, context.packets) else { return };
        let Some(ack) = line.take(index, context.packets) else { return };
        self.forget_dropped(tin, ack, context);
        context.dropped_early.push(ack);
    }

    fn forget_dropped(&mut self, tin: usize, packet: PacketId, context: &QueueContext) {
        self.forget(tin, packet, context);
        if self.ingress {
            self.advance_shaper(tin, self.length(packet, context), context.now, true);
        }
    }

    /// A packet has left its queue.
    fn forget(&mut self, tin: usize, packet: PacketId, context: &QueueContext) {
        self.packets -= 1;
        self.tins[tin].packets -= 1;
        self.bytes -= i64::from(context.packets[packet].size);
    }

    /// The tin that is served next; `None` if none has a flow.
    fn choose_tin(&mut self, now: Time) -> Option<usize> {
        if self.rate > 0.0 {
            let mut best: Option<(usize, f64)> = None;
            for (place, tin) in self.tins.iter().enumerate().filter(|(_, tin)| tin.has_flows()) {
                let wait_s = tin.next_send - now;
                if wait_s <= 0.0 || best.is_none_or(|(_, least_s)| wait_s <= least_s) {
                    best = Some((place, wait_s));
                }
            }
            return best.map(|(place, _)| place);
        }
        if !self.tins.iter().any(Tin::has_flows) {
            return None;
        }
        while self.tins[self.current].deficit < 0 || !self.tins[self.current].has_flows() {
            if self.tins[self.current].deficit <= 0 {
                self.tins[self.current].deficit += self.shares[self.current].1;
            }
            self.current = (self.current + 1) % self.tins.len();
        }
        Some(self.current)
    }

    /// Removes a flow's next packet, after any that COBALT drops. With `ingress` a drop ends the turn.
    fn take(&mut self, tin: usize, place: usize, context: &mut QueueContext) -> Option<PacketId> {
        let settings = self.stretched(tin);
        loop {
            let flow = &mut self.tins[tin].flows[place];
            let (packet, waited_s) = flow.line.pop(context)?;
            let drops = flow.law.drops(packet, waited_s, &settings, context) && !flow.line.is_empty();
            self.forget(tin, packet, context);
            if !drops || self.ingress {
                let length = self.length(packet, context);
                self.advance_shaper(tin, length, context.now, drops);
                self.tins[tin].flows[place].deficit -= length;
                self.tins[tin].deficit -= length;
            }
            if !drops {
                return Some(packet);
            }
            context.dropped_early.push(packet);
            if self.ingress {
                return None;
            }
        }
    }
}

impl Discipline for Cake {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        if self.tins.is_empty() {
            self.mode = Mode::numbered(self.diffserv);
            self.shares = self.mode.tins();
            self.tins.resize_with(self.shares.len(), Tin::default);
        }
        let tin = self.mode.tin(context.packets[packet].dscp);
        // Rates that nobody used are lost.
        if self.tins[tin].packets == 0 && self.tins[tin].next_send < context.now {
            self.tins[tin].next_send = context.now;
        }
        if self.packets == 0 && self.next_send < context.now {
            (self.next_send, self.failsafe) = (context.now, context.now);
        }
        let sharing = self.sharing(tin);
        let place = self.tins[tin].push(packet, self.perturbation, sharing, context);
        self.packets += 1;
        self.bytes += i64::from(context.packets[packet].size);
        if self.ack_filter != 0 {
            self.filter_acks(tin, place, context);
        }
        while self.bytes > self.memory() {
            self.drop_from_longest(context);
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        let now = context.now;
        // One decaying flow is checked first in each call, because decay must not wait for an idle link.
        let mut check_decay = true;
        while self.packets > 0 {
            let ready = self.next_send.min(self.failsafe);
            if self.rate > 0.0 && now < ready {
                context.wake_in_s = Some(ready - now);
                return None;
            }
            let tin = self.choose_tin(now)?;
            loop {
                let (sharing, settings) = (self.sharing(tin), self.stretched(tin));
                let turn = self.tins[tin].turn(std::mem::take(&mut check_decay), sharing, now, &settings);
                match turn {
                    Turn::Flow(place) => {
                        if let Some(packet) = self.take(tin, place, context) {
                            return Some(packet);
                        }
                    }
                    Turn::Over => {}
                    Turn::Left => break,
                    Turn::Empty => return None,
                }
            }
        }
        None
    }

    fn limit(&self) -> QueueLimit {
        QueueLimit::Bytes(self.memory())
    }

    fn len_packets(&self) -> usize {
        self.packets
    }

    fn len_bytes(&self) -> i64 {
        self.bytes
    }

    own_params!();

    fn reset(&mut self, context: &mut QueueContext) {
        for tin in &mut self.tins {
            tin.reset(context);
        }
        self.tins.clear();
        self.current = 0;
        (self.packets, self.bytes) = (0, 0);
        (self.next_send, self.failsafe) = (context.now, context.now);
    }
}
