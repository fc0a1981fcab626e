//! CUBIC: the window is a cubic function of the time since the last congestion event.
//!
//! Source: L. Xu, S. Ha, I. Rhee, V. Goel, L. Eggert, RFC 9438, section 4; HyStart++ (RFC 9406) in slow start; RFC 8511
//! (ABE) for `abe`.
//! What it decides: growth towards `W_cubic` one round trip ahead, at least as fast as Reno (4.3), by at most half of
//! the window per round trip (4.2). Congestion reduces the window to 0.7 (4.6). Fast convergence lowers `W_max` if
//! congestion occurs below the last `W_max` (4.7).
//! Departures: `ssthresh` is computed from the window, not from the flight size, as in Linux. The RFC allows this if the
//! window does not grow beyond what is used (4.6): it grows only while it limits the sender, and the sender lowers a
//! window that is not used. In the Reno-friendly region an ACK never lowers the window to `W_est` (4.3).
//! Not implemented: nothing.
//! Checked against: the RFC's constants and formulas by hand; its response function over loss ratios
//! (tests/spec/test_tcp_laws.py).

use super::hystart::HyStart;
use super::{Ack, CongestionEvent, Control, Entry, MIN_SSTHRESH, Path, Response, Window};
use crate::math::Math;
use crate::params::{Params, own_params};

/// CUBIC's entry of the registry.
pub const ENTRY: Entry = Entry {
    id: "cubic",
    about: "a cubic function of time since the last congestion (RFC 9438), HyStart++ (RFC 9406); ABE (RFC 8511)",
    make: || Box::new(Cubic::default()),
};

/// The state of one congestion avoidance epoch: the time from one congestion event to the next (RFC 9438, 4.1.2).
#[derive(Clone, Copy, Debug, Default)]
struct Epoch {
    /// `epoch_start`: when congestion avoidance began, s; `None` before that.
    epoch_start_s: Option<f64>,
    /// When the window last limited the sender, s. The time since then does not count in the epoch (5.8).
    last_limited_s: f64,
    /// `W_max`: the plateau of `W_cubic`, packets.
    w_max: f64,
    /// `cwnd_prior`: the window before the last reduction, packets.
    cwnd_prior: f64,
    /// `K`: the time from `epoch_start` until `W_cubic` reaches `W_max`, s.
    k_s: f64,
    /// `W_est`: the window that Reno would have, packets (4.3).
    w_est: f64,
}

#[derive(Params)]
struct Cubic {
    #[param(flatten)]
    slow_start: HyStart,
    /// The constant C of the cubic function, packets/s^3.
    // `C` (4.1.1).
    #[param("")]
    c: f64,
    /// The share of the window that remains after congestion.
    // `beta_cubic` (4.6).
    #[param("", name = "beta")]
    beta_cubic: f64,
    /// Fast convergence: W_max is lowered if it was not reached.
    // Section 4.7.
    #[param("flag")]
    fast_convergence: bool,
    /// The Reno-friendly region: it grows at least as fast as Reno.
    // Section 4.3.
    #[param("flag", name = "friendliness")]
    reno_friendly: bool,
    /// After a mark, `beta_ecn` applies instead of `beta` (ABE, RFC 8511).
    #[param("flag")]
    abe: bool,
    /// The share of the window that remains after a mark, with `abe`.
    #[param("")]
    beta_ecn: f64,
    epoch: Epoch,
    /// The epoch before the last congestion event, restored if it was spurious (4.9).
    undo_epoch: Epoch,
}

impl Default for Cubic {
    fn default() -> Cubic {
        Cubic {
            slow_start: HyStart::new(true),
            c: 0.4,
            beta_cubic: 0.7,
            fast_convergence: true,
            reno_friendly: true,
            abe: false,
            beta_ecn: 0.85,
            epoch: Epoch::default(),
            undo_epoch: Epoch::default(),
        }
    }
}

impl Cubic {
    /// `W_cubic(t)`, packets, at `t_s` seconds of the epoch (4.2, figure 1).
    fn w_cubic(&self, t_s: f64) -> f64 {
        self.c * (t_s - self.epoch.k_s).powi(3) + self.epoch.w_max
    }

    /// Begins congestion avoidance with a window of `cwnd_epoch` and computes `K` (4.2, figure 2). `W_max` is `cwnd_epoch`
    /// after a timeout, or after slow start without congestion (4.8, 4.10).
    fn start_epoch(&mut self, now_s: f64, cwnd_epoch: f64) {
        let epoch = &mut self.epoch;
        epoch.epoch_start_s = Some(now_s);
        epoch.last_limited_s = now_s;
        if epoch.w_max > cwnd_epoch {
            epoch.k_s = ((epoch.w_max - cwnd_epoch) / self.c).cube_root();
        } else {
            (epoch.k_s, epoch.w_max) = (0.0, cwnd_epoch);
        }
        epoch.w_est = cwnd_epoch;
    }

