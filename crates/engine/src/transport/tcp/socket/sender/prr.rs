//! Proportional Rate Reduction (PRR): limits what is sent per ACK while the window is reduced, so that it ends at `ssthresh`.
//!
//! Source: M. Mathis, N. Dukkipati, Y. Cheng, RFC 6937; N. Cardwell et al., RFC 9937, section 6; Linux, `tcp_cwnd_reduction`.
//! What it decides: the window after each ACK of CWR and Recovery. While more than `ssthresh` is in flight, it shrinks in
//! proportion to what was delivered. Below, as much is sent as was delivered, and one packet more for an ACK that advances
//! SND.UNA and shows no loss.
//! Departures, Linux's: `RecoverFS` is the window before the reduction. Not implemented: nothing.
//! Checked against: by hand, below.

/// The state of one reduction, packets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Prr {
    /// `prr_delivered`: delivered in the reduction.
    pub prr_delivered: u32,
    /// `prr_out`: sent in the reduction.
    pub prr_out: u32,
}

impl Prr {
    /// The window after an ACK that delivers `newly_acked_sacked` packets and leaves `in_flight`; `prior_cwnd` is the window
    /// before the reduction. `safe_ack`: the ACK advances SND.UNA and shows no loss. `None` if the window stays.
    pub fn cwnd(
        &mut self,
        newly_acked_sacked: u32,
        in_flight: u32,
        ssthresh: u32,
        prior_cwnd: u32,
        safe_ack: bool,
    ) -> Option<u32> {
        if newly_acked_sacked == 0 || prior_cwnd == 0 {
            return None;
        }
        self.prr_delivered += newly_acked_sacked;
        let (delivered, out) = (i64::from(self.prr_delivered), i64::from(self.prr_out));
        let delta = i64::from(ssthresh) - i64::from(in_flight);
        let sndcnt = if delta < 0 {
            (u64::from(ssthresh) * u64::from(self.prr_delivered)).div_ceil(u64::from(prior_cwnd)) as i64 - out
        } else {
            let conserved = (delivered - out).max(i64::from(newly_acked_sacked)) + i64::from(safe_ack);
            conserved.min(delta)
        };
        // The first lost packet is retransmitted at once.
        let sndcnt = sndcnt.max(i64::from(self.prr_out == 0));
        Some((i64::from(in_flight) + sndcnt).max(1) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 9937, section 6, by hand: 20 in flight, one lost, ssthresh 10: every second ACK lets a packet be sent.
    #[test]
    fn one_packet_is_sent_for_every_two_delivered() {
        let mut prr = Prr::default();
        let mut in_flight = 19;
        let mut sent = Vec::new();
        for _ in 0..18 {
            in_flight -= 1;
            let snd_cnt = prr.cwnd(1, in_flight, 10, 20, false).unwrap().saturating_sub(in_flight);
            prr.prr_out += snd_cnt;
            in_flight += snd_cnt;
            sent.push(snd_cnt);
        }
        assert_eq!(sent[..8], [1, 0, 1, 0, 1, 0, 1, 0]);
        assert_eq!(in_flight, 10);
    }

    // 15 of 20 are lost, 5 are in flight and ssthresh is 10: packet conservation, and one packet more for each safe ACK.
    #[test]
    fn a_window_below_ssthresh_grows_with_each_safe_ack() {
        let mut prr = Prr::default();
        assert_eq!(prr.cwnd(1, 4, 10, 20, false), Some(5));
        prr.prr_out += 1;
        assert_eq!(prr.cwnd(1, 4, 10, 20, true), Some(6));
        prr.prr_out += 2;
        assert_eq!(prr.cwnd(8, 9, 10, 20, true), Some(10), "not beyond ssthresh");
        assert_eq!(prr.cwnd(0, 9, 10, 20, true), None);
    }
}
