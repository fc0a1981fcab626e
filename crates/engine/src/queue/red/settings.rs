//! What RED is told, and what it computes from that and from its link before the first packet.
//!
//! Source: S. Floyd and V. Jacobson, "Random early detection gateways for congestion avoidance", IEEE/ACM Transactions on
//! Networking 1(4), 1993; automatic settings after Floyd, Gummadi and Shenker, "Adaptive RED", 2001; both as ns-2.35's
//! `Queue/RED` has them.

use crate::queue::QueueLimit;

/// RED's settings, by the names of ns-2's bound variables. Thresholds are in packets; `thresh_queue` and
/// `maxthresh_queue` are what they come to in the unit of the queue.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Most packets (times `mean_pktsize`: bytes) that wait.
    pub limit: i32,
    /// Whether big packets are dropped more often, in proportion to their bytes.
    pub bytes: bool,
    /// Whether the length is counted in bytes.
    pub queue_in_bytes: bool,
    /// Below this average nothing is dropped; 0 computes one from `targetdelay`.
    pub thresh: f64,
    /// The same in the queue's unit.
    pub thresh_queue: f64,
    /// At this average the probability is 1/`linterm`; 0 means three times `thresh`.
    pub maxthresh: f64,
    /// The same in the queue's unit.
    pub maxthresh_queue: f64,
    /// Bytes of a usual packet.
    pub mean_pktsize: i32,
    /// The same for idle times, if `cautious` is 3.
    pub idle_pktsize: i32,
    /// Weight of a sample in the average; 0, -1 and -2 compute one from the link.
    pub q_weight: f64,
    /// 1 adapts the maximum probability.
    pub adaptive: i32,
    /// 1, 2: (almost) no early drop while the queue is far below its average; 3: `idle_pktsize` counts.
    pub cautious: i32,
    /// Adaptive RED: what the maximum probability grows by.
    pub alpha: f64,
    /// Adaptive RED: what it shrinks by.
    pub beta: f64,
    /// Adaptive RED: the time between changes, s.
    pub interval: f64,
    /// 1 adapts after Feng et al. instead.
    pub feng_adaptive: i32,
    /// The queueing delay that automatic thresholds aim at, s.
    pub targetdelay: f64,
    /// Adaptive RED: the greatest maximum probability.
    pub top: f64,
    /// Adaptive RED: the least one; 0 computes one from the link.
    pub bottom: f64,
    /// Whether early drops are spread evenly, with a wait after each.
    pub wait: bool,
    /// One over the maximum probability.
    pub linterm: f64,
    /// Below this probability a packet is marked, from it on dropped.
    pub mark_p: f64,
    /// Whether `mark_p` alone decides that while the queue is not full.
    pub use_mark_p: bool,
    /// Whether ECN-capable packets are marked.
    pub setbit: bool,
    /// Whether the probability goes on from the maximum to 1 between `maxthresh` and twice that.
    pub gentle: bool,
    /// Whether the true average length is kept.
    pub summarystats: bool,
    /// What a full queue drops: the newest packet unless one of the next two is set. Without effect, as in ns-2.
    pub drop_tail: bool,
    /// A full queue drops its second packet.
    pub drop_front: bool,
    /// A full queue drops any packet.
    pub drop_rand: bool,
    /// Whether a forced drop leaves the count since the last drop as it is.
    pub ns1_compat: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            limit: 50,
            bytes: true,
            queue_in_bytes: true,
            thresh: 0.0,
            thresh_queue: 50.0,
            maxthresh: 0.0,
            maxthresh_queue: 50.0,
            mean_pktsize: 500,
            idle_pktsize: 100,
            q_weight: -1.0,
            adaptive: 0,
            cautious: 0,
            alpha: 0.01,
            beta: 0.9,
            interval: 0.5,
            feng_adaptive: 0,
            targetdelay: 0.005,
            top: 0.5,
            bottom: 0.0,
            wait: true,
            linterm: 10.0,
            mark_p: 0.1,
            use_mark_p: true,
            setbit: false,
            gentle: true,
            summarystats: false,
            drop_tail: true,
            drop_front: false,
            drop_rand: false,
            ns1_compat: false,
        }
    }
}

impl Settings {
    /// The limit in the queue's unit.
    pub fn limit(&self) -> i32 {
        if self.queue_in_bytes { self.limit.wrapping_mul(self.mean_pktsize) } else { self.limit }
    }

    /// The same, as a queue tells it. In bytes a small packet may be dropped for a large one, and then more than that waits.
    pub fn limit_of_all(&self) -> QueueLimit {
        if self.queue_in_bytes { QueueLimit::Others } else { QueueLimit::Packets(i64::from(self.limit())) }
    }

    /// Whether a setting asks to be computed from the link.
    pub fn is_automatic(&self) -> bool {
        self.q_weight <= 0.0 || self.thresh == 0.0 || self.maxthresh == 0.0
    }

