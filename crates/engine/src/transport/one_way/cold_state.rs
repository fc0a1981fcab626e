//! The parts of a connection's state that few senders need. What they do is in the modules named at each part.

use super::config::Config;
use crate::measure::observe::TraceId;
use crate::time::Time;
use crate::transport::external_control::ExternalCongestionOps;

/// State that few senders need; allocated on first use.
#[derive(Default)]
pub(super) struct ColdState {
    /// The external congestion control that replaces the window rule, if any.
    pub outside: Option<ExternalControl>,
    /// Quick-Start state.
    pub quick_start: QuickStart,
    /// State for RFC 2861.
    pub idle: Idle,
    /// With `bug_fix_ts`: last transmission time of each packet in flight, s; a ring buffer.
    pub sent_at: Vec<f64>,
}

/// The weight of a new sample in the smoothed round-trip time (RFC 6298, section 2).
const SRTT_GAIN: f64 = 1.0 / 8.0;

/// The external control and the adapter's state.
pub struct ExternalControl {
    pub(super) control: Box<dyn ExternalCongestionOps>,
    /// Time of the current event, s.
    pub(super) now_s: f64,
    pub(super) srtt_s: Option<f64>,
    pub(super) min_rtt_s: Option<f64>,
    /// The error message of a failed control. A failed control is not called again.
    pub(super) error: Option<String>,
}

impl ExternalControl {
    pub(super) fn sample(&mut self, rtt_s: f64) {
        self.srtt_s = Some(self.srtt_s.map_or(rtt_s, |srtt_s| srtt_s + SRTT_GAIN * (rtt_s - srtt_s)));
        self.min_rtt_s = Some(self.min_rtt_s.map_or(rtt_s, |least_s| least_s.min(rtt_s)));
    }
}

/// The sender's Quick-Start state.
#[derive(Debug, Default)]
pub struct QuickStart {
    /// A request is outstanding.
    pub(super) has_asked: bool,
    /// The sender is sending the Quick-Start window.
    pub(super) is_going_on: bool,
    /// The Quick-Start window, packets; 0 for none.
    pub(super) window: i32,
    /// The last packet sent in that window, until it is acknowledged; 0 for none.
    pub(super) last_sent: i32,
    /// Expected difference between the packet's TTL and the request's (the TTL Diff of RFC 4782).
    pub(super) difference: i32,
    /// Where requests and answers are reported.
    pub(super) remarks: Option<TraceId>,
}

/// The state of window validation. Times are in ticks.
#[derive(Clone, Debug, Default)]
pub struct Idle {
    pub(super) sent_at: i32,
    pub(super) round_began: i32,
    pub(super) used: i32,
    pub(super) counter: RttCounter,
}

/// Counts round trips shorter than the clock's resolution.
#[derive(Clone, Debug, Default)]
pub(super) struct RttCounter {
    pub(super) since: i32,
    pub(super) counted: i32,
    pub(super) at_last_full_window: i32,
    /// Usual number of counted round trips per two smoothed round-trip times.
    pub(super) usual: i32,
    /// The packet whose ACK ends the current round trip.
    pub(super) tagged: Option<i32>,
    pub(super) was_full: bool,
    pub(super) already_cut: i32,
}

/// The time in ticks of the connection's clock.
pub(super) fn ticks(now: Time, config: &Config) -> i32 {
    (now.secs() / config.tcp_tick + 0.5) as i32
}

impl Idle {
    /// Resets the state at the start of a connection.
    pub fn reset(&mut self, now: Time, config: &Config) {
        let now = ticks(now, config);
        self.sent_at = now;
        self.round_began = now;
        self.used = 0;
        if config.enbl_rtt_ctr != 0 {
            self.counter = RttCounter { since: now, usual: 1, ..RttCounter::default() };
        }
    }
}
