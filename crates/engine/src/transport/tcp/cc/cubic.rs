//! CUBIC: the window is a cubic function of the time since the last congestion, flat where the last one was met.
//!
//! Source: L. Xu, S. Ha, I. Rhee, V. Goel, L. Eggert, RFC 9438, section 4; HyStart++ (RFC 9406) in slow start; RFC 8511
//! (ABE) for `abe`.
//! What it decides: growth towards the curve a round trip ahead, at least as fast as Reno would grow (4.3), at most half of
//! the window in a round trip; 0.7 of the window after congestion, and a lower plateau if it came before the last one (4.7).
//! Departures: the threshold is made of the window, not of the flight size (4.6), as in Linux.
//! Not implemented: nothing.
//! Checked against: the RFC's constants and formulas by hand; its response function over loss ratios
//! (tests/spec/test_modern_laws.py).

use super::hystart::HyStart;
use super::{Ack, CongestionEvent, Control, Entry, MIN_SSTHRESH, Path, Response, Window};
use crate::params;
use crate::params::own_params;

/// The table's line.
pub const ENTRY: Entry = Entry {
    id: "cubic",
    about: "a cubic function of time since the last congestion (RFC 9438), HyStart++ (RFC 9406)",
    make: || Box::new(Cubic::default()),
};

/// What belongs to one epoch: the time from one congestion to the next.
#[derive(Clone, Copy, Debug, Default)]
struct Epoch {
    /// When congestion avoidance began in it; `None` before that.
    began_s: Option<f64>,
    /// Time at which the window was not what limited the sender does not count; this is when it last did.
    seen_s: f64,
    /// Where the curve is flat, packets.
    w_max: f64,
    /// The window before the last congestion.
    cwnd_prior: f64,
    /// Seconds from its beginning until the curve is flat.
    k_s: f64,
    /// What Reno's window would be.
    w_est: f64,
}

struct Cubic {
    slow_start: HyStart,
    /// The curve's constant, packets/s^3.
    c: f64,
    /// What is left of the window after congestion.
    beta: f64,
    fast_convergence: bool,
    /// Grows at least as Reno does.
    friendliness: bool,
    /// A mark leaves `beta_ecn` instead of `beta`.
    abe: bool,
    beta_ecn: f64,
    epoch: Epoch,
    /// For a sign of congestion that proves false.
    before: Epoch,
}

params!(Cubic { hystart = slow_start.hystart, c, beta, fast_convergence, friendliness, abe, beta_ecn });

impl Default for Cubic {
    fn default() -> Cubic {
        Cubic {
            slow_start: HyStart::new(true),
            c: 0.4,
            beta: 0.7,
            fast_convergence: true,
            friendliness: true,
            abe: false,
            beta_ecn: 0.85,
            epoch: Epoch::default(),
            before: Epoch::default(),
        }
    }
}

impl Cubic {
    /// Figure 1, at `t_s` seconds of the epoch.
    fn curve(&self, t_s: f64) -> f64 {
        self.c * (t_s - self.epoch.k_s).powi(3) + self.epoch.w_max
    }

    /// Congestion avoidance begins, with figure 2; after slow start without congestion, or a timeout, at the plateau
    /// (4.8, 4.10).
    fn begin(&mut self, now_s: f64, cwnd: f64) {
        let epoch = &mut self.epoch;
        epoch.began_s = Some(now_s);
        epoch.seen_s = now_s;
        if epoch.w_max > cwnd {
            epoch.k_s = ((epoch.w_max - cwnd) / self.c).cbrt();
        } else {
            (epoch.k_s, epoch.w_max) = (0.0, cwnd);
        }
        epoch.w_est = cwnd;
    }

    /// Figure 4: what Reno's window, of the same average, grows by.
    fn keep_up_with_reno(&mut self, packets: f64, cwnd: f64) {
        let alpha =
            if self.epoch.w_est >= self.epoch.cwnd_prior { 1.0 } else { 3.0 * (1.0 - self.beta) / (1.0 + self.beta) };
        self.epoch.w_est += alpha * packets / cwnd;
    }
}

