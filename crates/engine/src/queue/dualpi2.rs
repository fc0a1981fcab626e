//! DualPI2: one queue for scalable (L4S) senders, one for classic senders, and one PI controller that couples both.
//!
//! Source: RFC 9332, section 2.5 and appendix A.1 (figures 2 to 6), A.2 for overload. The RFC leaves the scheduler
//! open; this one is the weighted round robin of Linux's `dualpi2` (tc-dualpi2(8)). With `as_linux` Linux,
//! net/sched/sch_dualpi2.c, which is in the kernel since 6.17.
//! What it decides: ECT(1) and CE packets enter the low-latency queue, all others the classic queue. Every `tupdate` a
//! base probability p changes by `alpha` * (delay - `target`) + `beta` * (change of delay). The delay is that of the
//! queue with the longer delay. Classic packets are dropped or marked with p^2. Low-latency packets are marked with the
//! larger of k p and a ramp over their own delay. Drops and marks are spread evenly, not drawn. When k p reaches 1,
//! low-latency packets too are dropped with p^2. From p^2 = 1/k^2 on, classic packets are dropped even if they are
//! ECN-capable.
//! With `as_linux` drops and marks are drawn, a square as two draws. None comes while less than two full packets wait.
//! The ramp is a step: low-latency packets that waited longer than `step_min` are marked. Low-latency packets have a
//! start in the round robin.
//! Departures: `limit` is in packets; the RFC's is in bytes. The ramp uses the delay of the departing packet. With
//! `as_linux` probabilities are floating-point numbers, and `step_packets` is checked when a packet leaves.
//! Not implemented: the Curvy RED of appendix B; of Linux's, `drop_early`, `overflow`, a step in packets and
//! `memory_limit`.
//! Checked against: an independent transcription, packet by packet; the coupling by hand (tests/spec/test_aqm.py); with
//! `as_linux` numbers by hand below, and what Linux's functions do with the same packets (tests/oracle/kernel_queues).

use super::{Discipline, Entry, QueueContext, QueueLimit, TimedFifo};
use crate::packet::{Packet, PacketId, flag};
use crate::params::{Params, own_params};

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "dualpi2",
    about: "dual-queue coupled AQM: low latency for scalable senders beside classic ones (RFC 9332)",
    make: || Box::new(DualPi2::default()),
};

/// A full packet of Ethernet, bytes.
const MTU: i64 = 1514;

/// One of the two queues.
#[derive(Default)]
struct Side {
    line: TimedFifo,
    /// Sum of the likelihoods since the last drop or mark.
    count: f64,
}

impl Side {
    /// Deterministic selection: returns true for the fraction `likelihood` of the calls, evenly spread (`recur` of the
    /// RFC).
    fn recurs(&mut self, likelihood: f64) -> bool {
        self.count += likelihood;
        let is_due = self.count > 1.0;
        if is_due {
            self.count -= 1.0;
        }
        is_due
    }
}

#[derive(Params)]
struct DualPi2 {
    /// Maximum length of both queues together, packets.
    #[param("packets")]
    limit: i32,
    /// Target queueing delay, s.
    #[param("s")]
    target: f64,
    /// Time between updates, s.
    #[param("s")]
    tupdate: f64,
    /// Weight of the distance from the target, 1/s.
    #[param("")]
    alpha: f64,
    /// Weight of the change since the last update, 1/s.
    #[param("")]
    beta: f64,
    /// What the base probability is multiplied by for low-latency packets.
    #[param("")]
    coupling: f64,
    /// Delay of the low-latency queue above which it marks, s.
    #[param("s")]
    step_min: f64,
    /// Additional delay at which it marks every packet, s.
    #[param("s")]
    step_range: f64,
    /// With fewer packets than this behind it, none is marked for its delay.
    #[param("packets")]
    step_packets: i32,
    /// Minimum share of the rate for classic packets.
    #[param("")]
    classic_share: f64,
    /// Whether drops, marks and the start of the round robin are as in Linux.
    #[param("flag")]
    as_linux: bool,
    low: Side,
    classic: Side,
    /// The base probability p.
    base: f64,
    delay_before_s: f64,
    /// Scheduler credit, bytes; positive while the classic queue is served.
    credit: f64,
}

