//! TCP Prague: the scalable congestion control of L4S. It adapts DCTCP to the Internet with pacing and reduced RTT
//! dependence.
//!
//! Source: K. De Schepper, O. Tilmans, B. Briscoe, V. Goel, draft-briscoe-iccrg-prague-congestion-control-04, sections
//! 2.3 (measuring), 2.4 (response), 2.5.1 (pacing); RFC 9331, section 4; L4STeam's Linux, net/ipv4/tcp_prague.c, version
//! 0.6 (commit 02573a2), for RTT independence.
//! What it decides: `alpha`, the fraction of marked packets, averaged once per round trip with weight 1/16. A mark
//! reduces the window by the factor 1 - `alpha` / 2, a loss halves it. The window grows by one packet per round trip.
//! Marked packets do not let it grow. After 500 round trips of congestion avoidance a flow with an RTT below 25 ms
//! becomes independent of it: the window grows by (RTT / 25 ms)^2 packets per round trip, and `alpha` is averaged and
//! the window reduced at most once in 25 ms (2.4.4).
//! Departures: a loss always halves the window, where the draft allows CUBIC's factor. The pacing rate is doubled while
//! the window is below half of `ssthresh`, as in Linux. A mark reduces the window at once, where Linux takes a packet per
//! ACK. Bursts are those of other senders, about 1 ms of the pacing rate, where Linux's last 0.25 ms (`prague_tso_segs`).
//! Not implemented: the fall-back for classic ECN bottlenecks, which the draft leaves to a monitor; windows below two
//! packets.
//! Checked against: the draft's equations by hand; the wire (tests/spec/test_tcp_marks.py).

use super::{Ack, CongestionEvent, Control, Entry, Feedback, MIN_SSTHRESH, Path, Response, Window};
use crate::params::{Params, own_params};

/// Prague's entry of the registry.
pub const ENTRY: Entry = Entry {
    id: "prague",
    about: "TCP Prague: reduces in proportion to marks, paced, for L4S (draft-briscoe-iccrg-prague-congestion-control)",
    make: || Box::new(Prague::default()),
};

#[derive(Params)]
struct Prague {
    /// The weight of a round trip's fraction of marks in their average.
    // `g` (2.3.2).
    #[param("")]
    g: f64,
    /// Flows with a shorter RTT grow as if it were this, s.
    // `RTT_virt` (2.4.4).
    #[param("s")]
    rtt_virt: f64,
    /// The initial average fraction of marks.
    // `alpha` (2.3.2).
    #[param("")]
    alpha: f64,
    /// Packets delivered since the last update of `alpha`.
    packets_acked: u32,
    /// Those of them that were marked.
    packets_marked: u32,
    /// Round trips of congestion avoidance after which they do.
    // `rtt_transition_delay`.
    #[param("")]
    rtt_transition: i32,
    /// `round`: round trips of congestion avoidance, counted with the updates of `alpha`.
    round: i32,
    /// When `alpha` was updated last, s.
    alpha_updated_s: f64,
    /// `cwr_stamp`: when a mark reduced the window last, s.
    reduced_s: f64,
    /// `alpha` before the last congestion event, restored if it was spurious.
    undo_alpha: f64,
}

impl Default for Prague {
    fn default() -> Prague {
        Prague {
            g: 1.0 / 16.0,
            rtt_virt: 0.025,
            alpha: 1.0,
            packets_acked: 0,
            packets_marked: 0,
            rtt_transition: 500,
            round: 0,
            alpha_updated_s: 0.0,
            reduced_s: f64::NEG_INFINITY,
            undo_alpha: 1.0,
        }
    }
}

impl Prague {
    /// Whether the flow is independent of its RTT (2.4.4; `prague_is_rtt_indep`).
    fn is_rtt_independent(&self, window: &Window) -> bool {
        !window.in_slow_start() && self.round >= self.rtt_transition
    }

    /// Updates `alpha` at the end of a round, or of a virtual round of `RTT_virt` (2.3.2).
    fn update_alpha(&mut self, ack: &Ack, path: &Path, window: &Window) {
        self.packets_acked += ack.delivered;
        self.packets_marked += ack.marked;
        let is_due = !self.is_rtt_independent(window) || path.now_s >= self.alpha_updated_s + self.rtt_virt;
        if ack.ends_round && is_due {
            if !window.in_slow_start() {
                self.round = self.round.saturating_add(1);
            }
            let frac = f64::from(self.packets_marked) / f64::from(self.packets_acked.max(1));
            self.alpha += self.g * (frac.min(1.0) - self.alpha);
            (self.packets_acked, self.packets_marked, self.alpha_updated_s) = (0, 0, path.now_s);
        }
    }

    /// Sets the pacing rate (2.5.1).
    fn set_pacing_rate(&self, path: &Path, window: &mut Window) {
        if path.srtt_s > 0.0 {
            let ratio = if window.cwnd < window.ssthresh / 2.0 { 2.0 } else { 1.0 };
            window.pacing_per_s = Some(ratio * window.cwnd.max(f64::from(path.in_flight)) / path.srtt_s);
        }
    }
}

