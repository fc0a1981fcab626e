//! What the sender's timer is set for, and until when.
//!
//! Source: Linux, `icsk_pending` and `tcp_reset_xmit_timer`.
//! What it decides: pacing puts the timer off. Departures: none. Not implemented: nothing.
//! Checked against: packetdrill's scripts.

use super::super::clock::{Duration, Instant};
use super::Sender;

/// What the timer runs for (Linux's `ICSK_TIME_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pending {
    /// Retransmission timeout.
    Retrans,
    /// Tail loss probe.
    LossProbe,
    /// RACK's reordering timer.
    ReoTimeout,
    /// Zero-window probe.
    Probe0,
}

impl Sender {
    /// `tcp_reset_xmit_timer`: sets the timer, later by what pacing holds back.
    pub(super) fn reset_xmit_timer(&mut self, what: Pending, now: Instant, when: Duration) {
        self.pending = Some(what);
        let paced_ns = self.wstamp_ns.saturating_sub(now.0);
        let when = when + Duration::from_nanos(paced_ns);
        self.timeout = self.ticks.map_or(now + when, |ticks| ticks.expiry(now, when));
    }
}
