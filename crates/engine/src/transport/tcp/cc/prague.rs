//! TCP Prague: DCTCP's answer to marks, made for the Internet: paced, and fair among flows of short round trips.
//!
//! Source: K. De Schepper, O. Tilmans, B. Briscoe, V. Goel, draft-briscoe-iccrg-prague-congestion-control-04, sections
//! 2.3 (measuring), 2.4 (response), 2.5.1 (pacing); RFC 9331, section 4.
//! What it decides: a fraction of marks, averaged once a round trip of at least 25 ms with weight 1/16, half of which a mark
//! takes from the window; growth by (round trip / 25 ms)^2 packets in a round trip below 25 ms, by one from there on, for what
//! came unmarked; half of the window after a loss.
//! Departures: losses leave Reno's half also after start-up, where the draft allows CUBIC's part. Short round trips grow less
//! from the start, not only after 500 of them, and a mark takes its part once a round trip, not once in 25 ms (2.4.4). The
//! pace is doubled up to half of the threshold, as in Linux.
//! Not implemented: the fall-back to ordinary ECN where the bottleneck is of the old kind, which the draft
//! leaves to a monitor; windows below two packets.
//! Checked against: the draft's equations by hand; the wire (tests/spec/test_modern_marks.py).

use super::{Ack, CongestionEvent, Control, Entry, Feedback, MIN_SSTHRESH, Path, Response, Window};
use crate::params;
use crate::params::own_params;

/// The table's line.
pub const ENTRY: Entry = Entry {
    id: "prague",
    about: "gives way in proportion to marks, paced, for L4S (draft-briscoe-iccrg-prague-congestion-control)",
    make: || Box::new(Prague::default()),
};

struct Prague {
    /// The weight of a round trip's fraction.
    g: f64,
    /// The round trip below which flows are as if they had it, s.
    rtt_virt: f64,
    alpha: f64,
    delivered: u32,
    marked: u32,
    averaged_at_s: f64,
    before: f64,
}

params!(Prague { g, rtt_virt, alpha });

impl Default for Prague {
    fn default() -> Prague {
        Prague { g: 1.0 / 16.0, rtt_virt: 0.025, alpha: 1.0, delivered: 0, marked: 0, averaged_at_s: 0.0, before: 1.0 }
    }
}

impl Prague {
    fn average(&mut self, ack: &Ack, path: &Path) {
        self.delivered += ack.delivered;
        self.marked += ack.marked;
        let is_due = path.now_s >= self.averaged_at_s + path.srtt_s.max(self.rtt_virt);
        if ack.ends_round && is_due {
            let fraction = f64::from(self.marked) / f64::from(self.delivered.max(1));
            self.alpha += self.g * (fraction.min(1.0) - self.alpha);
            (self.delivered, self.marked, self.averaged_at_s) = (0, 0, path.now_s);
        }
    }

    fn pace(&self, path: &Path, window: &mut Window) {
        if path.srtt_s > 0.0 {
            let ratio = if window.cwnd < window.ssthresh / 2.0 { 2.0 } else { 1.0 };
            window.pacing_per_s = Some(ratio * window.cwnd.max(f64::from(path.in_flight)) / path.srtt_s);
        }
    }
}

impl Control for Prague {
    fn start(&mut self, path: &Path, window: &mut Window) {
        (self.delivered, self.marked, self.averaged_at_s) = (0, 0, path.now_s);
        self.pace(path, window);
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.average(ack, path);
        if path.is_limited && !path.is_recovering {
            let mut packets = f64::from(ack.delivered.saturating_sub(ack.marked));
            if window.in_slow_start() {
                packets = window.slow_start(packets);
            }
            let part = (path.srtt_s / self.rtt_virt).min(1.0).powi(2);
            window.cwnd += part * packets / window.cwnd;
        }
        self.pace(path, window);
    }

    fn on_congestion_event(&mut self, sign: CongestionEvent, _path: &Path, window: &mut Window) -> Response {
        self.before = self.alpha;
        if sign == CongestionEvent::Mark && !window.ssthresh.is_finite() {
            // The first mark of all: as if all were marked.
            self.alpha = 1.0;
        }
        let left = if sign == CongestionEvent::Mark { 1.0 - self.alpha / 2.0 } else { 0.5 };
        window.ssthresh = (window.cwnd * left).max(MIN_SSTHRESH);
        if sign != CongestionEvent::Mark {
            return Response::Reduce;
        }
        window.cwnd = window.ssthresh;
        Response::Own
    }

    fn on_spurious_loss(&mut self, _path: &Path, _window: &mut Window) {
        self.alpha = self.before;
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

    // 2.4.3, 2.4.4: at 5 ms a window of 20 grows by (5/25)^2 = 0.04 packets in a round trip, at 25 ms and above by 1; marked
    // packets add nothing. 2.5.1: at 20 packets in 50 ms it paces 400 a second.
    #[test]
    fn short_round_trips_grow_as_one_of_25_ms() {
        for (srtt_s, marked, more) in [(0.005, 0, 0.04), (0.025, 0, 1.0), (0.1, 0, 1.0), (0.025, 20, 0.0)] {
            let (mut law, mut window) = (Prague::default(), window(20.0));
            let path = Path { srtt_s, is_limited: true, ..Path::default() };
            law.on_ack(&Ack { delivered: 20, marked, ..Ack::default() }, &path, &mut window);
            assert!((window.cwnd - 20.0 - more).abs() < 1e-9);
            assert!((window.pacing_per_s.unwrap() - window.cwnd / srtt_s).abs() < 1e-6);
        }
    }

    // A tenth of the packets marked for long: a mark takes a twentieth of the window; a loss half.
    #[test]
    fn a_mark_takes_half_of_the_fraction() {
        let (mut law, mut window) = (Prague::default(), window(100.0));
        for step in 0..300 {
            let path = Path { srtt_s: 0.03, now_s: 0.031 * f64::from(step), is_recovering: true, ..Path::default() };
            law.on_ack(&Ack { delivered: 10, marked: 1, ends_round: true, ..Ack::default() }, &path, &mut window);
        }
        law.on_congestion_event(CongestionEvent::Mark, &Path::default(), &mut window);
        assert!((window.cwnd - 95.0).abs() < 0.01, "{}", window.cwnd);
        window.cwnd = 100.0;
        law.on_congestion_event(CongestionEvent::Loss, &Path::default(), &mut window);
        assert_eq!(window.ssthresh, 50.0);
    }
}
