//! Pacing: packets are spread over time, at the congestion control's rate or at one computed from the window.
//!
//! Source: Linux, `tcp_update_pacing_rate`, `tcp_update_skb_after_send`, `tcp_needs_internal_pacing`;
//! draft-ietf-ccwg-bbr, section 4.6.2.
//! What it decides: the rate (200 % of a window per round trip in slow start, 120 % after it), and the earliest time of
//! the next segment.
//! Departures: none. Not implemented: nothing.
//! Checked against: by hand, below.

use super::super::Socket;
use super::super::config::Config;
use super::Sender;

/// The first packets of a connection are not paced.
const UNPACED_PACKETS: u32 = 10;

impl Sender {
    /// `tcp_update_pacing_rate`: bytes per second.
    pub(super) fn update_pacing_rate(&mut self, config: &Config) {
        if let Some(per_s) = self.window.pacing_per_s {
            self.pacing_rate = ((per_s * f64::from(self.mss_cache)) as u64).clamp(1, self.max_pacing_rate);
            return;
        }
        if self.rtt.srtt_us == 0 {
            return;
        }
        let cwnd = self.snd_cwnd();
        let percent = if cwnd < self.snd_ssthresh() / 2 { config.pacing_ss_ratio } else { config.pacing_ca_ratio };
        // mss * cwnd / srtt, with srtt_us = 8 SRTT.
        let rate = u64::from(self.mss_cache) * (1_000_000 / 100 * 8) * u64::from(percent);
        let rate = rate.saturating_mul(u64::from(cwnd.max(self.packets_out))) / u64::from(self.rtt.srtt_us);
        self.pacing_rate = rate.min(self.max_pacing_rate);
    }

    /// `tcp_update_skb_after_send`: the next segment may go when these bytes would be sent at the rate.
    fn advance_wstamp(&mut self, bytes: u32, prior_wstamp_ns: u64) {
        if self.pacing_rate == 0 || self.pacing_rate == u64::MAX || self.data_segs_out < UNPACED_PACKETS {
            return;
        }
        let mut len_ns = u64::from(bytes) * 1_000_000_000 / self.pacing_rate;
        // What the last segment was late is made up for, up to half of the time.
        let credit_ns = self.wstamp_ns - prior_wstamp_ns;
        len_ns -= credit_ns.min(len_ns / 2);
        self.wstamp_ns += len_ns;
    }
}

impl Socket {
    /// `tcp_needs_internal_pacing`.
    #[inline]
    pub(super) fn needs_internal_pacing(&self) -> bool {
        self.config.pacing || self.snd.window.pacing_per_s.is_some() || self.snd.max_pacing_rate != u64::MAX
    }

    /// A segment was sent.
    #[inline]
    pub(super) fn update_wstamp_after_send(&mut self, bytes: u32, prior_wstamp_ns: u64) {
        if self.needs_internal_pacing() {
            self.snd.advance_wstamp(bytes, prior_wstamp_ns);
        }
    }

    /// `SO_MAX_PACING_RATE`, bytes per second.
    pub(in super::super) fn set_max_pacing_rate(&mut self, bytes_per_s: u64) {
        self.snd.max_pacing_rate = bytes_per_s;
        self.snd.pacing_rate = self.snd.pacing_rate.min(bytes_per_s);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::seq::SeqNum;
    use super::*;

    // 10 packets of 1000 bytes per 100 ms are 100,000 bytes/s; twice that in slow start, 1.2 times after it. 2000 bytes at
    // 120,000 bytes/s take 16.667 ms.
    #[test]
    fn the_rate_is_a_multiple_of_a_window_per_round_trip() {
        let config = Config::default();
        let mut snd = Sender::new(&config, SeqNum(0));
        (snd.mss_cache, snd.rtt.srtt_us) = (1000, 100_000 * 8);
        snd.update_pacing_rate(&config);
        assert_eq!(snd.pacing_rate, 200_000);
        snd.window.ssthresh = 19.0;
        snd.update_pacing_rate(&config);
        assert_eq!(snd.pacing_rate, 120_000);
        snd.wstamp_ns = 1_000_000;
        snd.advance_wstamp(2000, 1_000_000);
        assert_eq!(snd.wstamp_ns, 1_000_000, "the first ten packets are not paced");
        snd.data_segs_out = 10;
        snd.advance_wstamp(2000, 1_000_000);
        assert_eq!(snd.wstamp_ns, 17_666_666);
        // 10 ms late: up to half of the time is made up for.
        snd.wstamp_ns = 27_666_666;
        snd.advance_wstamp(2000, 17_666_666);
        assert_eq!(snd.wstamp_ns, 27_666_666 + 8_333_333);
    }
}
