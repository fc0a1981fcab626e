//! False signs of loss: what shows that segments were late, not lost, and what the sender then takes back.
//!
//! Source: RFC 3522 and RFC 4015 (Eifel: timestamps); RFC 3708 and Linux (duplicates reported by D-SACK); P. Sarolahti,
//! M. Kojo, K. Yamamoto, M. Hata, RFC 5682, section 3.1 (F-RTO with SACK).
//! What it decides: whether the present recovery began with a false sign.
//! Departures: timestamps have no granularity here, so that every late segment is told from its retransmission.
//! Not implemented: nothing.
//! Checked against: by hand; tests/spec/test_modern.py on the wire.

/// What a recovery that may have begun falsely would give back.
#[derive(Clone, Copy, Debug)]
pub(super) struct UndoState {
    /// The window before it.
    pub cwnd: f64,
    /// The threshold before it.
    pub ssthresh: f64,
    /// The first segment outstanding when it began.
    first: i32,
    /// When a segment was first retransmitted in it, s.
    retransmitted_s: Option<f64>,
    /// Retransmitted segments that no duplicate answers yet.
    unanswered: u32,
    /// Any segment was retransmitted.
    any: bool,
}

impl UndoState {
    /// A recovery begins with segment `first` outstanding.
    pub fn new(cwnd: f64, ssthresh: f64, first: i32) -> UndoState {
        UndoState { cwnd, ssthresh, first, retransmitted_s: None, unanswered: 0, any: false }
    }

    /// A segment is retransmitted.
    pub fn on_retransmit(&mut self, now_s: f64) {
        self.retransmitted_s.get_or_insert(now_s);
        self.unanswered += 1;
        self.any = true;
    }

    /// A duplicate of segment `seqno` is reported.
    pub fn duplicated(&mut self, seqno: i32) {
        if seqno >= self.first {
            self.unanswered = self.unanswered.saturating_sub(1);
        }
    }

    /// Whether an ACK of new data that echoes `ts_echo` answers what was sent before anything was retransmitted.
    pub fn eifel_detects_spurious(&self, ts_echo: f64) -> bool {
        self.retransmitted_s.is_some_and(|retransmitted_s| ts_echo < retransmitted_s)
    }

    /// Whether every segment that was retransmitted has come twice.
    pub fn is_all_duplicate(&self) -> bool {
        self.any && self.unanswered == 0
    }
}

/// F-RTO after a timeout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Frto {
    /// It does not run.
    #[default]
    Off,
    /// The first segment was retransmitted; what the next ACK says counts.
    Watching,
    /// New data were sent behind; what the ACK after that says counts.
    Tried,
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 3522: the echoed timestamp is older than the retransmission. RFC 3708: each retransmission is a duplicate.
    #[test]
    fn late_segments_are_told_from_lost_ones() {
        let mut before = UndoState::new(20.0, 10.0, 5);
        assert!(!before.is_all_duplicate() && !before.eifel_detects_spurious(0.0));
        before.on_retransmit(1.0);
        before.on_retransmit(1.1);
        assert!(before.eifel_detects_spurious(0.9) && !before.eifel_detects_spurious(1.0));
        before.duplicated(4);
        before.duplicated(5);
        assert!(!before.is_all_duplicate());
        before.duplicated(6);
        assert!(before.is_all_duplicate());
    }
}
