//! Proportional rate reduction: how much may be sent for each ACK of a recovery, so that it ends at the threshold.
//!
//! Source: M. Mathis, N. Cardwell, Y. Cheng, N. Dukkipati, RFC 9937, section 6 (RFC 6937 before it).
//! What it decides: the window after each ACK of a recovery: in proportion while more is in flight than the threshold says; as
//! much as was delivered, and one more while no further loss is found, when it is less.
//! Departures: none. Not implemented: nothing.
//! Checked against: by hand, below.

/// The accounting of one recovery, packets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Prr {
    /// In flight when it began.
    at_start: f64,
    delivered: f64,
    sent: f64,
}

impl Prr {
    /// A recovery begins: `outstanding` packets sent and not acknowledged before the present ACK, of which `sacked` had been
    /// reported.
    pub fn begin(outstanding: u32, sacked: u32) -> Prr {
        Prr { at_start: f64::from(outstanding.saturating_sub(sacked).max(1)), delivered: 0.0, sent: 0.0 }
    }

    /// A packet is sent.
    pub fn sends(&mut self) {
        self.sent += 1.0;
    }

    /// The window after an ACK that delivers `delivered` packets and leaves `in_flight`; `is_safe` if it advances and tells of
    /// no further loss.
    pub fn window(&mut self, delivered: u32, in_flight: u32, ssthresh: f64, is_safe: bool) -> f64 {
        let (delivered, in_flight) = (f64::from(delivered), f64::from(in_flight));
        self.delivered += delivered;
        let mut more = if in_flight > ssthresh {
            (self.delivered * ssthresh / self.at_start).ceil() - self.sent
        } else {
            let conserved = (self.delivered - self.sent).max(delivered) + f64::from(u8::from(is_safe));
            conserved.min(ssthresh.floor() - in_flight)
        };
        if self.sent == 0.0 && more < 1.0 {
            more = 1.0; // the first segment is retransmitted at once
        }
        in_flight + more.max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 9937, section 6, by hand: 20 in flight, one lost, threshold 10: of each two ACKs one lets a packet go.
    #[test]
    fn one_packet_goes_for_every_two_that_arrive() {
        let mut prr = Prr::begin(20, 0);
        let mut in_flight = 19;
        let mut sent = Vec::new();
        for _ in 0..18 {
            in_flight -= 1;
            let more = prr.window(1, in_flight, 10.0, false) as u32 - in_flight;
            for _ in 0..more {
                prr.sends();
            }
            in_flight += more;
            sent.push(more);
        }
        assert_eq!(sent[..8], [1, 0, 1, 0, 1, 0, 1, 0]);
        assert_eq!(in_flight, 10);
    }

    // Burst loss: 15 of 20 are lost, 5 in flight and threshold 10: conservation, one more for each good ACK.
    #[test]
    fn a_window_that_fell_below_the_threshold_grows_back_while_it_is_safe() {
        let mut prr = Prr::begin(20, 0);
        assert_eq!(prr.window(1, 4, 10.0, false), 5.0);
        prr.sends();
        assert_eq!(prr.window(1, 4, 10.0, true), 6.0);
        prr.sends();
        prr.sends();
        assert_eq!(prr.window(8, 9, 10.0, true), 10.0, "not beyond the threshold");
    }
}
