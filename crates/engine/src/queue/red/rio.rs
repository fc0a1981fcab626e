//! RIO (RED with In and Out): two kinds of packets in one queue, each with its own average, thresholds and drop
//! probability.
//!
//! Source: D. Clark and W. Fang, "Explicit allocation of best-effort packet delivery service", IEEE/ACM Transactions on
//! Networking 6(4), 1998, as ns-2.35's `Queue/RED/RIO` computes it.
//! What it decides: packets with priority are *in* and use the average of in packets only. All others are *out* and use
//! RED's average of all packets. Only in packets update the averages, as in ns-2.
//! Departures: with two equal thresholds the drop probability is 1; ns-2 stops with an arithmetic error.
//! Not implemented: none.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use super::settings::{Settings, Slopes, spread};
use super::{Red, Verdict};
use crate::measure::observe::TraceId;
use crate::packet::{PacketId, flag};
use crate::params::{Parameter, Params, Value};
use crate::queue::{Discipline, Entry, QueueContext, QueueLimit};
use crate::time::{Time, cut};

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "rio",
    about: "random early detection with in and out packets, each with thresholds of their own (Clark and Fang 1998)",
    make: || Box::new(Rio::default()),
};

/// The RED state of in packets or of out packets.
#[derive(Default, Params)]
struct Kind {
    /// the average below which none is dropped.
    #[param("packets")]
    thresh: f64,
    /// the average at which the probability is the maximum.
    #[param("packets")]
    maxthresh: f64,
    /// whether the probability rises to 1 beyond `maxthresh`.
    #[param("flag")]
    gentle: bool,
    #[param(state, name = "ave")]
    average: f64,
    #[param(state, name = "prob1")]
    probability: f64,
    slopes: Slopes,
    /// Packets and bytes since the last early drop.
    packets_since: i32,
    bytes_since: i32,
    /// Whether at the last arrival the average was above the threshold and the queue nonempty.
    was_above: bool,
}

impl Kind {
    fn reset(&mut self, unit: f64, gentle: bool, max_p: f64) {
        self.thresh *= unit;
        self.maxthresh *= unit;
        self.gentle |= gentle;
        self.slopes.fit_line(self.thresh, self.maxthresh - self.thresh);
        if self.gentle {
            self.slopes.fit_gentle(self.maxthresh, max_p);
        }
        self.average = 0.0;
        self.packets_since = 0;
        self.bytes_since = 0;
        self.was_above = false;
    }

    /// Decides about an arriving packet, given its average and whether packets wait.
    fn judge(
        &mut self,
        packet: PacketId,
        average: f64,
        is_occupied: bool,
        red: &Red,
        max_p: f64,
        context: &mut QueueContext,
    ) -> Verdict {
        let size = context.packets[packet].size;
        self.packets_since += 1;
        self.bytes_since = self.bytes_since.wrapping_add(size);
        let is_above = average >= self.thresh && is_occupied;
        let was_above = std::mem::replace(&mut self.was_above, is_above);
        if !is_above {
            return Verdict::Keep;
        }
        let ceiling = self.maxthresh * if self.gentle { 2.0 } else { 1.0 };
        if average >= ceiling {
            self.was_above = was_above;
            return Verdict::DropForced;
        }
        if !was_above {
            self.packets_since = 1;
            self.bytes_since = size;
            return Verdict::Keep;
        }
        self.probability = self.slopes.probability(self.maxthresh, self.gentle, average, max_p);
        let probability = spread(&red.settings, self.probability, self.packets_since, self.bytes_since, size);
        let is_picked = context.rng.unit() <= probability;
        if !is_picked {
            return Verdict::Keep;
        }
        self.packets_since = 0;
        self.bytes_since = 0;
        let packet = &mut context.packets[packet];
        if red.settings.setbit && average < self.maxthresh && packet.mark() {
            return Verdict::Keep;
        }
        Verdict::DropEarly
    }
}

#[derive(Params)]
struct Rio {
    /// The queue, and the average of all packets.
    red: Red,
    /// In packets:
    #[param(flatten, prefix = "in_")]
    inside: Kind,
    /// Out packets:
    #[param(flatten, prefix = "out_")]
    outside: Kind,
    /// In packets: one over the maximum probability. Out packets have RED's.
    #[param("")]
    in_linterm: f64,
    /// 1: a packet is in if its flow id is not a multiple of 256; 0: if its header says so.
    #[param("")]
    priority_method: i32,
    in_packets: i32,
    in_bytes: i32,
    /// Whether no in packet has left since the queue was last found empty.
    in_is_idle: bool,
    found_empty_at: Time,
}

impl Default for Rio {
    fn default() -> Rio {
        // RIO's defaults in ns-2 differ from RED's.
        let settings = Settings {
            bytes: false,
            queue_in_bytes: false,
            thresh: 5.0,
            maxthresh: 15.0,
            q_weight: 0.002,
            gentle: false,
            ..Settings::default()
        };
        Rio {
            red: Red { settings, ..Red::default() },
            inside: Kind { thresh: 15.0, maxthresh: 30.0, ..Kind::default() },
            outside: Kind { thresh: 5.0, maxthresh: 15.0, ..Kind::default() },
            in_linterm: 50.0,
            priority_method: 0,
            in_packets: 0,
            in_bytes: 0,
            in_is_idle: true,
            found_empty_at: Time::ZERO,
        }
    }
}