impl Default for DualPi2 {
    fn default() -> DualPi2 {
        DualPi2 {
            limit: 10_000,
            target: 0.015,
            tupdate: 0.015,
            alpha: 0.15,
            beta: 3.0,
            coupling: 2.0,
            step_min: 0.0008,
            step_range: 0.0004,
            step_packets: 1,
            classic_share: 0.1,
            as_linux: false,
            low: Side::default(),
            classic: Side::default(),
            base: 0.0,
            delay_before_s: 0.0,
            credit: 0.0,
        }
    }
}

fn is_low_latency(packet: &Packet) -> bool {
    packet.has(flag::ECT_1) || packet.has(flag::ECN_CAPABLE | flag::MARKED)
}

impl DualPi2 {
    /// Whether the low-latency queue is served next.
    fn is_lows_turn(&self) -> bool {
        !self.low.line.is_empty() && (self.classic.line.is_empty() || self.credit <= 0.0)
    }

    /// The marking probability of the low-latency queue's own ramp.
    fn ramp(&self, waited_s: f64) -> f64 {
        if (self.low.line.len() as i64) < i64::from(self.step_packets) {
            return 0.0;
        }
        if waited_s >= self.step_min + self.step_range {
            1.0
        } else {
            ((waited_s - self.step_min) / self.step_range).max(0.0)
        }
    }

    /// Marks or drops a low-latency packet; returns whether it is dropped.
    fn drops_low(&mut self, packet: &mut Packet, waited_s: f64) -> bool {
        let coupled = self.coupling * self.base;
        if coupled < 1.0 {
            let likelihood = self.ramp(waited_s).max(coupled);
            if self.low.recurs(likelihood) {
                packet.mark();
            }
            return false;
        }
        if self.low.recurs(self.base * self.base) {
            return true;
        }
        if self.low.recurs(coupled.min(1.0)) {
            packet.mark();
        }
        false
    }

    /// Marks or drops a classic packet; returns whether it is dropped.
    fn drops_classic(&mut self, packet: &mut Packet) -> bool {
        let likelihood = self.base * self.base;
        let is_overload = likelihood >= (1.0 / (self.coupling * self.coupling)).min(1.0);
        self.classic.recurs(likelihood) && (is_overload || !packet.mark())
    }

    /// Linux: marks or drops a packet that has left; returns whether it is dropped.
    fn drops_as_linux(&self, packet: PacketId, is_low: bool, waited_s: f64, context: &mut QueueContext) -> bool {
        let coupled = self.coupling * self.base;
        let is_overload = coupled > 1.0;
        let mut roll = |probability: f64| context.rng.unit() <= probability;
        let mut marks = false;
        if self.len_bytes() >= 2 * MTU {
            marks = if is_low && !is_overload { roll(coupled) } else { roll(self.base) && roll(self.base) };
            if marks && is_overload {
                return true;
            }
            marks |= is_low && is_overload;
        }
        let steps = is_low && self.low.line.len() as i64 >= i64::from(self.step_packets);
        marks |= steps && waited_s > self.step_min;
        marks && !context.packets[packet].mark()
    }

    /// The credit of a round robin that starts, bytes.
    fn initial_credit(&self) -> f64 {
        if self.as_linux { MTU as f64 * (2.0 * self.classic_share - 1.0) } else { 0.0 }
    }
}

impl Discipline for DualPi2 {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        if self.len_packets() as i64 >= i64::from(self.limit) {
            context.dropped.push(packet);
        } else if is_low_latency(&context.packets[packet]) {
            self.low.line.push(packet, context);
        } else {
            self.classic.line.push(packet, context);
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        loop {
            let is_low = self.is_lows_turn();
            let (side, other) = if is_low { (&mut self.low, &self.classic) } else { (&mut self.classic, &self.low) };
            let has_rival = !other.line.is_empty();
            let Some((packet, waited_s)) = side.line.pop(context) else {
                self.credit = self.initial_credit();
                return None;
            };
            let fields = &mut context.packets[packet];
            let drops = match is_low {
                _ if self.as_linux => self.drops_as_linux(packet, is_low, waited_s, context),
                true => self.drops_low(fields, waited_s),
                false => self.drops_classic(fields),
            };
            if drops {
                context.dropped_early.push(packet);
                continue;
            }
            if has_rival {
                let weight = if is_low { self.classic_share } else { self.classic_share - 1.0 };
                self.credit += weight * f64::from(context.packets[packet].size);
            }
            return Some(packet);
        }
    }

