//! RED's parameters, and the values computed from them and from the link before the first packet.
//!
//! Source: S. Floyd and V. Jacobson, "Random early detection gateways for congestion avoidance", IEEE/ACM Transactions
//! on Networking 1(4), 1993; automatic settings after Floyd, Gummadi and Shenker, "Adaptive RED", 2001; both as
//! ns-2.35's `Queue/RED` has them.

use crate::math::Math;
use crate::params::Params;
use crate::queue::QueueLimit;

/// RED's parameters, with the names of ns-2's bound variables. Thresholds are in packets; `thresh_queue` and
/// `maxthresh_queue` are the same thresholds in the queue's unit (packets or bytes).
#[derive(Clone, Debug, Params)]
pub struct Settings {
    /// Maximum queue length, packets (times `mean_pktsize`: bytes).
    #[param("packets")]
    pub limit: i32,
    /// Whether big packets are dropped more often, in proportion to their bytes.
    #[param("flag")]
    pub bytes: bool,
    /// Whether the length is counted in bytes.
    #[param("flag")]
    pub queue_in_bytes: bool,
    /// The minimum threshold: below this average nothing is dropped; 0 computes one from `targetdelay`.
    #[param("packets")]
    pub thresh: f64,
    /// The same in the queue's unit.
    #[param("")]
    pub thresh_queue: f64,
    /// The maximum threshold: at this average the probability is 1/`linterm`; 0 means three times `thresh`.
    #[param("packets")]
    pub maxthresh: f64,
    /// The same in the queue's unit.
    #[param("")]
    pub maxthresh_queue: f64,
    /// Mean packet size, bytes.
    #[param("bytes")]
    pub mean_pktsize: i32,
    /// The same for idle times, if `cautious` is 3.
    #[param("bytes")]
    pub idle_pktsize: i32,
    /// Weight of a sample in the average; 0, -1 and -2 compute one from the link.
    #[param("")]
    pub q_weight: f64,
    /// 1 adapts the maximum probability.
    #[param("")]
    pub adaptive: i32,
    /// 1, 2: (almost) no early drop while the queue is far below its average; 3: `idle_pktsize` counts.
    #[param("")]
    pub cautious: i32,
    /// Adaptive RED: the increase of the maximum probability.
    #[param("")]
    pub alpha: f64,
    /// Adaptive RED: the factor of its decrease.
    #[param("")]
    pub beta: f64,
    /// Adaptive RED: the time between changes, s.
    #[param("s")]
    pub interval: f64,
    /// 1 adapts after Feng et al. instead.
    #[param("")]
    pub feng_adaptive: i32,
    /// The target queueing delay of automatic thresholds, s.
    #[param("s")]
    pub targetdelay: f64,
    /// Adaptive RED: the upper bound of the maximum probability.
    #[param("")]
    pub top: f64,
    /// Adaptive RED: its lower bound; 0 computes one from the link.
    #[param("")]
    pub bottom: f64,
    /// Whether early drops are spread evenly, with a wait after each.
    #[param("flag")]
    pub wait: bool,
    /// One over the maximum probability.
    #[param("")]
    pub linterm: f64,
    /// Below this probability a packet is marked, from it on dropped.
    #[param("")]
    pub mark_p: f64,
    /// Whether `mark_p` alone decides that while the queue is not full.
    #[param("flag")]
    pub use_mark_p: bool,
    /// Whether ECN-capable packets are marked.
    #[param("flag")]
    pub setbit: bool,
    /// Whether the probability rises from the maximum to 1 between `maxthresh` and twice that.
    #[param("flag")]
    pub gentle: bool,
    /// Whether the true average length is kept.
    #[param("flag")]
    pub summarystats: bool,
    /// What a full queue drops: the newest packet unless one of the next two is set. Without effect, as in ns-2.
    #[param("flag")]
    pub drop_tail: bool,
    /// A full queue drops its second packet.
    #[param("flag")]
    pub drop_front: bool,
    /// A full queue drops any packet.
    #[param("flag")]
    pub drop_rand: bool,
    /// Whether a forced drop leaves the count since the last drop as it is.
    #[param("flag")]
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