    /// `alpha_cubic`: the growth of `W_est`, packets per round trip (4.3).
    fn alpha_cubic(&self) -> f64 {
        if self.epoch.w_est >= self.epoch.cwnd_prior {
            1.0
        } else {
            3.0 * (1.0 - self.beta_cubic) / (1.0 + self.beta_cubic)
        }
    }

    /// Advances `W_est` for `segments_acked` packets (4.3, figure 4).
    fn update_w_est(&mut self, segments_acked: f64, cwnd: f64) {
        self.epoch.w_est += self.alpha_cubic() * segments_acked / cwnd;
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
        let mut segments_acked = f64::from(ack.delivered);
        if window.in_slow_start() {
            segments_acked = self.slow_start.grow(ack, path, window);
        }
        if !path.is_limited {
            // 5.8: time in which the window does not limit the sender must not let it grow.
            if let Some(epoch_start_s) = &mut self.epoch.epoch_start_s {
                *epoch_start_s += path.now_s - self.epoch.last_limited_s;
            }
            self.epoch.last_limited_s = path.now_s;
            return;
        }
        if segments_acked <= 0.0 {
            return;
        }
        if self.epoch.epoch_start_s.is_none() {
            self.start_epoch(path.now_s, window.cwnd);
        }
        self.epoch.last_limited_s = path.now_s;
        let t_s = path.now_s - self.epoch.epoch_start_s.unwrap_or(path.now_s);
        let cwnd = window.cwnd;
        self.update_w_est(segments_acked, cwnd);
        // 4.2: the target is W_cubic one round trip ahead.
        let target = self.w_cubic(t_s + path.srtt_s).clamp(cwnd, 1.5 * cwnd);
        if self.reno_friendly && self.w_cubic(t_s) < self.epoch.w_est {
            // 4.3: the Reno-friendly region.
            window.cwnd = cwnd.max(self.epoch.w_est);
        } else {
            // 4.4 and 4.5: the concave and the convex region.
            window.cwnd += segments_acked * (target - cwnd) / cwnd;
        }
    }

    fn on_congestion_event(&mut self, event: CongestionEvent, _path: &Path, window: &mut Window) -> Response {
        self.slow_start.reset();
        self.undo_epoch = self.epoch;
        let beta = if event == CongestionEvent::Mark && self.abe { self.beta_ecn } else { self.beta_cubic };
        let cwnd = window.cwnd;
        let is_below_w_max = cwnd < self.epoch.w_max;
        let w_max = match event {
            // 4.8: after a timeout W_max is the window at which congestion avoidance begins.
            CongestionEvent::Timeout => 0.0,
            // 4.7: fast convergence.
            _ if is_below_w_max && self.fast_convergence => cwnd * (1.0 + self.beta_cubic) / 2.0,
            _ => cwnd,
        };
        self.epoch = Epoch { w_max, cwnd_prior: cwnd, ..Epoch::default() };
        window.ssthresh = (cwnd * beta).max(MIN_SSTHRESH);
        Response::Reduce
    }

    fn on_spurious_loss(&mut self, _path: &Path, _window: &mut Window) {
        self.epoch = self.undo_epoch;
    }

