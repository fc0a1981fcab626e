//! CUBIC as in Linux: the same cubic function as RFC 9438's, in whole numbers and with the classic HyStart.
//!
//! Source: Linux 6.12, net/ipv4/tcp_cubic.c; S. Ha, I. Rhee, L. Xu, "CUBIC: a new TCP-friendly high-speed TCP variant", ACM
//! SIGOPS Operating Systems Review 42 (5), 2008; [`super::linux_hystart`] for slow start.
//! What it decides: `cnt`, the packets to acknowledge per packet of growth, so that the window follows the cubic function one
//! min RTT ahead and grows at least as fast as Reno. It is computed at most once per jiffy (1 ms), and after 1/32 s
//! although the window has not changed. Before the first loss the window grows by at least 5 % per round trip, always by
//! at most half. Congestion reduces the window to 717/1024. Fast convergence lowers the plateau if congestion occurs
//! below the last one. A timeout clears everything.
//! Departures: jiffies begin at the simulation's start. A congestion window has no upper limit (`snd_cwnd_clamp`).
//! Not implemented: `initial_ssthresh`; other values of `bic_scale` than 41.
//! Checked against: the kernel's code, event by event (crates/engine/tests/linux_cubic.rs), and its arithmetic by hand.
//! Differences from [`super::cubic`] are listed in
//! docs/guide/congestion-controls.md.

use super::linux_hystart::LinuxHyStart;
use super::linux_window::{self, CwndCount, may_raise_cwnd, snd_cwnd};
use super::{Ack, CaState, CongestionEvent, Control, Entry, Path, Response, Window};
use crate::params::{Params, own_params};
use crate::transport::compat::linux26::cc::cube_root;

/// The registry entry of Linux's CUBIC.
pub const ENTRY: Entry = Entry {
    id: "linux_cubic",
    about: "CUBIC as in Linux 6.12: whole numbers, classic HyStart (tcp_cubic.c)",
    make: || Box::new(LinuxCubic::default()),
};

/// `HZ`: jiffies per second.
const HZ: u32 = 1000;
/// `BICTCP_BETA_SCALE`.
const BETA_SCALE: u32 = 1024;
/// `BICTCP_HZ`: the cubic function's clock has 2^10 ticks per second.
const BICTCP_HZ: u32 = 10;
/// `cube_rtt_scale`: C per 100 ms, in 1024ths (`bic_scale` is 41).
const CUBE_RTT_SCALE: u64 = 41 * 10;
/// `cube_factor`: cubed ticks per packet of distance to the plateau.
const CUBE_FACTOR: u64 = (1 << (10 + 3 * BICTCP_HZ)) / CUBE_RTT_SCALE;
/// The max `cnt` before the first loss: 5 % growth per round trip.
const MAX_CNT_BEFORE_LOSS: u32 = 20;
/// The min `cnt`: growth by half per round trip.
const MIN_CNT: u32 = 2;
/// The min threshold, packets.
const MIN_SSTHRESH: u32 = 2;

/// The present time in jiffies (`tcp_jiffies32`).
fn jiffies(path: &Path) -> u32 {
    jiffies_at(path.now_s)
}

/// The clock at a time in seconds. Times are whole nanoseconds, so that a sum of them does not fall below a tick.
fn jiffies_at(time_s: f64) -> u32 {
    ((time_s * 1e9).round() as u64 / (1_000_000_000 / u64::from(HZ))) as u32
}

/// The part of the state that a timeout clears (`bictcp_reset`).
#[derive(Clone, Copy, Debug, Default)]
struct Bictcp {
    /// `cnt`: packets to acknowledge per packet of growth.
    cnt: u32,
    /// `last_max_cwnd`: the window at the last congestion event, packets; 0 before the first.
    last_max_cwnd: u32,
    /// `last_cwnd`: the window for which `cnt` was computed, packets.
    last_cwnd: u32,
    /// `last_time`: when `cnt` was computed, jiffies.
    last_time: u32,
    /// `bic_origin_point`: the plateau of the cubic function, packets.
    bic_origin_point: u32,
    /// `bic_K`: the time from the start of the epoch to the plateau, ticks.
    bic_k: u32,
    /// `delay_min`: the min RTT, us; 0 before the first sample.
    delay_min_us: u32,
    /// `epoch_start`, jiffies; `None` between a congestion event and the next growth.
    epoch_start: Option<u32>,
    /// `ack_cnt`: packets acknowledged that have not let `tcp_cwnd` grow.
    ack_cnt: u32,
    /// `tcp_cwnd`: the window that Reno would have, packets.
    tcp_cwnd: u32,
}