    /// Computes the settings that ask for it. `packets_per_s` is what the link can send, of `mean_pktsize` bytes each.
    pub fn fit_to_link(&mut self, rate_bps: f64, delay_s: f64, packets_per_s: f64) {
        if self.q_weight == 0.0 {
            self.q_weight = 1.0 - (-1.0 / packets_per_s).exp();
        } else if self.q_weight == -1.0 {
            // Ten round-trip times, each of three times the link's own or at least 100 ms.
            let rtt_s = (3.0 * (delay_s + 1.0 / packets_per_s)).max(0.1);
            self.q_weight = 1.0 - (-1.0 / (10.0 * rtt_s * packets_per_s)).exp();
        } else if self.q_weight == -2.0 {
            self.q_weight = 1.0 - (-10.0 / packets_per_s).exp();
        }
        if self.thresh == 0.0 {
            self.thresh = 5.0_f64.max(self.targetdelay * packets_per_s / 2.0);
        }
        if self.maxthresh == 0.0 {
            self.maxthresh = 3.0 * self.thresh;
        }
        if self.bottom == 0.0 {
            // At most one over the window of a flow of 1000-byte packets that fills the link in 100 ms.
            self.bottom = 0.01_f64.min(80_000.0 / rate_bps);
        }
    }

    /// Puts the thresholds into the queue's unit.
    pub fn scale_thresholds(&mut self) {
        if self.maxthresh == 0.0 {
            self.maxthresh = 3.0 * self.thresh;
        }
        let unit = if self.queue_in_bytes { f64::from(self.mean_pktsize) } else { 1.0 };
        self.thresh_queue = self.thresh * unit;
        self.maxthresh_queue = self.maxthresh * unit;
    }
}

/// The line that gives the probability from the average, and its continuation above `maxthresh`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Slopes {
    rise: f64,
    offset: f64,
    gentle_rise: f64,
    gentle_offset: f64,
}

impl Slopes {
    /// The lines for these settings; the continuation stays as it was unless it is asked for.
    pub fn fit(&mut self, settings: &Settings, max_p: f64) {
        let (low, high) = (settings.thresh_queue, settings.maxthresh_queue);
        let width = high - low;
        self.fit_line(low, if width == 0.0 { 1.0 } else { width });
        if settings.gentle {
            self.fit_gentle(high, max_p);
        }
    }

    /// The line that begins at `low` and is `width` wide.
    pub fn fit_line(&mut self, low: f64, width: f64) {
        self.rise = 1.0 / width;
        self.offset = -low / width;
    }

    /// Its continuation from `high` on, where it has come to `max_p`.
    pub fn fit_gentle(&mut self, high: f64, max_p: f64) {
        self.gentle_rise = (1.0 - max_p) / high;
        self.gentle_offset = 2.0 * max_p - 1.0;
    }

    /// The probability at this average, before the packets since the last drop count.
    pub fn probability(&self, high: f64, gentle: bool, average: f64, max_p: f64) -> f64 {
        let probability = if average < high {
            (self.rise * average + self.offset) * max_p
        } else if gentle {
            self.gentle_rise * average + self.gentle_offset
        } else {
            1.0
        };
        if probability > 1.0 { 1.0 } else { probability }
    }
}

/// The probability with the arrivals since the last drop counted in, so that drops come evenly.
pub fn spread(settings: &Settings, probability: f64, packets: i32, bytes: i32, size: i32) -> f64 {
    let mut p = probability;
    let since = if settings.bytes { bytes.checked_div(settings.mean_pktsize).unwrap_or(0) } else { packets };
    let due = f64::from(since) * p;
    if settings.wait {
        if due < 1.0 {
            p = 0.0;
        } else if due < 2.0 {
            p /= 2.0 - due;
        } else {
            p = 1.0;
        }
    } else if due < 1.0 {
        p /= 1.0 - due;
    } else {
        p = 1.0;
    }
    if settings.bytes && p < 1.0 {
        p = p * f64::from(size) / f64::from(settings.mean_pktsize);
    }
    if p > 1.0 { 1.0 } else { p }
}

#[cfg(test)]
mod tests {
    use super::Settings;

    // ns-2.35: `$ns duplex-link $a $b 1Mb 10ms RED`, then `$q set q_weight_`, `thresh_`, `maxthresh_`, `bottom_`.
    #[test]
    fn automatic_settings_are_those_of_ns2() {
        let mut settings = Settings::default();
        settings.fit_to_link(1e6, 0.01, 1e6 / (8.0 * 500.0));
        assert_eq!(settings.q_weight, 0.003_992_010_656_008_516);
        assert_eq!((settings.thresh, settings.maxthresh, settings.bottom), (5.0, 15.0, 0.01));
        settings.scale_thresholds();
        assert_eq!(settings.thresh_queue, 2500.0);
    }
}