    fn found_empty(&mut self, _: crate::time::Time) {
        self.credit = self.initial_credit();
    }

    fn timer(&mut self, context: &mut QueueContext) {
        let delay_s = self.low.line.oldest_waits_s(context.now).max(self.classic.line.oldest_waits_s(context.now));
        self.base += self.alpha * (delay_s - self.target) + self.beta * (delay_s - self.delay_before_s);
        self.base = self.base.clamp(0.0, 1.0);
        self.delay_before_s = delay_s;
        context.wake_after(self.tupdate);
    }

    fn limit(&self) -> QueueLimit {
        QueueLimit::Packets(i64::from(self.limit))
    }

    fn len_packets(&self) -> usize {
        self.low.line.len() + self.classic.line.len()
    }

    fn len_bytes(&self) -> i64 {
        self.low.line.bytes() + self.classic.line.bytes()
    }

    own_params!();

    fn reset(&mut self, context: &mut QueueContext) {
        for side in [&mut self.low, &mut self.classic] {
            while let Some((packet, _)) = side.line.pop(context) {
                context.dropped.push(packet);
            }
            side.count = 0.0;
        }
        (self.base, self.delay_before_s, self.credit) = (0.0, 0.0, self.initial_credit());
        context.wake_after(self.tupdate);
    }
}

#[cfg(test)]
mod tests {
    use super::{DualPi2, Side};
    use crate::measure::observe::Nobody;
    use crate::packet::{Packet, PacketPool, flag};
    use crate::queue::{Discipline, QueueContext};
    use crate::random::rng::{Source, Streams};
    use crate::time::Time;

    // Of 1000 packets of likelihood 0.07, 70 are marked, one in 14 or 15.
    #[test]
    fn marks_recur_evenly() {
        let mut side = Side::default();
        let marked: Vec<usize> = (0..1000).filter(|_| side.recurs(0.07)).collect();
        assert!((69..=70).contains(&marked.len()));
        assert!(marked.windows(2).all(|pair| (14..=15).contains(&(pair[1] - pair[0]))));
    }

    // RFC 9332's defaults: 0 up to 800 us, half at 1 ms, all from 1.2 ms on.
    #[test]
    fn the_ramp() {
        let queue = DualPi2 { step_packets: 0, ..DualPi2::default() };
        for (waited_s, likelihood) in [(0.0, 0.0), (0.0008, 0.0), (0.001, 0.5), (0.0012, 1.0), (0.1, 1.0)] {
            assert!((queue.ramp(waited_s) - likelihood).abs() < 1e-12, "{waited_s}");
        }
    }

    // RFC 9332, equation (1): p_C = (p_CL / k)^2. With a base probability of 0.1 and k = 2, of 10,000 packets each 2000 are
    // marked and 100 are dropped; with 0.6, where k p is more than 1, 3600 of the classic ones are dropped.
    #[test]
    fn both_queues_are_coupled() {
        let of_10_000 = |base: f64| {
            let (mut queue, mut counts) = (DualPi2 { base, ..DualPi2::default() }, [0; 3]);
            for _ in 0..10_000 {
                let mut low = Packet { flags: flag::ECN_CAPABLE | flag::ECT_1, ..Packet::default() };
                let drops_low = queue.drops_low(&mut low, 0.0);
                counts[0] += i32::from(low.has(flag::MARKED));
                counts[1] += i32::from(drops_low);
                counts[2] += i32::from(queue.drops_classic(&mut Packet::default()));
            }
            counts
        };
        let near = |found: [i32; 3], due: [i32; 3]| found.iter().zip(due).all(|(one, other)| (one - other).abs() <= 2);
        assert!(near(of_10_000(0.1), [2000, 0, 100]), "{:?}", of_10_000(0.1));
        assert!(of_10_000(0.6)[2] == 3600 || of_10_000(0.6)[2] == 3599);
    }