#[derive(Params)]
struct LinuxCubic {
    #[param(flatten)]
    hystart: LinuxHyStart,
    /// Fast convergence: the plateau is lowered if it was not reached.
    #[param("flag")]
    fast_convergence: bool,
    /// The share of the window that remains after congestion, in 1024ths.
    #[param("")]
    beta: i32,
    /// The window grows at least as fast as Reno's.
    #[param("flag")]
    tcp_friendliness: bool,
    bictcp: Bictcp,
    count: CwndCount,
}

impl Default for LinuxCubic {
    fn default() -> LinuxCubic {
        LinuxCubic {
            hystart: LinuxHyStart::default(),
            fast_convergence: true,
            beta: 717,
            tcp_friendliness: true,
            bictcp: Bictcp::default(),
            count: CwndCount::default(),
        }
    }
}

impl LinuxCubic {
    /// `beta` in the kernel's type.
    fn beta(&self) -> u32 {
        self.beta.clamp(1, BETA_SCALE as i32 - 1) as u32
    }

    /// `beta_scale`: eight times the packets acknowledged per packet of growth, divided by the window, of a Reno flow that
    /// has the same average window with this decrease.
    fn beta_scale(&self) -> u32 {
        8 * (BETA_SCALE + self.beta()) / 3 / (BETA_SCALE - self.beta())
    }

    /// `cubictcp_init` and `bictcp_reset`.
    fn reset(&mut self, path: &Path) {
        self.bictcp = Bictcp::default();
        self.hystart.found = false;
        self.hystart.reset(path);
    }

    /// `bictcp_update`: computes `cnt` for a window of `cwnd` packets when `acked` packets are acknowledged.
    fn update(&mut self, cwnd: u32, acked: u32, now: u32) {
        let (friendliness, scale) = (self.tcp_friendliness, self.beta_scale());
        let ca = &mut self.bictcp;
        ca.ack_cnt = ca.ack_cnt.wrapping_add(acked);
        if ca.last_cwnd == cwnd && now.wrapping_sub(ca.last_time) as i32 <= (HZ / 32) as i32 {
            return;
        }
        // Within a jiffy only Reno's window is updated.
        if ca.epoch_start.is_none() || now != ca.last_time {
            (ca.last_cwnd, ca.last_time) = (cwnd, now);
            ca.follow_cubic_function(cwnd, acked, now);
        }
        if friendliness {
            ca.keep_up_with_reno(cwnd, scale);
        }
        ca.cnt = ca.cnt.max(MIN_CNT);
    }
}

impl Bictcp {
    /// Begins an epoch: computes the plateau and the time until it is reached.
    fn start_epoch(&mut self, cwnd: u32, acked: u32) {
        (self.ack_cnt, self.tcp_cwnd) = (acked, cwnd);
        if self.last_max_cwnd <= cwnd {
            (self.bic_k, self.bic_origin_point) = (0, cwnd);
        } else {
            self.bic_k = cube_root(CUBE_FACTOR * u64::from(self.last_max_cwnd - cwnd)) as u32;
            self.bic_origin_point = self.last_max_cwnd;
        }
    }

    /// `cnt` by the cubic function, one min RTT ahead.
    fn follow_cubic_function(&mut self, cwnd: u32, acked: u32, now: u32) {
        if self.epoch_start.is_none() {
            self.start_epoch(cwnd, acked);
        }
        let epoch_start = *self.epoch_start.get_or_insert(now);
        let ahead = u64::from(self.delay_min_us.div_ceil(1_000_000 / HZ));
        let age = (now.wrapping_sub(epoch_start) as i32 as u64).wrapping_add(ahead);
        let t = age.wrapping_shl(BICTCP_HZ) / u64::from(HZ);
        let k = u64::from(self.bic_k);
        let offs = t.abs_diff(k);
        let cubed = CUBE_RTT_SCALE.wrapping_mul(offs).wrapping_mul(offs).wrapping_mul(offs);
        let delta = (cubed >> (10 + 3 * BICTCP_HZ)) as u32;
        let origin = self.bic_origin_point;
        let bic_target = if t < k { origin.wrapping_sub(delta) } else { origin.wrapping_add(delta) };
        self.cnt = if bic_target > cwnd { cwnd / (bic_target - cwnd) } else { 100 * cwnd };
        if self.last_max_cwnd == 0 {
            self.cnt = self.cnt.min(MAX_CNT_BEFORE_LOSS);
        }
    }

    /// Lowers `cnt` if the window that Reno would have is larger.
    fn keep_up_with_reno(&mut self, cwnd: u32, beta_scale: u32) {
        let delta = ((cwnd * beta_scale) >> 3).max(1);
        // The kernel subtracts `delta` while `ack_cnt` is larger.
        let grown = self.ack_cnt.saturating_sub(1) / delta;
        self.ack_cnt -= grown * delta;
        self.tcp_cwnd += grown;
        if self.tcp_cwnd > cwnd {
            self.cnt = self.cnt.min(cwnd / (self.tcp_cwnd - cwnd));
        }
    }
}