impl Control for Cubic {
    fn start(&mut self, _path: &Path, _window: &mut Window) {
        self.slow_start.reset();
        self.epoch = Epoch::default();
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if path.is_recovering {
            return;
        }
        if !path.is_limited {
            // 5.8: time without need for the window does not let it grow.
            if let Some(began_s) = &mut self.epoch.began_s {
                *began_s += path.now_s - self.epoch.seen_s;
            }
            self.epoch.seen_s = path.now_s;
            return;
        }
        let mut packets = f64::from(ack.delivered);
        if window.in_slow_start() {
            packets = self.slow_start.grow(ack, packets, window);
        }
        if packets <= 0.0 {
            return;
        }
        if self.epoch.began_s.is_none() {
            self.begin(path.now_s, window.cwnd);
        }
        self.epoch.seen_s = path.now_s;
        let t_s = path.now_s - self.epoch.began_s.unwrap_or(path.now_s);
        let cwnd = window.cwnd;
        self.keep_up_with_reno(packets, cwnd);
        let target = self.curve(t_s + path.srtt_s).clamp(cwnd, 1.5 * cwnd);
        if self.friendliness && self.curve(t_s) < self.epoch.w_est {
            window.cwnd = cwnd.max(self.epoch.w_est);
        } else {
            window.cwnd += packets * (target - cwnd) / cwnd;
        }
    }

    fn on_congestion_event(&mut self, sign: CongestionEvent, _path: &Path, window: &mut Window) -> Response {
        self.before = self.epoch;
        let left = if sign == CongestionEvent::Mark && self.abe { self.beta_ecn } else { self.beta };
        let cwnd = window.cwnd;
        let was_lower = cwnd < self.epoch.w_max;
        // 4.7; 4.8: after a timeout the plateau is where congestion avoidance begins.
        let w_max = match sign {
            CongestionEvent::Timeout => 0.0,
            _ if was_lower && self.fast_convergence => cwnd * (1.0 + self.beta) / 2.0,
            _ => cwnd,
        };
        self.epoch = Epoch { w_max, cwnd_prior: cwnd, ..Epoch::default() };
        window.ssthresh = (cwnd * left).max(MIN_SSTHRESH);
        Response::Reduce
    }

    fn on_spurious_loss(&mut self, _path: &Path, _window: &mut Window) {
        self.epoch = self.before;
    }

    fn on_idle_restart(&mut self, idle_s: f64, timeouts: u32, initial: f64, path: &Path, window: &mut Window) {
        if let Some(began_s) = &mut self.epoch.began_s {
            *began_s = (*began_s + idle_s).min(path.now_s);
            self.epoch.seen_s = path.now_s;
        }
        window.decay(timeouts, initial);
    }

    own_params!();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(cwnd: f64, ssthresh: f64) -> Window {
        Window { cwnd, ssthresh, pacing_per_s: None, holds_back: false }
    }

    fn path(now_s: f64, srtt_s: f64) -> Path {
        Path { now_s, srtt_s, is_limited: true, ..Path::default() }
    }

    fn ack(packets: u32) -> Ack {
        Ack { delivered: packets, ..Ack::default() }
    }

    // Figures 1 and 2 by hand: from 1000 packets, 700 are left; K = cbrt(300 / 0.4) = 9.0856 s. At K the curve is at 1000,
    // 5 s later at 1000 + 0.4 * 125 = 1050, and at 0 s at 700.
    #[test]
    fn the_curve_is_flat_where_congestion_was_met() {
        let mut law = Cubic::default();
        let mut window = window(1000.0, 10.0);
        assert_eq!(law.on_congestion_event(CongestionEvent::Loss, &path(0.0, 0.1), &mut window), Response::Reduce);
        assert!((window.ssthresh - 700.0).abs() < 1e-9);
        law.begin(0.0, 700.0);
        assert!((law.epoch.k_s - 9.085_603).abs() < 1e-5, "{}", law.epoch.k_s);
        let at = |t_s| (law.curve(t_s) * 1000.0_f64).round() / 1000.0;
        assert_eq!([at(0.0), at(9.085_603), at(14.085_603)], [700.0, 1000.0, 1050.0]);
    }