    /// The limit for invariant checks. In bytes there is none, because a small packet may be dropped for a large one.
    pub fn limit_of_all(&self) -> QueueLimit {
        if self.queue_in_bytes { QueueLimit::Others } else { QueueLimit::Packets(i64::from(self.limit())) }
    }

    /// Whether a parameter is to be computed from the link.
    pub fn is_automatic(&self) -> bool {
        self.q_weight <= 0.0 || self.thresh == 0.0 || self.maxthresh == 0.0
    }

    /// Computes the automatic parameters. `packets_per_s`: the link's rate in packets of `mean_pktsize` bytes.
    pub fn fit_to_link(&mut self, rate_bps: f64, delay_s: f64, packets_per_s: f64) {
        if self.q_weight == 0.0 {
            self.q_weight = 1.0 - (-1.0 / packets_per_s).natural_exp();
        } else if self.q_weight == -1.0 {
            // Time constant of ten round-trip times. A round-trip time is three times the link's own, but at least 100
            // ms.
            let rtt_s = (3.0 * (delay_s + 1.0 / packets_per_s)).max(0.1);
            self.q_weight = 1.0 - (-1.0 / (10.0 * rtt_s * packets_per_s)).natural_exp();
        } else if self.q_weight == -2.0 {
            self.q_weight = 1.0 - (-10.0 / packets_per_s).natural_exp();
        }
        if self.thresh == 0.0 {
            self.thresh = 5.0_f64.max(self.targetdelay * packets_per_s / 2.0);
        }
        if self.maxthresh == 0.0 {
            self.maxthresh = 3.0 * self.thresh;
        }
        if self.bottom == 0.0 {
            // At most the inverse window, in 1000-byte packets, of a flow that fills the link with a round-trip time of
            // 100 ms.
            self.bottom = 0.01_f64.min(80_000.0 / rate_bps);
        }
    }

    /// Converts the thresholds to the queue's unit.
    pub fn scale_thresholds(&mut self) {
        if self.maxthresh == 0.0 {
            self.maxthresh = 3.0 * self.thresh;
        }
        let unit = if self.queue_in_bytes { f64::from(self.mean_pktsize) } else { 1.0 };
        self.thresh_queue = self.thresh * unit;
        self.maxthresh_queue = self.maxthresh * unit;
    }
}

/// The linear functions from average to probability: one between the thresholds, one for `gentle` above `maxthresh`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Slopes {
    rise: f64,
    offset: f64,
    gentle_rise: f64,
    gentle_offset: f64,
}

impl Slopes {
    /// Computes both functions for these parameters; the gentle one changes only if `gentle` is set.
    pub fn fit(&mut self, settings: &Settings, max_p: f64) {
        let (low, high) = (settings.thresh_queue, settings.maxthresh_queue);
        let width = high - low;
        self.fit_line(low, if width == 0.0 { 1.0 } else { width });
        if settings.gentle {
            self.fit_gentle(high, max_p);
        }
    }

    /// Sets the linear function that rises from 0 at `low` to 1 at `low + width`, in units of the maximum probability.
    pub fn fit_line(&mut self, low: f64, width: f64) {
        self.rise = 1.0 / width;
        self.offset = -low / width;
    }

    /// Sets the gentle function, which rises from `max_p` at `high` to 1 at twice `high`.
    pub fn fit_gentle(&mut self, high: f64, max_p: f64) {
        self.gentle_rise = (1.0 - max_p) / high;
        self.gentle_offset = 2.0 * max_p - 1.0;
    }

    /// The probability at this average, before it is adjusted by the packets since the last drop.
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

/// Adjusts the probability by the arrivals since the last drop, so that drops are evenly spaced.
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
