//! Random Early Detection (RED), with its adaptive variants and ECN marking.
//!
//! Source: S. Floyd and V. Jacobson, "Random early detection gateways for congestion avoidance", 1993, as ns-2.35's
//! `Queue/RED` computes it; adaptive maximum probability after Floyd, Gummadi and Shenker (2001), or after Feng,
//! Kandlur, Saha and Shin (1999).
//! What it decides: each arrival updates an average of the queue length. The average determines the probability with
//! which the arriving packet is dropped or marked. A full queue drops a packet whatever the average.
//! Departures: none.
//! Not implemented: none.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

pub mod pd;
pub mod rio;
pub mod settings;

use super::{Discipline, Entry, Fifo, QueueContext, QueueLimit, TrueAverage, Watched, lengths_of, watches};
use crate::math::Math;
use crate::packet::PacketId;
use crate::params::{Params, own_params};
use crate::time::{Time, cut};
use settings::{Settings, Slopes, spread};

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "red",
    about: "random early detection: drops or marks with a probability that grows with the average length (Floyd and Jacobson 1993)",
    make: || Box::new(Red::default()),
};

/// Position of the last average relative to the thresholds, for Feng's adaptation.
#[derive(Default, PartialEq)]
enum Side {
    #[default]
    Above,
    Below,
    Between,
}

enum Verdict {
    Keep,
    DropEarly,
    DropForced,
}

/// A RED queue.
#[derive(Params)]
struct Red {
    fifo: Fifo,
    #[param(flatten)]
    settings: Settings,
    slopes: Slopes,
    packets_per_s: f64,
    #[param(state, name = "ave", field = value)]
    average: Watched<f64>,
    #[param(state, name = "prob1", field = value)]
    probability: Watched<f64>,
    #[param(state, name = "cur_max_p", field = value)]
    max_p: Watched<f64>,
    #[param(state, name = "curq", field = value)]
    length_seen: Watched<i32>,
    /// Packets and bytes since the last drop.
    packets_since: i32,
    bytes_since: i32,
    /// Whether at the last arrival the average was above the threshold and the queue nonempty.
    was_above: bool,
    idle_since: Option<Time>,
    adapted_at_s: f64,
    side: Side,
    true_average: TrueAverage,
}

impl Default for Red {
    fn default() -> Red {
        Red {
            fifo: Fifo::default(),
            settings: Settings::default(),
            slopes: Slopes::default(),
            packets_per_s: 0.0,
            average: Watched::default(),
            probability: Watched::default(),
            max_p: Watched::default(),
            length_seen: Watched::default(),
            packets_since: 0,
            bytes_since: 0,
            was_above: false,
            idle_since: Some(Time::ZERO),
            adapted_at_s: 0.0,
            side: Side::default(),
            true_average: TrueAverage::default(),
        }
    }
}

impl Red {
    fn length(&self) -> i32 {
        if self.settings.queue_in_bytes { self.fifo.bytes() as i32 } else { self.fifo.len() as i32 }
    }

    fn note_length(&mut self, now: Time) {
        if self.settings.summarystats {
            self.true_average.update(now, f64::from(self.length()));
        }
    }

    fn learn_rate(&mut self, context: &QueueContext) {
        self.packets_per_s = context.rate_bps / (8.0 * f64::from(self.settings.mean_pktsize));
    }

    /// The number of packets that the link could have sent during the idle time.
    fn packets_missed(&mut self, now: Time) -> i32 {
        let Some(since) = self.idle_since.take() else { return 0 };
        let mut rate = self.packets_per_s;
        if self.settings.cautious == 3 {
            rate = rate * f64::from(self.settings.mean_pktsize) / f64::from(self.settings.idle_pktsize);
        }
        cut(rate * (now - since))
    }

    /// `average` after `missed` samples of an empty queue and one of `length`.
    fn next_average(&self, mut average: f64, missed: i32, length: i32) -> f64 {
        let keep = 1.0 - self.settings.q_weight;
        for _ in 0..missed {
            let next = average * keep;
            if next == average {
                break;
            }
            average = next;
        }
        average * keep + self.settings.q_weight * f64::from(length)
    }

    fn adapt(&mut self, average: f64, context: &mut QueueContext) {
        if self.settings.adaptive != 1 {
            return;
        }
        if self.settings.feng_adaptive == 1 {
            self.adapt_as_feng(average, context);
        } else if context.now.secs() > self.adapted_at_s + self.settings.interval {
            self.adapt_to_target(average, context);
        }
    }

    fn adapt_as_feng(&mut self, average: f64, context: &mut QueueContext) {
        let (low, high) = (self.settings.thresh_queue, self.settings.maxthresh_queue);
        if low < average && average < high {
            self.side = Side::Between;
        }
        if average < low && self.side != Side::Below {
            self.side = Side::Below;
            self.max_p.set(self.max_p.value / self.settings.alpha, "cur_max_p", context);
        }
        if average > high && self.side != Side::Above {
            self.side = Side::Above;
            self.max_p.set(self.max_p.value * self.settings.beta, "cur_max_p", context);
        }
    }

    /// Adaptive RED: moves the maximum probability so that the average approaches the middle between the thresholds.
    fn adapt_to_target(&mut self, average: f64, context: &mut QueueContext) {
        let Settings { thresh_queue: low, maxthresh_queue: high, top, bottom, alpha, beta, .. } = self.settings;
        let max_p = self.max_p.value;
        let margin = 0.4 * (high - low);
        let next = if average < low + margin && max_p > bottom {
            max_p * beta
        } else if average > high - margin && top > max_p {
            let most = 0.25 * max_p;
            max_p + if alpha > most { most } else { alpha }
        } else {
            return;
        };
        self.max_p.set(next, "cur_max_p", context);
        self.adapted_at_s = context.now.secs();
    }