    // 4.7: congestion at 800, below the last 1000: W_max = 800 * (1 + 0.7) / 2 = 680.
    #[test]
    fn a_plateau_is_given_up_when_it_is_not_reached() {
        let mut law = Cubic::default();
        law.on_congestion_event(CongestionEvent::Loss, &path(0.0, 0.1), &mut window(1000.0, 10.0));
        law.on_congestion_event(CongestionEvent::Loss, &path(1.0, 0.1), &mut window(800.0, 10.0));
        assert_eq!((law.epoch.w_max, law.epoch.cwnd_prior), (680.0, 800.0));
        law.on_spurious_loss(&path(1.0, 0.1), &mut window(800.0, 10.0));
        assert_eq!(law.epoch.w_max, 1000.0);
        law.fast_convergence = false;
        law.on_congestion_event(CongestionEvent::Loss, &path(1.0, 0.1), &mut window(800.0, 10.0));
        assert_eq!(law.epoch.w_max, 800.0);
    }

    // 4.3: alpha = 3 * 0.3 / 1.7 = 9/17 per round trip until the window before the congestion is reached, then 1.
    #[test]
    fn a_small_window_grows_as_reno_of_the_same_average_does() {
        let mut law = Cubic::default();
        let mut window = window(10.0, 2.0);
        law.on_congestion_event(CongestionEvent::Loss, &path(0.0, 0.01), &mut window);
        window.cwnd = window.ssthresh;
        for packet in 0..7 {
            law.on_ack(&ack(1), &path(0.001 * f64::from(packet), 0.01), &mut window);
        }
        assert!((window.cwnd - (7.0 + 9.0 / 17.0)).abs() < 0.02, "{}", window.cwnd);
        law.epoch.w_est = 10.0;
        window.cwnd = 10.0;
        law.on_ack(&ack(10), &path(0.01, 0.01), &mut window);
        assert_eq!(window.cwnd, 11.0);
    }

    // 4.2: the target is at most 1.5 windows, so that an ACK of a whole window adds half of it.
    #[test]
    fn growth_is_bounded() {
        let mut law = Cubic { friendliness: false, ..Cubic::default() };
        let mut window = window(100.0, 2.0);
        law.on_ack(&ack(1), &path(0.0, 0.1), &mut window);
        let before = window.cwnd;
        law.on_ack(&ack(1), &path(100.0, 0.1), &mut window);
        assert!((window.cwnd - before - 0.5).abs() < 1e-9);
    }

    // 4.6 and RFC 8511, 3.1: 0.7 after a loss; with ABE 0.85 after a mark.
    #[test]
    fn abe_gives_up_less_for_a_mark() {
        let mut law = Cubic { abe: true, ..Cubic::default() };
        let mut window = window(100.0, 2.0);
        law.on_congestion_event(CongestionEvent::Mark, &path(0.0, 0.1), &mut window);
        assert_eq!(window.ssthresh, 85.0);
        law.on_congestion_event(CongestionEvent::Loss, &path(0.0, 0.1), &mut window);
        assert_eq!(window.ssthresh, 70.0);
    }

    // 5.8: ten seconds in which the application sent little do not count.
    #[test]
    fn time_without_need_does_not_count() {
        let mut law = Cubic::default();
        let mut window = window(1000.0, 10.0);
        law.on_congestion_event(CongestionEvent::Loss, &path(0.0, 0.1), &mut window);
        window.cwnd = 700.0;
        law.on_ack(&ack(1), &path(0.0, 0.1), &mut window);
        law.on_ack(&ack(1), &Path { is_limited: false, ..path(10.0, 0.1) }, &mut window);
        assert_eq!(law.epoch.began_s, Some(10.0));
    }
}