impl Control for Prague {
    fn start(&mut self, path: &Path, window: &mut Window) {
        (self.packets_acked, self.packets_marked, self.alpha_updated_s) = (0, 0, path.now_s);
        (self.round, self.reduced_s) = (0, f64::NEG_INFINITY);
        self.set_pacing_rate(path, window);
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.update_alpha(ack, path, window);
        if path.is_limited && !path.is_recovering {
            let mut packets = f64::from(ack.delivered.saturating_sub(ack.marked));
            if window.in_slow_start() {
                packets = window.slow_start(packets);
            }
            // 2.4.3 and 2.4.4: the additive increase, packets per round trip.
            let is_scaled = self.round >= self.rtt_transition && path.srtt_s > 0.0;
            let ai_per_rtt = if is_scaled { (path.srtt_s / self.rtt_virt).min(1.0).powi(2) } else { 1.0 };
            window.cwnd += ai_per_rtt * packets / window.cwnd;
        }
        self.set_pacing_rate(path, window);
    }

    fn on_congestion_event(&mut self, event: CongestionEvent, path: &Path, window: &mut Window) -> Response {
        if event == CongestionEvent::Mark {
            // 2.4.4: at most one reduction in a virtual RTT (`prague_enter_cwr`).
            if self.is_rtt_independent(window) && path.now_s < self.reduced_s + self.rtt_virt {
                return Response::Own;
            }
            self.reduced_s = path.now_s;
        }
        self.undo_alpha = self.alpha;
        if event == CongestionEvent::Mark && !window.ssthresh.is_finite() {
            // The first mark of the connection ends slow start: respond as if all packets were marked.
            self.alpha = 1.0;
        }
        let beta = if event == CongestionEvent::Mark { 1.0 - self.alpha / 2.0 } else { 0.5 };
        window.ssthresh = (window.cwnd * beta).max(MIN_SSTHRESH);
        if event != CongestionEvent::Mark {
            return Response::Reduce;
        }
        window.cwnd = window.ssthresh;
        Response::Own
    }

    fn on_spurious_loss(&mut self, _path: &Path, _window: &mut Window) {
        self.alpha = self.undo_alpha;
    }

    /// As in Linux, a control with a pacing rate of its own keeps its window when sending resumes.
    fn on_idle_restart(&mut self, _idle_s: f64, _timeouts: u32, _initial: f64, _path: &Path, _window: &mut Window) {}

    fn has_cong_control(&self) -> bool {
        true
    }

    fn feedback(&self) -> Feedback {
        Feedback::Counted
    }

    fn is_scalable(&self) -> bool {
        true
    }

    own_params!();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(cwnd: f64) -> Window {
        Window { cwnd, ssthresh: 10.0, pacing_per_s: None, holds_back: false }
    }

    // 2.4.3, 2.4.4: at 5 ms a window of 20 grows by (5/25)^2 = 0.04 packets per round trip after 500 of them, at 25 ms
    // and above, or before, by 1; marked packets add nothing. 2.5.1: 20 packets in 50 ms are paced at 400 packets/s.
    #[test]
    fn short_round_trips_grow_as_if_they_were_25_ms() {
        let cases = [
            (0.005, 500, 0, 0.04),
            (0.005, 499, 0, 1.0),
            (0.025, 500, 0, 1.0),
            (0.1, 500, 0, 1.0),
            (0.025, 0, 20, 0.0),
        ];
        for (srtt_s, round, marked, more) in cases {
            let (mut prague, mut window) = (Prague { round, ..Prague::default() }, window(20.0));
            let path = Path { srtt_s, is_limited: true, ..Path::default() };
            prague.on_ack(&Ack { delivered: 20, marked, ..Ack::default() }, &path, &mut window);
            assert!((window.cwnd - 20.0 - more).abs() < 1e-9);
            assert!((window.pacing_per_s.unwrap() - window.cwnd / srtt_s).abs() < 1e-6);
        }
    }

    // 2.4.4 and prague_enter_cwr: at 5 ms a mark reduces the window each round trip for 500 of them, then once in 25 ms.
    #[test]
    fn a_mark_reduces_the_window_once_in_a_virtual_round_trip() {
        for (round, expected) in [(499, [50.0, 25.0, 12.5]), (500, [50.0, 50.0, 25.0])] {
            let (mut prague, mut window) = (Prague { round, ..Prague::default() }, window(100.0));
            for (now_s, cwnd) in [1.0, 1.005, 1.025].into_iter().zip(expected) {
                let path = Path { now_s, srtt_s: 0.005, ..Path::default() };
                prague.on_congestion_event(CongestionEvent::Mark, &path, &mut window);
                assert_eq!(window.cwnd, cwnd, "{round} {now_s}");
            }
        }
    }

    // With 10 % of the packets marked, alpha is 0.1: a mark reduces the window by 5 %, a loss halves it.
    #[test]
    fn a_mark_takes_half_of_alpha() {
        let (mut prague, mut window) = (Prague::default(), window(100.0));
        for step in 0..300 {
            let path = Path { srtt_s: 0.03, now_s: 0.031 * f64::from(step), is_recovering: true, ..Path::default() };
            prague.on_ack(&Ack { delivered: 10, marked: 1, ends_round: true, ..Ack::default() }, &path, &mut window);
        }
        prague.on_congestion_event(CongestionEvent::Mark, &Path::default(), &mut window);
        assert!((window.cwnd - 95.0).abs() < 0.01, "{}", window.cwnd);
        window.cwnd = 100.0;
        prague.on_congestion_event(CongestionEvent::Loss, &Path::default(), &mut window);
        assert_eq!(window.ssthresh, 50.0);
    }
}