    // From p^2 = 1/k^2 = 0.25 on, classic packets are dropped instead of marked.
    #[test]
    fn overload_ends_marks() {
        for (base, dropped) in [(0.49, false), (0.51, true)] {
            let mut queue = DualPi2 { base, ..DualPi2::default() };
            let drops = (0..1000).any(|_| {
                let mut packet = Packet { flags: flag::ECN_CAPABLE, ..Packet::default() };
                queue.drops_classic(&mut packet)
            });
            assert_eq!(drops, dropped);
        }
    }

    /// What `act` returns with the surroundings of a queue on a link of 1 Mb/s, at time 0.
    fn with_context<R>(act: impl FnOnce(&mut QueueContext) -> R) -> R {
        let (mut packets, mut rng, mut error) = (PacketPool::default(), Streams::default(), None);
        let (mut dropped, mut dropped_early) = (Vec::new(), Vec::new());
        act(&mut QueueContext {
            now: Time::ZERO,
            packets: &mut packets,
            rng: rng.of(Source::Queue(0)),
            rate_bps: 1e6,
            delay_s: 0.0,
            dropped: &mut dropped,
            dropped_early: &mut dropped_early,
            wake_in_s: None,
            error: &mut error,
            observer: &mut Nobody,
        })
    }

    /// A queue as Linux has it, with these numbers of packets of 1000 bytes, and all that it gives at `at_s`: for each
    /// packet whether it is of the low-latency queue and whether it is marked.
    fn all_as_linux(low: usize, classic: usize, at_s: f64) -> Vec<(bool, bool)> {
        let mut queue = DualPi2 { as_linux: true, step_min: 0.001, step_packets: 0, ..DualPi2::default() };
        with_context(|context| {
            queue.reset(context);
            for place in 0..low + classic {
                let ect_1 = if place < low { flag::ECT_1 } else { 0 };
                let packet = Packet { size: 1000, flags: flag::ECN_CAPABLE | ect_1, ..Packet::default() };
                let packet = context.packets.make(packet);
                queue.enqueue(packet, context);
            }
            context.now = Time(at_s);
            let mut given = Vec::new();
            while let Some(packet) = queue.dequeue(context) {
                let packet = &context.packets[packet];
                given.push((packet.has(flag::ECT_1), packet.has(flag::MARKED)));
            }
            given
        })
    }

    // sch_dualpi2.c starts with a credit of 1514 bytes times (10 % - 90 %) = -1211.2. Each low-latency packet of 1000 bytes
    // adds 100, each classic one takes 900: 13 are sent until it is 88.8; then a classic one makes it -811.2, and 9 follow.
    #[test]
    fn linux_starts_with_the_low_latency_queue() {
        let given = all_as_linux(40, 40, 0.0);
        let classic: Vec<usize> = (0..40).filter(|&place| !given[place].0).collect();
        assert_eq!(classic, [13, 23, 33]);
    }

    // The step is at more than 1 ms, and counts below two full packets too.
    #[test]
    fn linux_marks_by_a_step() {
        assert!(all_as_linux(3, 0, 0.001).iter().all(|&(_, is_marked)| !is_marked));
        assert!(all_as_linux(3, 3, 0.001_1).iter().all(|&(is_low, is_marked)| is_marked == is_low));
    }

    // With p = 1 (k p = 2: overload) every packet is dropped as long as two full packets, 3028 bytes, remain behind it: of
    // ten packets of 1000 bytes the first six; three remain behind the seventh.
    #[test]
    fn linux_drops_nothing_below_two_full_packets() {
        for is_low in [true, false] {
            let mut queue = DualPi2 { as_linux: true, base: 1.0, ..DualPi2::default() };
            with_context(|context| {
                for _ in 0..10 {
                    let flags = flag::ECN_CAPABLE | if is_low { flag::ECT_1 } else { 0 };
                    let packet = context.packets.make(Packet { size: 1000, flags, ..Packet::default() });
                    queue.enqueue(packet, context);
                }
                assert!(queue.dequeue(context).is_some());
                assert_eq!((context.dropped_early.len(), queue.len_packets()), (6, 3), "{is_low}");
            });
        }
    }
}
