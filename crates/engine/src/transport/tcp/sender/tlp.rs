//! Tail loss probe: when ACKs stop coming, one segment asks for another before the timer does.
//!
//! Source: RFC 8985, section 7.
//! What it decides: when a probe goes, and whether the answer shows that it repaired a loss.
//! Departures: the allowance for a delayed ACK with one segment in flight is 200 ms, Linux's least timeout, not a maximum
//! that the peer tells of.
//! Not implemented: nothing.
//! Checked against: by hand, below; tests/spec/test_modern.py on the wire.

/// How long a receiver may delay an ACK, s.
const MAX_ACK_DELAY_S: f64 = 0.2;

/// A probe that is out.
#[derive(Clone, Copy, Debug)]
struct Probe {
    /// One past the highest segment sent.
    end: i32,
    is_retransmission: bool,
}

/// The probe of a tail.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TailLossProbe {
    probe: Option<Probe>,
}

/// What an ACK says of the probe.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    /// The first segment not acknowledged.
    pub first: i32,
    /// It reports a duplicate.
    pub is_duplicate: bool,
    /// It says nothing new at all.
    pub is_empty: bool,
}

impl TailLossProbe {
    /// How long after the last sending or ACK a probe goes, s (7.2).
    pub fn wait_s(smoothed_s: f64, in_flight: u32) -> f64 {
        2.0 * smoothed_s + if in_flight == 1 { MAX_ACK_DELAY_S } else { 0.0 }
    }

    /// Whether a probe is out.
    pub fn is_out(&self) -> bool {
        self.probe.is_some()
    }

    /// A probe was sent; `end` is one past the highest segment sent.
    pub fn sent(&mut self, end: i32, is_retransmission: bool) {
        self.probe = Some(Probe { end, is_retransmission });
    }

    /// The probe counts no longer.
    pub fn forget(&mut self) {
        self.probe = None;
    }

    /// An ACK comes: whether the probe has repaired a loss, which is congestion (7.4).
    pub fn answered(&mut self, answer: &Answer) -> bool {
        let Some(probe) = self.probe else { return false };
        if answer.first < probe.end {
            return false;
        }
        if !probe.is_retransmission || answer.is_duplicate {
            self.probe = None;
            return false;
        }
        let goes_beyond = answer.first > probe.end;
        if goes_beyond || answer.is_empty {
            self.probe = None;
        }
        goes_beyond
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(is_retransmission: bool, first: i32, is_duplicate: bool, is_empty: bool) -> (bool, bool) {
        let mut tail = TailLossProbe::default();
        tail.sent(10, is_retransmission);
        let repaired = tail.answered(&Answer { first, is_duplicate, is_empty });
        (repaired, tail.is_out())
    }

    // RFC 8985, 7.4.2, case by case.
    #[test]
    fn a_repaired_loss_shows_when_more_is_acknowledged_without_a_duplicate() {
        assert_eq!(after(true, 9, false, false), (false, true));
        assert_eq!(after(false, 10, false, false), (false, false));
        assert_eq!(after(true, 10, true, false), (false, false));
        assert_eq!(after(true, 12, false, false), (true, false));
        assert_eq!(after(true, 10, false, true), (false, false));
        assert_eq!(after(true, 10, false, false), (false, true));
    }

    // 7.2: twice the smoothed round trip, and the longest delay of an ACK for a single segment.
    #[test]
    fn a_single_segment_waits_for_a_delayed_ack() {
        assert_eq!(TailLossProbe::wait_s(0.1, 2), 0.2);
        assert!((TailLossProbe::wait_s(0.1, 1) - 0.4).abs() < 1e-12);
    }
}
