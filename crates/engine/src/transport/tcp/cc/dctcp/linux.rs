//! DCTCP as in Linux: whole packets, and `alpha` in 1024ths.
//!
//! Source: Linux 6.12, net/ipv4/tcp_dctcp.c, whose names are used without `dctcp_`.

use super::super::linux_window::{self, CwndCount, may_raise_cwnd, snd_cwnd};
use super::super::{Ack, CaState, CongestionEvent, Path, Window};

/// `DCTCP_MAX_ALPHA`: all packets are marked.
const MAX_ALPHA: u32 = 1024;
/// Min threshold, packets.
const MIN_SSTHRESH: u32 = 2;

/// `struct dctcp`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LinuxDctcp {
    alpha: u32,
    old_delivered: u64,
    old_delivered_ce: u64,
    next_seq: u64,
    loss_cwnd: u32,
    ca_state: CaState,
    count: CwndCount,
}

impl LinuxDctcp {
    /// `init`, with `alpha` of 0 to 1.
    pub fn start(alpha: f64, path: &Path) -> LinuxDctcp {
        let alpha = (alpha.clamp(0.0, 1.0) * f64::from(MAX_ALPHA)).round() as u32;
        let mut linux = LinuxDctcp { alpha, ..LinuxDctcp::default() };
        linux.reset(path.delivered, path);
        linux
    }

    /// `alpha` of 0 to 1.
    pub fn alpha(&self) -> f64 {
        f64::from(self.alpha) / f64::from(MAX_ALPHA)
    }

    fn reset(&mut self, delivered: u64, path: &Path) {
        (self.next_seq, self.old_delivered, self.old_delivered_ce) = (path.snd_nxt, delivered, path.delivered_ce);
    }

    /// `update_alpha`: once per round trip, with the weight 2^-`shift_g`. It runs before the packets that the ACK number
    /// covers are counted.
    pub fn update_alpha(&mut self, ack: &Ack, path: &Path, shift_g: u32) {
        if path.snd_una < self.next_seq {
            return;
        }
        let now_delivered = path.delivered - u64::from(ack.delivered.saturating_sub(ack.sacked));
        let delivered = now_delivered.saturating_sub(self.old_delivered) as u32;
        let delivered_ce = path.delivered_ce.saturating_sub(self.old_delivered_ce) as u32;
        let less = self.alpha >> shift_g;
        self.alpha -= if less == 0 { self.alpha } else { less };
        if delivered_ce > 0 {
            let share = (delivered_ce << (10 - shift_g)) / delivered.max(1);
            self.alpha = (self.alpha + share).min(MAX_ALPHA);
        }
        self.reset(now_delivered, path);
    }

    /// `tcp_reno_cong_avoid`.
    pub fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if path.is_recovering || !path.is_limited || !may_raise_cwnd(ack, path) {
            return;
        }
        let mut acked = ack.delivered;
        if window.in_slow_start() {
            acked = linux_window::slow_start(window, acked);
            if acked == 0 {
                return;
            }
        }
        self.count.cong_avoid_ai(window, snd_cwnd(window), acked);
    }

    /// `ssthresh`, and `cwnd_event` with `CA_EVENT_LOSS` at a timeout.
    pub fn on_congestion_event(&mut self, event: CongestionEvent, window: &mut Window) {
        let cwnd = snd_cwnd(window);
        self.count.reset();
        self.loss_cwnd = cwnd;
        let ssthresh = cwnd - ((cwnd * self.alpha) >> 11);
        window.ssthresh = f64::from(ssthresh.max(MIN_SSTHRESH));
        if event == CongestionEvent::Timeout {
            self.react_to_loss(window);
        }
    }

    fn react_to_loss(&mut self, window: &mut Window) {
        self.loss_cwnd = snd_cwnd(window);
        window.ssthresh = f64::from((self.loss_cwnd >> 1).max(MIN_SSTHRESH));
    }

    /// `state`: a loss halves the window, also if a reduction after a mark is under way.
    pub fn on_state(&mut self, state: CaState, window: &mut Window) {
        if state == CaState::Recovery && self.ca_state != CaState::Recovery {
            self.react_to_loss(window);
        }
        if state == CaState::Loss {
            self.count.reset();
        }
        self.ca_state = state;
    }

    /// `cwnd_undo`.
    pub fn on_spurious_loss(&self, window: &mut Window) {
        window.cwnd = window.cwnd.max(f64::from(self.loss_cwnd));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // dctcp_update_alpha by hand, shift_g 4: 1024 - 64 = 960 without marks; with 5 of 20 packets marked, 960 - 60 + (5 * 64) /
    // 20 = 916. A mark reduces 100 packets to 100 - (100 * 916 >> 11) = 56, a loss to 50.
    #[test]
    fn alpha_and_the_threshold_are_whole_numbers() {
        let mut linux = LinuxDctcp::start(1.0, &Path::default());
        let ack = Ack::default();
        linux.update_alpha(&ack, &Path { snd_una: 10, snd_nxt: 30, delivered: 10, ..Path::default() }, 4);
        assert_eq!(linux.alpha, 960);
        linux.update_alpha(&ack, &Path { snd_una: 29, snd_nxt: 40, delivered: 29, ..Path::default() }, 4);
        assert_eq!(linux.alpha, 960, "the round trip is not over");
        linux.update_alpha(
            &ack,
            &Path { snd_una: 30, snd_nxt: 50, delivered: 30, delivered_ce: 5, ..Path::default() },
            4,
        );
        assert_eq!(linux.alpha, 916);
        let mut window = Window { cwnd: 100.0, ssthresh: 50.0, pacing_per_s: None, holds_back: false };
        linux.on_congestion_event(CongestionEvent::Mark, &mut window);
        assert_eq!(window.ssthresh, 56.0);
        linux.on_state(CaState::Cwr, &mut window);
        linux.on_state(CaState::Recovery, &mut window);
        assert_eq!(window.ssthresh, 50.0);
    }

    // An alpha too small to lose a sixteenth becomes 0 (min_not_zero).
    #[test]
    fn a_small_alpha_vanishes() {
        let mut linux = LinuxDctcp::start(15.0 / 1024.0, &Path::default());
        linux.update_alpha(&Ack::default(), &Path::default(), 4);
        assert_eq!(linux.alpha, 0);
    }
}