    /// The length below which `cautious` treats the queue as nearly empty: the average after 50 ms of idle time.
    fn recent_share(&self) -> f64 {
        (1.0 - self.settings.q_weight).power(self.packets_per_s * 0.05) * self.average.value
    }

    /// Whether this packet is randomly dropped; a packet that is marked instead is kept.
    fn drops_early(&mut self, packet: PacketId, context: &mut QueueContext) -> bool {
        let Settings { maxthresh_queue: high, gentle, .. } = self.settings;
        let probability = self.slopes.probability(high, gentle, self.average.value, self.max_p.value);
        self.probability.set(probability, "prob1", context);
        let size = context.packets[packet].size;
        let spread = spread(&self.settings, probability, self.packets_since, self.bytes_since, size);
        let length = f64::from(self.length());
        if self.settings.cautious == 1 && length < self.recent_share() {
            return false;
        }
        let mut draw = context.rng.unit();
        if self.settings.cautious == 2 {
            let ratio = length / self.recent_share();
            if ratio < 1.0 {
                draw *= 1.0 / ratio;
            }
        }
        if draw > spread {
            return false;
        }
        self.packets_since = 0;
        self.bytes_since = 0;
        let packet = &mut context.packets[packet];
        let marks = self.settings.setbit && (!self.settings.use_mark_p || probability < self.settings.mark_p);
        !(marks && packet.mark())
    }

    fn judge(&mut self, packet: PacketId, length: i32, context: &mut QueueContext) -> Verdict {
        let average = self.average.value;
        let settings = &self.settings;
        let most = settings.limit();
        let mut verdict = Verdict::Keep;
        if average >= settings.thresh_queue && length > 1 {
            let ceiling = settings.maxthresh_queue * if settings.gentle { 2.0 } else { 1.0 };
            if !settings.use_mark_p && average >= ceiling {
                verdict = Verdict::DropForced;
            } else if !self.was_above {
                self.packets_since = 1;
                self.bytes_since = context.packets[packet].size;
                self.was_above = true;
            } else if self.drops_early(packet, context) {
                verdict = Verdict::DropEarly;
            }
        } else {
            self.was_above = false;
        }
        if length >= most { Verdict::DropForced } else { verdict }
    }

    /// Index of the packet that a forced drop removes.
    fn victim(&self, context: &mut QueueContext) -> usize {
        let last = self.fifo.len() - 1;
        if self.settings.drop_front {
            last.min(1)
        } else if self.settings.drop_rand {
            context.rng.integer(self.fifo.len() as i64) as usize
        } else {
            last
        }
    }
}

impl Discipline for Red {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        let missed = self.packets_missed(context.now);
        let average = self.next_average(self.average.value, missed, self.length());
        self.adapt(average, context);
        self.average.set(average, "ave", context);
        self.note_length(context.now);
        self.packets_since += 1;
        self.bytes_since = self.bytes_since.wrapping_add(context.packets[packet].size);
        let length = self.length();
        self.length_seen.set(length, "curq", context);
        match self.judge(packet, length, context) {
            Verdict::Keep => self.fifo.push(packet, context.packets),
            Verdict::DropEarly => context.dropped_early.push(packet),
            Verdict::DropForced => {
                self.fifo.push(packet, context.packets);
                let victim = self.victim(context);
                context.dropped.extend(self.fifo.take(victim, context.packets));
                if !self.settings.ns1_compat {
                    self.packets_since = 0;
                    self.bytes_since = 0;
                }
            }
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        self.note_length(context.now);
        let next = self.fifo.pop(context.packets);
        self.idle_since = if next.is_none() { Some(context.now) } else { None };
        next
    }

    fn found_empty(&mut self, at: Time) {
        self.note_length(at);
        self.idle_since = Some(at);
    }

    fn limit(&self) -> QueueLimit {
        self.settings.limit_of_all()
    }

    lengths_of!(fifo);

    own_params!();

    watches!("ave" => average, "prob1" => probability, "cur_max_p" => max_p, "curq" => length_seen);

    fn reset(&mut self, context: &mut QueueContext) {
        self.learn_rate(context);
        self.settings.fit_to_link(context.rate_bps, context.delay_s, self.packets_per_s);
        self.settings.scale_thresholds();
        self.average.set(0.0, "ave", context);
        self.packets_since = 0;
        self.bytes_since = 0;
        self.was_above = false;
        self.max_p.set(1.0 / self.settings.linterm, "cur_max_p", context);
        self.slopes.fit(&self.settings, self.max_p.value);
        self.adapted_at_s = 0.0;
        self.true_average = TrueAverage::default();
        while let Some(packet) = self.dequeue(context) {
            context.dropped.push(packet);
        }
    }

    fn command(&mut self, name: &str, context: &mut QueueContext) -> Result<String, String> {
        match name {
            "link" => {
                self.learn_rate(context);
                if self.settings.is_automatic() {
                    self.settings.fit_to_link(context.rate_bps, context.delay_s, self.packets_per_s);
                }
                Ok(String::new())
            }
            "printstats" => Ok(self.true_average.line(self.settings.queue_in_bytes)),
            _ => Err(format!("red has no command {name}; it has link and printstats")),
        }
    }
}