impl Rio {
    fn count_in(&mut self, packet: PacketId, by: i32, context: &QueueContext) {
        let packet = &context.packets[packet];
        if packet.has(flag::PRIORITY) {
            self.in_packets += by;
            self.in_bytes = self.in_bytes.wrapping_add(by * packet.size);
        }
    }

    fn in_length(&self) -> i32 {
        if self.red.settings.queue_in_bytes { self.in_bytes } else { self.in_packets }
    }

    fn update_averages(&mut self, context: &mut QueueContext) {
        let now = context.now;
        let mut in_missed = 0;
        if std::mem::replace(&mut self.in_is_idle, false) {
            in_missed = cut(self.red.packets_per_s * (now - self.found_empty_at));
        }
        let missed = match self.red.idle_since.take() {
            Some(since) => cut(self.red.packets_per_s * (now - since)),
            None => 0,
        };
        let average = self.red.next_average(self.red.average.value, missed, self.red.length());
        self.red.adapt(average, context);
        self.red.average.set(average, "ave", context);
        let in_average = self.red.next_average(self.inside.average, in_missed, self.in_length());
        self.red.adapt(in_average, context);
        self.inside.average = in_average;
    }

    fn store(&mut self, packet: PacketId, context: &mut QueueContext) {
        self.red.fifo.push(packet, context.packets);
        self.count_in(packet, 1, context);
    }
}

impl Discipline for Rio {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        if self.priority_method == 1 {
            let packet = &mut context.packets[packet];
            packet.flags &= !flag::PRIORITY;
            if packet.fid as u8 != 0 {
                packet.flags |= flag::PRIORITY;
            }
        }
        let is_in = context.packets[packet].has(flag::PRIORITY);
        if is_in {
            self.update_averages(context);
        }
        let length = self.red.length();
        self.red.length_seen.set(length, "curq", context);
        let mut verdict = if is_in {
            let (average, is_occupied) = (self.inside.average, self.in_length() > 1);
            self.inside.judge(packet, average, is_occupied, &self.red, 1.0 / self.in_linterm, context)
        } else {
            let max_p = 1.0 / self.red.settings.linterm;
            self.outside.judge(packet, self.red.average.value, length > 1, &self.red, max_p, context)
        };
        if length >= self.red.settings.limit() {
            verdict = Verdict::DropForced;
        }
        match verdict {
            Verdict::Keep => self.store(packet, context),
            Verdict::DropEarly => context.dropped_early.push(packet),
            Verdict::DropForced => {
                self.store(packet, context);
                let victim = self.red.victim(context);
                if let Some(dropped) = self.red.fifo.take(victim, context.packets) {
                    self.count_in(dropped, -1, context);
                    context.dropped.push(dropped);
                }
                if is_in && !self.red.settings.ns1_compat {
                    self.inside.packets_since = 0;
                    self.inside.bytes_since = 0;
                }
            }
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        let next = self.red.dequeue(context);
        match next {
            Some(packet) => {
                self.in_is_idle &= !context.packets[packet].has(flag::PRIORITY);
                self.count_in(packet, -1, context);
            }
            None => {
                self.in_is_idle = true;
                self.found_empty_at = context.now;
            }
        }
        next
    }

    fn found_empty(&mut self, at: Time) {
        self.red.found_empty(at);
        self.in_is_idle = true;
        self.found_empty_at = at;
    }

    fn limit(&self) -> QueueLimit {
        self.red.limit()
    }

    fn len_packets(&self) -> usize {
        self.red.len_packets()
    }

    fn len_bytes(&self) -> i64 {
        self.red.len_bytes()
    }

    fn describe(&self, out: &mut Vec<Parameter>) {
        self.red.describe(out);
        for red in out.iter_mut().filter(|red| matches!(&*red.name, "thresh" | "maxthresh")) {
            red.about = format!("As for RED; but only `in_{0}` and `out_{0}` are used.", red.name).into();
        }
        self.describe_own(out);
    }

    fn param(&self, name: &str) -> Option<Value> {
        self.own_param(name).or_else(|| self.red.param(name))
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        self.set_own_param(name, value) || self.red.set_param(name, value)
    }

    fn watch(&mut self, name: &str, place: TraceId) -> bool {
        name != "cur_max_p" && self.red.watch(name, place)
    }

    /// Each reset multiplies the thresholds of both kinds by the packet size again (in bytes mode), as in ns-2.
    fn reset(&mut self, context: &mut QueueContext) {
        let settings = &self.red.settings;
        let unit = if settings.queue_in_bytes { f64::from(settings.mean_pktsize) } else { 1.0 };
        self.inside.reset(unit, settings.gentle, 1.0 / self.in_linterm);
        self.outside.reset(unit, settings.gentle, 1.0 / settings.linterm);
        while let Some(packet) = self.dequeue(context) {
            context.dropped.push(packet);
        }
        self.red.reset(context);
    }

    fn command(&mut self, name: &str, context: &mut QueueContext) -> Result<String, String> {
        self.red.command(name, context)
    }
}

#[cfg(test)]
mod tests {
    use super::Kind;

    #[test]
    fn a_reset_scales_thresholds_and_fits_the_line() {
        let mut kind = Kind { thresh: 5.0, maxthresh: 15.0, ..Kind::default() };
        kind.reset(500.0, true, 0.1);
        assert_eq!((kind.thresh, kind.maxthresh), (2500.0, 7500.0));
        assert!((kind.slopes.probability(7500.0, true, 5000.0, 0.1) - 0.05).abs() < 1e-12);
        assert!((kind.slopes.probability(7500.0, true, 15_000.0, 0.1) - 1.0).abs() < 1e-12);
    }
}
