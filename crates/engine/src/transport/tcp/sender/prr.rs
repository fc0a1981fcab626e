//! Proportional Rate Reduction (PRR): limits sending per ACK in recovery, so that it ends with a window of `ssthresh`.
//!
//! Source: M. Mathis, N. Cardwell, Y. Cheng, N. Dukkipati, RFC 9937, section 6 (RFC 6937 before it).
//! What it decides: the window after each ACK of a recovery. While more than `ssthresh` is in flight, it is reduced in
//! proportion to what was delivered. Otherwise as much is sent as was delivered, and one packet more for a `SafeACK`.
//! Departures: when the reordering timer begins a recovery, one packet counts as delivered, as in Linux.
//! Not implemented: nothing.
//! Checked against: by hand, below.

/// The state of one recovery, packets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Prr {
    /// `RecoverFS`: the flight size when the recovery began.
    recover_fs: f64,
    /// `prr_delivered`: packets delivered in the recovery.
    prr_delivered: f64,
    /// `prr_out`: packets sent in the recovery.
    prr_out: f64,
}

impl Prr {
    /// A recovery begins. Before the present ACK, `outstanding` packets were sent and not acknowledged, of which SACK had
    /// reported `sacked`.
    pub fn new(outstanding: u32, sacked: u32) -> Prr {
        Prr { recover_fs: f64::from(outstanding.saturating_sub(sacked).max(1)), prr_delivered: 0.0, prr_out: 0.0 }
    }

    /// A packet is sent.
    pub fn on_send(&mut self) {
        self.prr_out += 1.0;
    }

    /// The window after an ACK that delivers `delivered_data` packets and leaves `in_flight`. `safe_ack`: the ACK advances
    /// SND.UNA and shows no further loss (`SafeACK`). `None` for an ACK that delivers nothing: the window remains.
    pub fn cwnd(&mut self, delivered_data: u32, in_flight: u32, ssthresh: f64, safe_ack: bool) -> Option<f64> {
        if delivered_data == 0 {
            return None;
        }
        let (delivered_data, in_flight) = (f64::from(delivered_data), f64::from(in_flight));
        self.prr_delivered += delivered_data;
        // `SndCnt`: packets that may be sent now.
        let mut snd_cnt = if in_flight > ssthresh {
            (self.prr_delivered * ssthresh / self.recover_fs).ceil() - self.prr_out
        } else {
            let conserved = (self.prr_delivered - self.prr_out).max(delivered_data) + f64::from(u8::from(safe_ack));
            conserved.min(ssthresh.floor() - in_flight)
        };
        if self.prr_out == 0.0 && snd_cnt < 1.0 {
            snd_cnt = 1.0; // the first segment is retransmitted immediately
        }
        Some(in_flight + snd_cnt.max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 9937, section 6, by hand: 20 in flight, one lost, ssthresh 10: every second ACK lets a packet be sent.
    #[test]
    fn one_packet_is_sent_for_every_two_delivered() {
        let mut prr = Prr::new(20, 0);
        let mut in_flight = 19;
        let mut sent = Vec::new();
        for _ in 0..18 {
            in_flight -= 1;
            let snd_cnt = prr.cwnd(1, in_flight, 10.0, false).unwrap() as u32 - in_flight;
            for _ in 0..snd_cnt {
                prr.on_send();
            }
            in_flight += snd_cnt;
            sent.push(snd_cnt);
        }
        assert_eq!(sent[..8], [1, 0, 1, 0, 1, 0, 1, 0]);
        assert_eq!(in_flight, 10);
    }

    // 15 of 20 are lost, 5 are in flight and ssthresh is 10: packet conservation, and one packet more for each SafeACK.
    #[test]
    fn a_window_below_ssthresh_grows_with_each_safe_ack() {
        let mut prr = Prr::new(20, 0);
        assert_eq!(prr.cwnd(1, 4, 10.0, false), Some(5.0));
        prr.on_send();
        assert_eq!(prr.cwnd(1, 4, 10.0, true), Some(6.0));
        prr.on_send();
        prr.on_send();
        assert_eq!(prr.cwnd(8, 9, 10.0, true), Some(10.0), "not beyond ssthresh");
        assert_eq!(prr.cwnd(0, 4, 10.0, false), None, "DeliveredData of 0 does not change the window");
    }
}
