//! Validation of the congestion window: it grows only while it is used, and decays while it is not.
//!
//! Source: RFC 2861; RFC 7661; RFC 5681, section 4.1 (restart after idle); Linux, `tcp_cwnd_validate`, `tcp_is_cwnd_limited`,
//! `tcp_cwnd_application_limited`, `tcp_cwnd_restart`.
//! What it decides: whether the window limits the sender, and how it decays: to half way between it and what was used, once
//! per RTO; after an idle time it is halved per RTO, down to the initial window.
//! Departures: none. Not implemented: nothing.
//! Checked against: packetdrill's scripts; by hand, below.

use super::super::Socket;
use super::super::clock::Instant;
use super::{CaState, Sender};

impl Sender {
    /// `tcp_is_cwnd_limited`. In slow start it is enough that half of the window is used.
    #[inline]
    pub(super) fn is_cwnd_limited(&self) -> bool {
        self.is_cwnd_limited || (self.window.in_slow_start() && self.snd_cwnd() < 2 * self.max_packets_out)
    }

    /// Remembers how much of the window was used in this window of data.
    fn note_usage(&mut self, is_cwnd_limited: bool) {
        if !self.snd_una.before(self.cwnd_usage_seq)
            || is_cwnd_limited
            || (!self.is_cwnd_limited && self.packets_out > self.max_packets_out)
        {
            self.is_cwnd_limited = is_cwnd_limited;
            self.max_packets_out = self.packets_out;
            self.cwnd_usage_seq = self.snd_nxt;
        }
    }

    /// `tcp_cwnd_application_limited`: the window was not full for an RTO.
    fn cwnd_application_limited(&mut self, now: Instant, init_cwnd: u32) {
        if self.ca_state == CaState::Open && !self.nospace {
            let win_used = self.snd_cwnd_used.max(init_cwnd);
            let cwnd = self.snd_cwnd();
            if win_used < cwnd {
                self.window.ssthresh = self.current_ssthresh();
                self.set_snd_cwnd((cwnd + win_used) / 2);
            }
            self.snd_cwnd_used = 0;
        }
        self.snd_cwnd_stamp = now;
    }
}

impl Socket {
    /// `tcp_cwnd_validate`: after sending. `is_cwnd_limited` if the window stopped it.
    #[inline]
    pub(super) fn cwnd_validate(&mut self, now: Instant, is_cwnd_limited: bool) {
        let snd = &mut self.snd;
        snd.note_usage(is_cwnd_limited);
        if snd.is_cwnd_limited() {
            snd.snd_cwnd_used = 0;
            snd.snd_cwnd_stamp = now;
            return;
        }
        snd.snd_cwnd_used = snd.snd_cwnd_used.max(snd.packets_out);
        let is_unused_for_rto = now.since(snd.snd_cwnd_stamp) >= snd.rto;
        if self.config.slow_start_after_idle && is_unused_for_rto && !snd.control.has_cong_control() {
            snd.cwnd_application_limited(now, self.config.init_cwnd);
        }
        if snd.write_queue.is_empty() && snd.nospace {
            snd.chrono.set_sndbuf_limited(now, true);
        }
    }

    /// `tcp_slow_start_after_idle_check`: before new data, with nothing in flight: the window decays after an RTO.
    pub(super) fn slow_start_after_idle_check(&mut self, now: Instant) {
        let snd = &self.snd;
        if !self.config.slow_start_after_idle || snd.packets_out > 0 || snd.control.has_cong_control() {
            return;
        }
        let Some(lsndtime) = snd.lsndtime else { return };
        let (idle, rto) = (now.since(lsndtime), snd.rto);
        if idle <= rto {
            return;
        }
        // `tcp_cwnd_restart`: one halving for each RTO but the first.
        let timeouts = ((idle.0 - 1) / rto.0.max(1)) as u32;
        let ssthresh = snd.current_ssthresh();
        self.idle_restart(now, timeouts);
        let snd = &mut self.snd;
        snd.window.cwnd = snd.window.cwnd.floor().max(1.0);
        snd.window.ssthresh = ssthresh;
        snd.snd_cwnd_stamp = now;
        snd.snd_cwnd_used = 0;
    }

    /// Tells the control of an idle time, once.
    fn idle_restart(&mut self, now: Instant, timeouts: u32) {
        let Some(lsndtime) = self.snd.lsndtime else { return };
        let restart_cwnd = f64::from(self.config.init_cwnd).min(self.snd.window.cwnd);
        let path = self.path(now);
        let snd = &mut self.snd;
        snd.idle_was_reported = true;
        let idle_s = now.since(lsndtime).as_secs_f64();
        snd.control.on_idle_restart(idle_s, timeouts, restart_cwnd, &path, &mut snd.window);
    }

    /// `CA_EVENT_TX_START`: data are sent with nothing in flight.
    pub(super) fn on_tx_start(&mut self, now: Instant) {
        if !std::mem::take(&mut self.snd.idle_was_reported) {
            self.idle_restart(now, 0);
            self.snd.idle_was_reported = false;
        }
    }

    /// `tcp_rate_check_app_limited`: before the application writes: is there nothing left to send?
    pub(super) fn rate_check_app_limited(&mut self) {
        let snd = &mut self.snd;
        let notsent = snd.write_seq.since(snd.snd_nxt) as u32;
        let in_flight = snd.packets_in_flight();
        if notsent < snd.mss_cache && in_flight < snd.snd_cwnd() && snd.lost_out <= snd.retrans_out {
            snd.delivery.set_app_limited(in_flight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::config::Config;
    use super::super::super::seq::SeqNum;
    use super::*;

    // RFC 2861, section 3: the window becomes (cwnd + used) / 2, and ssthresh 3/4 of it.
    #[test]
    fn an_unused_window_decays() {
        let mut snd = Sender::new(&Config::default(), SeqNum(0));
        snd.window.cwnd = 100.0;
        snd.window.ssthresh = 50.0;
        snd.snd_cwnd_used = 20;
        snd.cwnd_application_limited(Instant(5), 10);
        assert_eq!((snd.snd_cwnd(), snd.snd_ssthresh(), snd.snd_cwnd_used), (60, 75, 0));
        snd.snd_cwnd_used = 2;
        snd.cwnd_application_limited(Instant(5), 10);
        assert_eq!(snd.snd_cwnd(), 35, "at least the initial window counts as used");
    }

    // RFC 7661: in slow start, a window of which half is used may grow.
    #[test]
    fn half_a_window_is_enough_in_slow_start() {
        let mut snd = Sender::new(&Config::default(), SeqNum(0));
        snd.packets_out = 6;
        snd.note_usage(false);
        assert!(snd.is_cwnd_limited());
        snd.window.ssthresh = 10.0;
        assert!(!snd.is_cwnd_limited(), "not in congestion avoidance");
        snd.note_usage(true);
        assert!(snd.is_cwnd_limited());
    }
}