    fn on_idle_restart(&mut self, _idle_s: f64, timeouts: u32, initial: f64, path: &Path, window: &mut Window) {
        if let Some(epoch_start_s) = &mut self.epoch.epoch_start_s {
            *epoch_start_s += path.now_s - self.epoch.last_limited_s;
            self.epoch.last_limited_s = path.now_s;
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

    // Figures 1 and 2 by hand: beta_cubic reduces 1000 packets to 700; K = cbrt(300 / 0.4) = 9.0856 s. W_cubic is 1000
    // at K, 1000 + 0.4 * 125 = 1050 at K + 5 s, and 700 at 0 s.
    #[test]
    fn w_cubic_is_flat_at_w_max() {
        let mut cubic = Cubic::default();
        let mut window = window(1000.0, 10.0);
        assert_eq!(cubic.on_congestion_event(CongestionEvent::Loss, &path(0.0, 0.1), &mut window), Response::Reduce);
        assert!((window.ssthresh - 700.0).abs() < 1e-9);
        cubic.start_epoch(0.0, 700.0);
        assert!((cubic.epoch.k_s - 9.085_603).abs() < 1e-5, "{}", cubic.epoch.k_s);
        let at = |t_s| (cubic.w_cubic(t_s) * 1000.0_f64).round() / 1000.0;
        assert_eq!([at(0.0), at(9.085_603), at(14.085_603)], [700.0, 1000.0, 1050.0]);
    }

    // 4.7: congestion at 800, below the last 1000: W_max = 800 * (1 + 0.7) / 2 = 680.
    #[test]
    fn fast_convergence_lowers_w_max() {
        let mut cubic = Cubic::default();
        cubic.on_congestion_event(CongestionEvent::Loss, &path(0.0, 0.1), &mut window(1000.0, 10.0));
        cubic.on_congestion_event(CongestionEvent::Loss, &path(1.0, 0.1), &mut window(800.0, 10.0));
        assert_eq!((cubic.epoch.w_max, cubic.epoch.cwnd_prior), (680.0, 800.0));
        cubic.on_spurious_loss(&path(1.0, 0.1), &mut window(800.0, 10.0));
        assert_eq!(cubic.epoch.w_max, 1000.0);
        cubic.fast_convergence = false;
        cubic.on_congestion_event(CongestionEvent::Loss, &path(1.0, 0.1), &mut window(800.0, 10.0));
        assert_eq!(cubic.epoch.w_max, 800.0);
    }

    // 4.3: alpha_cubic = 3 * 0.3 / 1.7 = 9/17 per round trip until cwnd_prior is reached, then 1.
    #[test]
    fn the_reno_friendly_region_grows_as_w_est() {
        let mut cubic = Cubic::default();
        let mut window = window(10.0, 2.0);
        cubic.on_congestion_event(CongestionEvent::Loss, &path(0.0, 0.01), &mut window);
        window.cwnd = window.ssthresh;
        for packet in 0..7 {
            cubic.on_ack(&ack(1), &path(0.001 * f64::from(packet), 0.01), &mut window);
        }
        assert!((window.cwnd - (7.0 + 9.0 / 17.0)).abs() < 0.02, "{}", window.cwnd);
        cubic.epoch.w_est = 10.0;
        window.cwnd = 10.0;
        cubic.on_ack(&ack(10), &path(0.01, 0.01), &mut window);
        assert_eq!(window.cwnd, 11.0);
    }

    // 4.2: the target is at most 1.5 windows, so an ACK of a whole window adds half of it.
    #[test]
    fn growth_is_bounded() {
        let mut cubic = Cubic { reno_friendly: false, ..Cubic::default() };
        let mut window = window(100.0, 2.0);
        cubic.on_ack(&ack(1), &path(0.0, 0.1), &mut window);
        let before = window.cwnd;
        cubic.on_ack(&ack(1), &path(100.0, 0.1), &mut window);
        assert!((window.cwnd - before - 0.5).abs() < 1e-9);
    }

    // 4.6 and RFC 8511, 3.1: 0.7 after a loss; with ABE 0.85 after a mark.
    #[test]
    fn abe_reduces_less_after_a_mark() {
        let mut cubic = Cubic { abe: true, ..Cubic::default() };
        let mut window = window(100.0, 2.0);
        cubic.on_congestion_event(CongestionEvent::Mark, &path(0.0, 0.1), &mut window);
        assert_eq!(window.ssthresh, 85.0);
        cubic.on_congestion_event(CongestionEvent::Loss, &path(0.0, 0.1), &mut window);
        assert_eq!(window.ssthresh, 70.0);
    }

    // 4.8: after a timeout at 100 ssthresh is 70. Congestion avoidance begins with K = 0, and W_max and W_est are the window.
    #[test]
    fn a_timeout_starts_a_new_plateau() {
        let mut cubic = Cubic::default();
        let mut window = window(100.0, 50.0);
        assert_eq!(cubic.on_congestion_event(CongestionEvent::Timeout, &path(0.0, 0.1), &mut window), Response::Reduce);
        assert_eq!(window.ssthresh, 70.0);
        window.cwnd = 69.0;
        cubic.on_ack(&ack(1), &path(5.0, 0.1), &mut window);
        assert_eq!((window.cwnd, cubic.epoch.epoch_start_s), (70.0, None), "slow start");
        cubic.on_ack(&ack(1), &path(5.1, 0.1), &mut window);
        assert_eq!((cubic.epoch.k_s, cubic.epoch.w_max, cubic.epoch.epoch_start_s), (0.0, 70.0, Some(5.1)));
        assert!((cubic.epoch.w_est - 70.0 - 9.0 / 17.0 / 70.0).abs() < 1e-9);
    }

    // 5.8: ten seconds in which the application limited the sender do not count.
    #[test]
    fn application_limited_time_does_not_count() {
        let mut cubic = Cubic::default();
        let mut window = window(1000.0, 10.0);
        cubic.on_congestion_event(CongestionEvent::Loss, &path(0.0, 0.1), &mut window);
        window.cwnd = 700.0;
        cubic.on_ack(&ack(1), &path(0.0, 0.1), &mut window);
        cubic.on_ack(&ack(1), &Path { is_limited: false, ..path(10.0, 0.1) }, &mut window);
        assert_eq!(cubic.epoch.epoch_start_s, Some(10.0));
    }
}
