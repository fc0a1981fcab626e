//! TCP Prague: the scalable congestion control of L4S. It adapts DCTCP to the Internet with pacing and reduced RTT
//! dependence.
//!
//! Source: K. De Schepper, O. Tilmans, B. Briscoe, V. Goel, draft-briscoe-iccrg-prague-congestion-control-04, sections
//! 2.3 (measuring), 2.4 (response), 2.5.1 (pacing); RFC 9331, section 4.
//! What it decides: `alpha`, the fraction of marked packets, averaged once per round trip of at least 25 ms with weight
//! 1/16. A mark reduces the window by the factor 1 - `alpha` / 2, a loss halves it. The window grows by one packet per
//! round trip; below 25 ms, by (RTT / 25 ms)^2 packets. Marked packets do not let it grow.
//! Departures: a loss always halves the window, where the draft allows CUBIC's factor. Flows with short RTTs grow less
//! from the start, not only after 500 round trips. A mark reduces the window once per round trip, not once in 25 ms
//! (2.4.4). The pacing rate is doubled while the window is below half of `ssthresh`, as in Linux.
//! Not implemented: the fall-back for classic ECN bottlenecks, which the draft leaves to a monitor; windows below two
//! packets.
//! Checked against: the draft's equations by hand; the wire (tests/spec/test_modern_marks.py).

use super::{Ack, CongestionEvent, Control, Entry, Feedback, MIN_SSTHRESH, Path, Response, Window};
use crate::params;
use crate::params::own_params;

/// Prague's entry of the registry.
pub const ENTRY: Entry = Entry {
    id: "prague",
    about: "gives way in proportion to marks, paced, for L4S (draft-briscoe-iccrg-prague-congestion-control)",
    make: || Box::new(Prague::default()),
};

struct Prague {
    /// `g`: the weight of a round trip's fraction in `alpha` (2.3.2).
    g: f64,
    /// `RTT_virt`: the min virtual RTT, s. Flows with a shorter RTT grow as if they had this one (2.4.4).
    rtt_virt: f64,
    /// `alpha`: the estimated fraction of marked packets (2.3.2).
    alpha: f64,
    /// Packets delivered since the last update of `alpha`.
    packets_acked: u32,
    /// Those of them that were marked.
    packets_marked: u32,
    /// When `alpha` was updated last, s.
    alpha_updated_s: f64,
    /// `alpha` before the last congestion event, restored if it was spurious.
    undo_alpha: f64,
}

params!(Prague { g, rtt_virt, alpha });

impl Default for Prague {
    fn default() -> Prague {
        Prague {
            g: 1.0 / 16.0,
            rtt_virt: 0.025,
            alpha: 1.0,
            packets_acked: 0,
            packets_marked: 0,
            alpha_updated_s: 0.0,
            undo_alpha: 1.0,
        }
    }
}

impl Prague {
    /// Updates `alpha` at the end of a round that took at least `RTT_virt` (2.3.2).
    fn update_alpha(&mut self, ack: &Ack, path: &Path) {
        self.packets_acked += ack.delivered;
        self.packets_marked += ack.marked;
        let is_due = path.now_s >= self.alpha_updated_s + path.srtt_s.max(self.rtt_virt);
        if ack.ends_round && is_due {
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
        self.set_pacing_rate(path, window);
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.update_alpha(ack, path);
        if path.is_limited && !path.is_recovering {
            let mut packets = f64::from(ack.delivered.saturating_sub(ack.marked));
            if window.in_slow_start() {
                packets = window.slow_start(packets);
            }
            // 2.4.3 and 2.4.4: the additive increase, packets per round trip.
            let ai_per_rtt = (path.srtt_s / self.rtt_virt).min(1.0).powi(2);
            window.cwnd += ai_per_rtt * packets / window.cwnd;
        }
        self.set_pacing_rate(path, window);
    }

    fn on_congestion_event(&mut self, event: CongestionEvent, _path: &Path, window: &mut Window) -> Response {
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

    // 2.4.3, 2.4.4: at 5 ms a window of 20 grows by (5/25)^2 = 0.04 packets per round trip, at 25 ms and above by 1;
    // marked packets add nothing. 2.5.1: 20 packets in 50 ms are paced at 400 packets/s.
    #[test]
    fn short_round_trips_grow_as_if_they_were_25_ms() {
        for (srtt_s, marked, more) in [(0.005, 0, 0.04), (0.025, 0, 1.0), (0.1, 0, 1.0), (0.025, 20, 0.0)] {
            let (mut prague, mut window) = (Prague::default(), window(20.0));
            let path = Path { srtt_s, is_limited: true, ..Path::default() };
            prague.on_ack(&Ack { delivered: 20, marked, ..Ack::default() }, &path, &mut window);
            assert!((window.cwnd - 20.0 - more).abs() < 1e-9);
            assert!((window.pacing_per_s.unwrap() - window.cwnd / srtt_s).abs() < 1e-6);
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