impl Control for LinuxCubic {
    fn start(&mut self, path: &Path, _window: &mut Window) {
        self.count.reset();
        self.reset(path);
    }

    fn uses_packets_acked(&self) -> bool {
        true
    }

    fn on_packets_acked(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        let Some(rtt_s) = ack.rtt_s else { return };
        // Samples right after fast recovery do not count.
        let is_early = |epoch_start| (jiffies(path).wrapping_sub(epoch_start) as i32) < HZ as i32;
        if self.bictcp.epoch_start.is_some_and(is_early) {
            return;
        }
        let delay_us = ((rtt_s * 1e6).round() as u32).max(1);
        let delay_min_us = &mut self.bictcp.delay_min_us;
        if *delay_min_us == 0 || *delay_min_us > delay_us {
            *delay_min_us = delay_us;
        }
        if self.hystart.hystart && !self.hystart.found && window.in_slow_start() {
            self.hystart.update(delay_us, *delay_min_us, path, window);
        }
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
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
        self.update(snd_cwnd(window), acked, jiffies(path));
        self.count.cong_avoid_ai(window, self.bictcp.cnt, acked);
    }

    fn on_congestion_event(&mut self, _event: CongestionEvent, _path: &Path, window: &mut Window) -> Response {
        let (cwnd, beta) = (snd_cwnd(window), self.beta());
        let ca = &mut self.bictcp;
        ca.epoch_start = None;
        let is_converging = cwnd < ca.last_max_cwnd && self.fast_convergence;
        ca.last_max_cwnd = if is_converging { cwnd * (BETA_SCALE + beta) / (2 * BETA_SCALE) } else { cwnd };
        window.ssthresh = f64::from((cwnd * beta / BETA_SCALE).max(MIN_SSTHRESH));
        self.count.reset();
        Response::Reduce
    }

    fn on_state(&mut self, state: CaState, path: &Path, _window: &mut Window) {
        if state == CaState::Loss {
            self.count.reset();
            self.reset(path);
        }
    }

    fn on_idle_restart(&mut self, idle_s: f64, timeouts: u32, initial: f64, path: &Path, window: &mut Window) {
        let now = jiffies(path);
        let idle = now - jiffies_at((path.now_s - idle_s).max(0.0));
        if let Some(epoch_start) = &mut self.bictcp.epoch_start {
            *epoch_start = epoch_start.saturating_add(idle).min(now);
        }
        linux_window::restart(window, timeouts, initial);
    }

    own_params!();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(cwnd: f64, ssthresh: f64) -> Window {
        Window { cwnd, ssthresh, pacing_per_s: None, holds_back: false }
    }

    /// `ms` milliseconds after the start; the half makes rounding plain.
    fn path(ms: u32) -> Path {
        Path { now_s: (f64::from(ms) + 0.5) / 1e3, is_limited: true, ..Path::default() }
    }

    fn ack(packets: u32) -> Ack {
        Ack { delivered: packets, acked: packets, ..Ack::default() }
    }

    // cubictcp_recalc_ssthresh by hand: 1000 * 717 / 1024 = 700, and last_max_cwnd 1000. At 800, below it: 800 * 1741 / 2048
    // = 680 and 560. At least two packets.
    #[test]
    fn congestion_reduces_the_window_to_717_of_1024() {
        let mut cubic = LinuxCubic::default();
        let mut seen = Vec::new();
        for cwnd in [1000.0, 800.0, 2.0] {
            let mut window = window(cwnd, 10.0);
            assert_eq!(cubic.on_congestion_event(CongestionEvent::Loss, &path(0), &mut window), Response::Reduce);
            seen.push((window.ssthresh, cubic.bictcp.last_max_cwnd));
        }
        assert_eq!(seen, [(700.0, 1000), (560.0, 680), (2.0, 1)]);
    }

