//! Linux's congestion window: a whole number of packets (`snd_cwnd`) and a counter (`snd_cwnd_cnt`).
//!
//! Source: Linux 6.12, net/ipv4/tcp_cong.c (`tcp_slow_start`, `tcp_cong_avoid_ai`), tcp_input.c (`tcp_may_raise_cwnd`) and
//! tcp_output.c (`tcp_cwnd_restart`).

use super::{Ack, Path, Window};

/// `TCP_REORDERING`, the initial `tcp_reordering`, packets.
const REORDERING: u32 = 3;

/// `snd_cwnd`: the window in whole packets.
pub fn snd_cwnd(window: &Window) -> u32 {
    window.cwnd as u32
}

/// `tcp_may_raise_cwnd`: whether an ACK may raise the window. It must acknowledge data in order. On a path that reorders
/// more than usual, data that SACK reports are enough.
pub fn may_raise_cwnd(ack: &Ack, path: &Path) -> bool {
    ack.acked > 0 || (path.reordering > REORDERING && ack.sacked > 0)
}

/// `tcp_slow_start`: one packet per packet acknowledged, up to `ssthresh`. Returns the packets left for congestion
/// avoidance.
pub fn slow_start(window: &mut Window, acked: u32) -> u32 {
    let cwnd = snd_cwnd(window);
    let reached = f64::from(cwnd.saturating_add(acked)).min(window.ssthresh.floor());
    window.cwnd = reached;
    acked - (reached as u32 - cwnd)
}

/// `tcp_cwnd_restart`: after `timeouts` idle timeouts the window is halved for each of them, down to `initial` packets.
/// The threshold becomes at least `tcp_current_ssthresh`, 3/4 of the window.
pub fn restart(window: &mut Window, timeouts: u32, initial: f64) {
    if timeouts == 0 {
        return;
    }
    let cwnd = snd_cwnd(window);
    window.ssthresh = window.ssthresh.max(f64::from((cwnd >> 1) + (cwnd >> 2)));
    let restart_cwnd = (initial as u32).min(cwnd);
    window.cwnd = f64::from((cwnd >> timeouts.min(31)).max(restart_cwnd));
}

/// `snd_cwnd_cnt`: packets acknowledged since the window grew last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CwndCount(u32);

impl CwndCount {
    /// `tcp_cong_avoid_ai`: the window grows by one packet for every `w` packets acknowledged.
    pub fn cong_avoid_ai(&mut self, window: &mut Window, w: u32, acked: u32) {
        // Credit from a time of slower growth counts as one packet.
        let mut cwnd = snd_cwnd(window);
        if self.0 >= w {
            self.0 = 0;
            cwnd += 1;
        }
        self.0 += acked;
        if self.0 >= w {
            cwnd += self.0 / w;
            self.0 %= w;
        }
        window.cwnd = f64::from(cwnd);
    }

    /// A congestion event clears the counter (`tcp_init_cwnd_reduction`, `tcp_enter_loss`).
    pub fn reset(&mut self) {
        self.0 = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(cwnd: f64, ssthresh: f64) -> Window {
        Window { cwnd, ssthresh, pacing_per_s: None, holds_back: false }
    }

    // tcp_slow_start by hand: 10 + 4 of 12 leaves 2 of them.
    #[test]
    fn slow_start_ends_at_ssthresh() {
        let mut window = window(10.0, 12.0);
        assert_eq!((slow_start(&mut window, 4), window.cwnd), (2, 12.0));
        window.ssthresh = f64::INFINITY;
        assert_eq!((slow_start(&mut window, 4), window.cwnd), (0, 16.0));
    }

    // tcp_cong_avoid_ai by hand: with w = 10, acknowledging 4, 4 and 14 packets gives 10, 10 and 12 with 2 in the
    // counter. With w = 2 the next 1 gives 13 for the old credit, and leaves 1.
    #[test]
    fn the_window_grows_by_whole_packets() {
        let (mut window, mut count) = (window(10.0, 2.0), CwndCount::default());
        let mut seen = Vec::new();
        for (w, acked) in [(10, 4), (10, 4), (10, 14), (2, 1)] {
            count.cong_avoid_ai(&mut window, w, acked);
            seen.push((window.cwnd, count.0));
        }
        assert_eq!(seen, [(10.0, 4), (10.0, 8), (12.0, 2), (13.0, 1)]);
    }

    // tcp_cwnd_restart by hand: 45 packets are 11 after two timeouts, and at least 10 after more; ssthresh is 22 + 11.
    #[test]
    fn an_idle_window_is_halved_per_timeout() {
        for (timeouts, cwnd, ssthresh) in [(0, 45.0, 8.0), (1, 22.0, 33.0), (2, 11.0, 33.0), (5, 10.0, 33.0)] {
            let mut window = window(45.0, 8.0);
            restart(&mut window, timeouts, 10.0);
            assert_eq!((window.cwnd, window.ssthresh), (cwnd, ssthresh));
        }
    }

    // tcp_may_raise_cwnd: FLAG_DATA_ACKED, or FLAG_FORWARD_PROGRESS on a path that reorders.
    #[test]
    fn only_acks_of_new_data_in_order_raise_the_window() {
        let sacked = Ack { delivered: 1, sacked: 1, ..Ack::default() };
        assert!(!may_raise_cwnd(&sacked, &Path::default()));
        assert!(may_raise_cwnd(&sacked, &Path { reordering: 4, ..Path::default() }));
        assert!(may_raise_cwnd(&Ack { acked: 1, ..sacked }, &Path::default()));
    }
}
