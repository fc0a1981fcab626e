//! Detection of spurious loss events, and the state that an undo restores.
//!
//! Source: RFC 3522 and RFC 4015 (Eifel, timestamps); RFC 3708 and Linux (D-SACK); P. Sarolahti, M. Kojo, K. Yamamoto,
//! M. Hata, RFC 5682, section 3.1 (F-RTO with SACK). The names are Linux's.
//! What it decides: whether the present recovery is spurious.
//! Departures: timestamps have no granularity here, so every late segment differs from its retransmission. As in Linux,
//! F-RTO accepts an original transmission already in the first ACK, and the undo restores the prior window, where RFC
//! 4015 uses the flight size.
//! Not implemented: nothing.
//! Checked against: by hand; tests/spec/test_modern.py on the wire.

/// The state before a recovery that may be spurious.
#[derive(Clone, Copy, Debug)]
pub(super) struct UndoState {
    /// `prior_cwnd`: the window before it.
    pub prior_cwnd: f64,
    /// `prior_ssthresh`: the threshold before it.
    pub prior_ssthresh: f64,
    /// `undo_marker`: SND.UNA when the recovery began.
    undo_marker: i32,
    /// `retrans_stamp`: time of its first retransmission, s; `None` before that.
    retrans_stamp_s: Option<f64>,
    /// `undo_retrans`: retransmissions for which no D-SACK has arrived.
    undo_retrans: u32,
}

impl UndoState {
    /// A recovery begins with SND.UNA = `snd_una`.
    pub fn new(prior_cwnd: f64, prior_ssthresh: f64, snd_una: i32) -> UndoState {
        UndoState { prior_cwnd, prior_ssthresh, undo_marker: snd_una, retrans_stamp_s: None, undo_retrans: 0 }
    }

    /// A segment is retransmitted.
    pub fn on_retransmit(&mut self, now_s: f64) {
        self.retrans_stamp_s.get_or_insert(now_s);
        self.undo_retrans += 1;
    }

    /// A D-SACK reports a duplicate of segment `seqno`.
    pub fn on_dsack(&mut self, seqno: i32) {
        if seqno >= self.undo_marker {
            self.undo_retrans = self.undo_retrans.saturating_sub(1);
        }
    }

    /// Whether an ACK of new data that echoes `ts_echo` was caused by an original transmission (RFC 3522, 3.2).
    pub fn eifel_detects_spurious(&self, ts_echo: f64) -> bool {
        self.retrans_stamp_s.is_some_and(|retrans_stamp_s| ts_echo < retrans_stamp_s)
    }

    /// Whether D-SACKs report every retransmission as a duplicate (RFC 3708).
    pub fn dsack_detects_spurious(&self) -> bool {
        self.retrans_stamp_s.is_some() && self.undo_retrans == 0
    }
}

/// F-RTO after a timeout (RFC 5682, 3.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Frto {
    /// Not active.
    #[default]
    Off,
    /// Step 2: the first segment was retransmitted, and the first ACK is awaited.
    AwaitFirstAck,
    /// Step 3: new data are sent, and the ACK after the first is awaited.
    AwaitSecondAck,
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 3522: the echoed timestamp is older than the retransmission. RFC 3708: each retransmission is a duplicate.
    #[test]
    fn late_segments_differ_from_lost_ones() {
        let mut undo_state = UndoState::new(20.0, 10.0, 5);
        assert!(!undo_state.dsack_detects_spurious() && !undo_state.eifel_detects_spurious(0.0));
        undo_state.on_retransmit(1.0);
        undo_state.on_retransmit(1.1);
        assert!(undo_state.eifel_detects_spurious(0.9) && !undo_state.eifel_detects_spurious(1.0));
        undo_state.on_dsack(4);
        undo_state.on_dsack(5);
        assert!(!undo_state.dsack_detects_spurious());
        undo_state.on_dsack(6);
        assert!(undo_state.dsack_detects_spurious());
    }
}