    // bictcp_update by hand. beta_scale = 8 * 1741 / 3 / 307 = 15. From 1000 to 700: K is the cube root of 2^40 / 410 * 300,
    // 9301 ticks of 1/1024 s (9.083 s), computed with an error below 0.4 %. At the start t = 0 is K ticks before the
    // plateau: 410 * 9301^3 >> 40 = 300, so the target is about 700 and cnt is at most 100 * 700. At K + 5 s, 5120 ticks
    // after it: 410 * 5120^3 >> 40 = 50. With a window of 900 the target is 1050, and cnt is 900 / 150 = 6.
    #[test]
    fn the_window_follows_the_cubic_function() {
        let mut cubic = LinuxCubic { tcp_friendliness: false, ..LinuxCubic::default() };
        assert_eq!(cubic.beta_scale(), 15);
        cubic.on_congestion_event(CongestionEvent::Loss, &path(0), &mut window(1000.0, 10.0));
        cubic.update(700, 1, 10);
        let k = cubic.bictcp.bic_k;
        assert!((9265..=9338).contains(&k), "{k}");
        assert_eq!(cubic.bictcp.bic_origin_point, 1000);
        cubic.bictcp.bic_k = 9301;
        cubic.update(900, 1, 10 + 9083 + 5000);
        assert_eq!(cubic.bictcp.cnt, 6);
    }

    // bictcp_update by hand: before the first loss cnt is at most 20; never below 2.
    #[test]
    fn growth_is_at_least_5_percent_before_the_first_loss() {
        let mut cubic = LinuxCubic { tcp_friendliness: false, ..LinuxCubic::default() };
        cubic.update(100, 1, 10);
        assert_eq!(cubic.bictcp.cnt, 20);
        cubic.update(101, 1, 60_000);
        assert_eq!(cubic.bictcp.cnt, 2);
    }

    // bictcp_update by hand: for the same window cnt is computed again after more than HZ / 32 = 31 jiffies.
    #[test]
    fn cnt_is_kept_for_a_thirty_second_of_a_second() {
        let mut cubic = LinuxCubic { tcp_friendliness: false, ..LinuxCubic::default() };
        cubic.on_congestion_event(CongestionEvent::Loss, &path(0), &mut window(100.0, 10.0));
        let mut computed_at = Vec::new();
        for now in [5, 6, 36, 37, 68, 69] {
            cubic.update(70, 1, now);
            computed_at.push(cubic.bictcp.last_time);
        }
        assert_eq!(computed_at, [5, 5, 5, 37, 37, 69]);
    }

    // tcp_friendliness by hand: with a window of 10, delta is 10 * 15 >> 3 = 18 packets. After 37 packets tcp_cwnd is 12,
    // one packet is left, and cnt is at most 10 / 2 = 5.
    #[test]
    fn the_window_keeps_up_with_reno() {
        let mut ca = Bictcp { cnt: 1000, tcp_cwnd: 10, ack_cnt: 37, ..Bictcp::default() };
        ca.keep_up_with_reno(10, 15);
        assert_eq!((ca.tcp_cwnd, ca.ack_cnt, ca.cnt), (12, 1, 5));
        // The kernel leaves delta packets: it subtracts while ack_cnt > delta.
        let mut ca = Bictcp { cnt: 1000, tcp_cwnd: 10, ack_cnt: 36, ..Bictcp::default() };
        ca.keep_up_with_reno(10, 15);
        assert_eq!((ca.tcp_cwnd, ca.ack_cnt, ca.cnt), (11, 18, 10));
    }

    // cubictcp_state: a timeout clears the last maximum, the min RTT and HyStart. A timeout in a recovery does, too.
    #[test]
    fn a_timeout_clears_everything() {
        let mut cubic = LinuxCubic::default();
        let mut window = window(100.0, 50.0);
        cubic.on_packets_acked(&Ack { rtt_s: Some(0.05), ..ack(1) }, &path(1), &mut window);
        cubic.on_congestion_event(CongestionEvent::Loss, &path(2), &mut window);
        cubic.hystart.found = true;
        assert_eq!((cubic.bictcp.last_max_cwnd, cubic.bictcp.delay_min_us), (100, 50_000));
        cubic.on_state(CaState::Loss, &path(3), &mut window);
        assert_eq!((cubic.bictcp.last_max_cwnd, cubic.bictcp.delay_min_us, cubic.hystart.found), (0, 0, false));
    }

    // Whole packets: in slow start two for two, then one for cnt packets.
    #[test]
    fn the_window_is_a_whole_number() {
        let mut cubic = LinuxCubic::default();
        let mut window = window(10.0, 15.0);
        let mut seen = Vec::new();
        for number in 0..20 {
            cubic.on_ack(&ack(2), &path(2 * number), &mut window);
            seen.push(window.cwnd);
        }
        // One of the two packets of the third ACK ends slow start.
        assert_eq!(seen[..3], [12.0, 14.0, 15.0]);
        assert!(seen.iter().all(|cwnd| cwnd.fract() == 0.0));
        let before = window.cwnd;
        cubic.on_ack(&Ack { delivered: 60, ..Ack::default() }, &path(100), &mut window);
        assert_eq!(window.cwnd, before, "SACK alone does not raise the window");
    }
}
