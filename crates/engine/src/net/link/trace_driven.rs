//! Trace-driven link of mahimahi: it sends only at the delivery opportunities of a trace, recorded or drawn.
//!
//! Source: mahimahi's `mm-link` (R. Netravali et al., "Mahimahi: accurate record-and-replay for HTTP", USENIX ATC 2015,
//! section 4.1) and the traces of the networks that K. Winstein et al. recorded (Sprout, NSDI 2013).
//! What it decides: each opportunity sends up to its number of bytes, of one or more packets; mahimahi's have 1504. A
//! packet that does not fit continues at the next opportunity, and enters the wire with its last byte. Unused
//! opportunities are lost. An opportunity at the instant of an arrival is already over. The trace repeats: after an
//! opportunity at its last instant come those at its first.
//! Departures: times are exact; mahimahi has a resolution of one millisecond.
//! Not implemented: none.
//! Checked against: opportunities computed by hand (tests/scenario/test_links.py).

use crate::event::timer::TimerId;
use crate::packet::PacketId;
use crate::time::Time;

/// Bytes per opportunity of a recording: 1500 of an Ethernet frame, and 4 of mahimahi's TUN device.
pub const BYTES: i64 = 1504;

/// When a link can send, and how much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opportunity {
    /// Its time within the period, s.
    pub at_s: f64,
    /// What it sends at most.
    pub bytes: i64,
}

/// The delivery opportunities of a link.
pub struct DeliveryTrace {
    /// Those of one period; those of one instant are one.
    opportunities: Vec<Opportunity>,
    /// The next opportunity, and the number of complete periods before it.
    next: usize,
    periods: u64,
    /// The packet that is partly sent, and its remaining bytes.
    pub(crate) begun: Option<(PacketId, i64)>,
    /// When the last packet of the queue would be sent at the link's rate, s.
    pub(crate) busy_until_s: f64,
    /// Expires at the next opportunity while a packet waits.
    pub(crate) timer: Option<TimerId>,
}

impl DeliveryTrace {
    /// A link with these opportunities. The last one is also the length of the period.
    ///
    /// # Errors
    /// When there is none, when the times decrease, or when all are 0.
    pub fn new(all: impl IntoIterator<Item = Opportunity>) -> Result<DeliveryTrace, String> {
        let mut opportunities: Vec<Opportunity> = Vec::new();
        for (number, next) in (1..).zip(all) {
            match opportunities.last_mut() {
                Some(last) if next.at_s < last.at_s => {
                    return Err(format!("delivery {number} is at {} s, before the previous one", next.at_s));
                }
                Some(last) if next.at_s == last.at_s => last.bytes += next.bytes,
                _ => opportunities.push(next),
            }
        }
        match (opportunities.first(), opportunities.last()) {
            (Some(first), Some(last)) if first.at_s >= 0.0 && last.at_s > 0.0 && last.at_s.is_finite() => {
                Ok(DeliveryTrace { opportunities, next: 0, periods: 0, begun: None, busy_until_s: 0.0, timer: None })
            }
            _ => Err("a trace needs at least one delivery, the last of them after 0 s".into()),
        }
    }

    /// The opportunities of a recording, s.
    ///
    /// # Errors
    /// As [`DeliveryTrace::new`].
    pub fn recorded(at_s: impl IntoIterator<Item = f64>) -> Result<DeliveryTrace, String> {
        DeliveryTrace::new(at_s.into_iter().map(|at_s| Opportunity { at_s, bytes: BYTES }))
    }

    /// The length of a period, s.
    fn period_s(&self) -> f64 {
        self.opportunities[self.opportunities.len() - 1].at_s
    }

    /// Time of the next opportunity.
    fn next_at(&self) -> Time {
        Time(self.opportunities[self.next].at_s + self.periods as f64 * self.period_s())
    }

    /// Moves to the next opportunity.
    fn advance(&mut self) {
        self.next += 1;
        if self.next == self.opportunities.len() {
            (self.next, self.periods) = (0, self.periods + 1);
        }
    }

    /// The first opportunity after `now`; skips those before.
    pub(crate) fn after(&mut self, now: Time) -> Time {
        let whole = (now.secs() / self.period_s()) as u64;
        if whole > self.periods + 1 {
            (self.next, self.periods) = (0, whole - 1);
        }
        while self.next_at() <= now {
            self.advance();
        }
        self.next_at()
    }

    /// Takes the opportunities that are due; returns the number of bytes that they send together.
    pub(crate) fn take_due(&mut self, now: Time) -> i64 {
        let mut bytes = 0;
        while self.next_at() <= now {
            bytes += self.opportunities[self.next].bytes;
            self.advance();
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::DeliveryTrace;
    use crate::time::Time;

    // 2, 5, 5 ms; then 5 + 2, 5 + 5, 5 + 5 ms ...
    #[test]
    fn a_recording_begins_anew() {
        let mut delivery_trace = DeliveryTrace::recorded([0.002, 0.005, 0.005]).unwrap();
        assert_eq!(delivery_trace.after(Time(0.0)), Time(0.002));
        assert_eq!(delivery_trace.take_due(Time(0.002)), 1504);
        assert_eq!(delivery_trace.take_due(Time(0.005)), 2 * 1504);
        assert_eq!(delivery_trace.after(Time(0.0069)), Time(0.007));
        assert_eq!(delivery_trace.after(Time(0.007)), Time(0.01));
        assert_eq!(delivery_trace.after(Time(1.0)), Time(1.002));
    }

    #[test]
    fn what_is_no_recording_is_refused() {
        assert!(DeliveryTrace::recorded([]).is_err());
        assert!(DeliveryTrace::recorded([0.0, 0.0]).is_err());
        assert!(DeliveryTrace::recorded([0.002, 0.001]).is_err());
    }
}
