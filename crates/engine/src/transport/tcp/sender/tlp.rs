//! Tail Loss Probe (TLP): when ACKs stop, sends one more segment to obtain an ACK before the retransmission timer
//! expires.
//!
//! Source: RFC 8985, section 7.
//! What it decides: when a probe is sent, and whether the ACK shows that it repaired a loss.
//! Departures: `TLP.max_ack_delay` is 200 ms, Linux's min RTO, and not a value that the peer announces. With more than one
//! segment outstanding the PTO is 2 ms longer, as in Linux (`TCP_TIMEOUT_MIN_US`). As there, a probe may also be sent
//! while the window is reduced after a mark.
//! Not implemented: nothing.
//! Checked against: by hand, below; tests/spec/test_modern.py on the wire.

/// `TLP.max_ack_delay`: max delay of an ACK at the receiver, s (7.2).
const MAX_ACK_DELAY_S: f64 = 0.2;
/// `TCP_TIMEOUT_MIN_US`: Linux's allowance for the timers of both hosts, s.
const MIN_TIMEOUT_S: f64 = 0.002;
/// The PTO without an RTT sample, s (7.2).
const INITIAL_PTO_S: f64 = 1.0;

/// The per-connection variables of TLP (5.3).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TailLossProbe {
    /// `TLP.end_seq`: one past the highest segment sent when the probe was; `None` if no probe is outstanding.
    tlp_end_seq: Option<i32>,
    /// `TLP.is_retrans`: whether the probe is a retransmission.
    tlp_is_retrans: bool,
}

/// What an ACK reports about the probe.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProbeAck {
    /// SND.UNA after the ACK.
    pub snd_una: i32,
    /// It has a D-SACK of the probe (`TLP.end_seq`).
    pub is_dsack_of_probe: bool,
    /// It delivers nothing and has no D-SACK.
    pub is_dupack: bool,
}

impl TailLossProbe {
    /// `TLP_calc_PTO`: the probe timeout after the last transmission or ACK, s, with `outstanding` segments not
    /// acknowledged (7.2).
    pub fn calc_pto_s(srtt_s: Option<f64>, outstanding: u32) -> f64 {
        let Some(srtt_s) = srtt_s else { return INITIAL_PTO_S };
        2.0 * srtt_s + if outstanding == 1 { MAX_ACK_DELAY_S } else { MIN_TIMEOUT_S }
    }

    /// Whether a D-SACK block that ends before `after` reports the probe.
    pub fn is_probe(&self, after: i32) -> bool {
        self.tlp_end_seq == Some(after)
    }

    /// Whether a probe is outstanding.
    pub fn is_outstanding(&self) -> bool {
        self.tlp_end_seq.is_some()
    }

    /// A probe was sent (7.3, `TLP_send_probe`); `snd_nxt` is one past the highest segment sent.
    pub fn on_probe_sent(&mut self, snd_nxt: i32, is_retrans: bool) {
        (self.tlp_end_seq, self.tlp_is_retrans) = (Some(snd_nxt), is_retrans);
    }

    /// A recovery begins: no probe is outstanding any more (7.1, `TLP_init`).
    pub fn reset(&mut self) {
        self.tlp_end_seq = None;
    }

    /// `TLP_process_ack`: whether the probe has repaired a loss, which is a congestion event (7.4.2).
    pub fn process_ack(&mut self, ack: &ProbeAck) -> bool {
        let Some(tlp_end_seq) = self.tlp_end_seq else { return false };
        if ack.snd_una < tlp_end_seq {
            return false;
        }
        if !self.tlp_is_retrans || ack.is_dsack_of_probe {
            self.tlp_end_seq = None;
            return false;
        }
        let repaired_loss = ack.snd_una > tlp_end_seq;
        if repaired_loss || ack.is_dupack {
            self.tlp_end_seq = None;
        }
        repaired_loss
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(is_retrans: bool, snd_una: i32, is_dsack_of_probe: bool, is_dupack: bool) -> (bool, bool) {
        let mut tlp = TailLossProbe::default();
        tlp.on_probe_sent(10, is_retrans);
        let repaired_loss = tlp.process_ack(&ProbeAck { snd_una, is_dsack_of_probe, is_dupack });
        (repaired_loss, tlp.is_outstanding())
    }

    // RFC 8985, 7.4.2, case by case.
    #[test]
    fn an_ack_beyond_the_probe_without_a_dsack_shows_a_repaired_loss() {
        assert_eq!(after(true, 9, false, false), (false, true));
        assert_eq!(after(false, 10, false, false), (false, false));
        assert_eq!(after(true, 10, true, false), (false, false));
        assert_eq!(after(true, 12, false, false), (true, false));
        assert_eq!(after(true, 10, false, true), (false, false));
        assert_eq!(after(true, 10, false, false), (false, true));
    }

    // 7.2: PTO = 2 SRTT, and max_ack_delay more for a single segment; 1 s without a sample. Linux adds 2 ms to the first.
    #[test]
    fn a_single_segment_waits_for_a_delayed_ack() {
        assert!((TailLossProbe::calc_pto_s(Some(0.1), 2) - 0.202).abs() < 1e-12);
        assert!((TailLossProbe::calc_pto_s(Some(0.1), 1) - 0.4).abs() < 1e-12);
        assert_eq!(TailLossProbe::calc_pto_s(None, 2), 1.0);
    }

    // 7.4.2: only a D-SACK of TLP.end_seq answers the probe. The D-SACK of another segment does not hide a repaired loss.
    #[test]
    fn only_its_own_dsack_answers_the_probe() {
        let mut tlp = TailLossProbe::default();
        tlp.on_probe_sent(10, true);
        assert!(tlp.is_probe(10) && !tlp.is_probe(9));
        assert!(tlp.process_ack(&ProbeAck { snd_una: 12, is_dsack_of_probe: tlp.is_probe(5), is_dupack: false }));
    }
}
