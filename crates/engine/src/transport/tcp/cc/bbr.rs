//! BBR, version 1: a model of the path, its bandwidth and its round trip, says how fast and how much to send.
//!
//! Source: N. Cardwell, Y. Cheng, C. S. Gunn, S. Hassas Yeganeh, V. Jacobson, "BBR: congestion-based congestion control",
//! ACM Queue 14(5), 2016; N. Cardwell and others, draft-cardwell-iccrg-bbr-congestion-control-00, 2017, section 4.
//! What it decides: rate and window. Start-up doubles the rate in a round trip until three bring no quarter more; drain; then
//! cycles of eight least round trips at 1.25, 0.75 and six times 1 of the bandwidth; every 10 s without a shorter round trip,
//! four packets in flight for 200 ms.
//! Departures: as in Linux, the pace is 1 % below the bandwidth's, and the probing phase may have two packets more in flight. A
//! packet is never late for the host, so that what Linux keeps for offload is the draft's three quanta.
//! Not implemented: sampling of policers (long-term bandwidth), the allowance for aggregated ACKs that Linux added in 2019.
//! Checked against: the draft's constants by hand; the cycle of eight phases and the 200 ms on the wire, shares with CUBIC in
//! deep and shallow buffers (tests/spec/test_modern_bbr.py).

use super::windowed_max::WindowedMax;
use super::{Ack, CongestionEvent, Control, Entry, Path, Response, Window};
use crate::random::rng::Stream;

/// The table's line.
pub const ENTRY: Entry = Entry {
    id: "bbr",
    about: "a model of bandwidth and round trip, version 1 (draft-cardwell-iccrg-bbr-congestion-control-00)",
    make: || Box::new(Bbr::default()),
};

/// 2 / ln 2: the rate doubles in a round trip.
const HIGH_GAIN: f64 = 2.885;
const DRAIN_GAIN: f64 = 1.0 / HIGH_GAIN;
const CWND_GAIN: f64 = 2.0;
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// Round trips for which a bandwidth counts.
const BANDWIDTH_ROUNDS: u64 = 10;
/// How long a round-trip time counts, s.
const MIN_RTT_S: f64 = 10.0;
/// How long few packets are in flight to measure it, s.
const PROBE_RTT_S: f64 = 0.2;
const MIN_CWND: f64 = 4.0;
/// Sending goes at a little less than the bandwidth (Linux; the draft has no such part).
const MARGIN: f64 = 0.99;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Startup,
    Drain,
    ProbeBandwidth,
    ProbeRtt,
}

#[derive(Default)]
struct Bbr {
    mode: Mode,
    bandwidth: WindowedMax,
    /// The least round trip, s, and when it was measured.
    min_rtt_s: Option<f64>,
    min_rtt_at_s: f64,
    rounds: u64,
    next_round_at: u64,
    round_starts: bool,
    full_bandwidth: f64,
    full_count: u32,
    is_full: bool,
    phase: usize,
    phase_since_s: f64,
    /// When the few packets were in flight, plus 200 ms.
    probe_rtt_until_s: Option<f64>,
    probe_rtt_round_done: bool,
    /// The window to come back to.
    prior_cwnd: f64,
    initial_cwnd: f64,
    conserves: bool,
    is_recovering: bool,
    resumes: bool,
    draws: Option<Stream>,
}

impl Bbr {
    fn pacing_gain(&self) -> f64 {
        match self.mode {
            Mode::Startup => HIGH_GAIN,
            Mode::Drain => DRAIN_GAIN,
            Mode::ProbeBandwidth => CYCLE[self.phase],
            Mode::ProbeRtt => 1.0,
        }
    }

    fn cwnd_gain(&self) -> f64 {
        match self.mode {
            Mode::Startup | Mode::Drain => HIGH_GAIN,
            Mode::ProbeBandwidth => CWND_GAIN,
            Mode::ProbeRtt => 1.0,
        }
    }

    /// So many bandwidth-delay products, with three quanta for the hosts (4.2.3.2).
    fn inflight(&self, gain: f64, path: &Path, window: &Window) -> f64 {
        let Some(min_rtt_s) = self.min_rtt_s else { return self.initial_cwnd };
        let rate_bps = window.pacing_per_s.unwrap_or(0.0) * path.mss_bytes * 8.0;
        let quantum = match rate_bps {
            ..1.2e6 => 1.0,
            ..24e6 => 2.0,
            _ => (rate_bps / 8.0 * 0.001).min(65_536.0) / path.mss_bytes,
        };
        let more = if self.mode == Mode::ProbeBandwidth && self.phase == 0 { 2.0 } else { 0.0 };
        (gain * self.bandwidth.get() * min_rtt_s + 3.0 * quantum).ceil() + more
    }

    fn save_cwnd(&mut self, cwnd: f64) {
        let is_usual = !self.is_recovering && self.mode != Mode::ProbeRtt;
        self.prior_cwnd = if is_usual { cwnd } else { self.prior_cwnd.max(cwnd) };
    }

    fn update_bandwidth(&mut self, ack: &Ack, path: &Path) {
        let Some(rate) = &ack.rate else { return };
        self.round_starts = rate.prior_delivered >= self.next_round_at;
        if self.round_starts {
            self.next_round_at = path.delivered;
            self.rounds += 1;
            self.conserves = false;
        }
        if let Some(per_s) = rate.per_s
            && (!rate.is_app_limited || per_s >= self.bandwidth.get())
        {
            self.bandwidth.update(BANDWIDTH_ROUNDS, self.rounds, per_s);
        }
    }

    /// 4.3.4: the next phase of the cycle, when this one has done its work.
    fn advance_phase(&mut self, ack: &Ack, path: &Path, window: &Window) {
        if self.mode != Mode::ProbeBandwidth {
            return;
        }
        let has_lasted = path.now_s - self.phase_since_s > self.min_rtt_s.unwrap_or(f64::INFINITY);
        let in_flight = f64::from(ack.prior_in_flight);
        let gain = CYCLE[self.phase];
        let is_done = if gain > 1.0 {
            has_lasted && (ack.lost > 0 || in_flight >= self.inflight(gain, path, window))
        } else if gain < 1.0 {
            has_lasted || in_flight <= self.inflight(1.0, path, window)
        } else {
            has_lasted
        };
        if is_done {
            self.phase = (self.phase + 1) % CYCLE.len();
            self.phase_since_s = path.now_s;
        }
    }

    /// 4.3.2.2: three round trips that bring less than a quarter more.
    fn check_full(&mut self, ack: &Ack) {
        let is_app_limited = ack.rate.is_some_and(|rate| rate.is_app_limited);
        if self.is_full || !self.round_starts || is_app_limited {
            return;
        }
        if self.bandwidth.get() >= self.full_bandwidth * 1.25 {
            (self.full_bandwidth, self.full_count) = (self.bandwidth.get(), 0);
            return;
        }
        self.full_count += 1;
        self.is_full = self.full_count >= 3;
    }

    fn check_drain(&mut self, path: &Path, window: &Window) {
        if self.mode == Mode::Startup && self.is_full {
            self.mode = Mode::Drain;
        }
        if self.mode == Mode::Drain && f64::from(path.in_flight) <= self.inflight(1.0, path, window) {
            self.probe_bandwidth(path);
        }
    }

    /// 4.3.4.2: a cycle begins anywhere but in its second phase, which would drain what was not filled.
    fn probe_bandwidth(&mut self, path: &Path) {
        self.mode = Mode::ProbeBandwidth;
        let ahead = self.draws.as_mut().map_or(0, |draws| draws.integer(7) as usize);
        self.phase = (CYCLE.len() - ahead) % CYCLE.len();
        self.phase_since_s = path.now_s;
    }

    fn update_min_rtt(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        let is_old = path.now_s > self.min_rtt_at_s + MIN_RTT_S;
        if let Some(rtt_s) = ack.rtt_s
            && (is_old || self.min_rtt_s.is_none_or(|min_rtt_s| rtt_s < min_rtt_s))
        {
            (self.min_rtt_s, self.min_rtt_at_s) = (Some(rtt_s), path.now_s);
        }
        if is_old && !self.resumes && self.mode != Mode::ProbeRtt {
            self.save_cwnd(window.cwnd);
            self.mode = Mode::ProbeRtt;
            self.probe_rtt_until_s = None;
        }
        if self.mode == Mode::ProbeRtt {
            self.probe_rtt(path, window);
        }
        self.resumes &= ack.delivered == 0;
    }

    fn probe_rtt(&mut self, path: &Path, window: &mut Window) {
        window.holds_back = true;
        match self.probe_rtt_until_s {
            None if f64::from(path.in_flight) <= MIN_CWND => {
                self.probe_rtt_until_s = Some(path.now_s + PROBE_RTT_S);
                self.probe_rtt_round_done = false;
                self.next_round_at = path.delivered;
            }
            None => {}
            Some(until_s) => {
                self.probe_rtt_round_done |= self.round_starts;
                if self.probe_rtt_round_done && path.now_s > until_s {
                    self.end_probe_rtt(path, window);
                }
            }
        }
    }

    fn end_probe_rtt(&mut self, path: &Path, window: &mut Window) {
        self.min_rtt_at_s = path.now_s;
        window.holds_back = false;
        window.cwnd = window.cwnd.max(self.prior_cwnd);
        if self.is_full { self.probe_bandwidth(path) } else { self.mode = Mode::Startup }
    }

    fn set_rate(&self, gain: f64, window: &mut Window) {
        let per_s = gain * self.bandwidth.get() * MARGIN;
        if per_s > 0.0 && (self.is_full || window.pacing_per_s.is_none_or(|now| per_s > now)) {
            window.pacing_per_s = Some(per_s);
        }
    }

    fn set_cwnd(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        let delivered = f64::from(ack.delivered);
        if ack.lost > 0 {
            window.cwnd = (window.cwnd - f64::from(ack.lost)).max(1.0);
        }
        if self.conserves {
            window.cwnd = window.cwnd.max(f64::from(path.in_flight) + delivered);
        } else if ack.delivered > 0 {
            let target = self.inflight(self.cwnd_gain(), path, window);
            if self.is_full {
                window.cwnd = (window.cwnd + delivered).min(target);
            } else if window.cwnd < target || (path.delivered as f64) < self.initial_cwnd {
                window.cwnd += delivered;
            }
            window.cwnd = window.cwnd.max(MIN_CWND);
        }
        if self.mode == Mode::ProbeRtt {
            window.cwnd = window.cwnd.min(MIN_CWND);
        }
    }
}

impl Control for Bbr {
    fn start(&mut self, path: &Path, window: &mut Window) {
        *self = Bbr {
            initial_cwnd: window.cwnd,
            min_rtt_s: (path.srtt_s > 0.0).then_some(path.srtt_s),
            min_rtt_at_s: path.now_s,
            draws: Some(path.seed.stream()),
            ..Bbr::default()
        };
        // 4.2.1: before there is a bandwidth, the initial window in a round trip, or in 1 ms.
        let trip_s = if path.srtt_s > 0.0 { path.srtt_s } else { 0.001 };
        window.pacing_per_s = Some(HIGH_GAIN * window.cwnd / trip_s);
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.round_starts = false;
        self.update_bandwidth(ack, path);
        self.advance_phase(ack, path, window);
        self.check_full(ack);
        self.check_drain(path, window);
        self.update_min_rtt(ack, path, window);
        self.set_rate(self.pacing_gain(), window);
        self.set_cwnd(ack, path, window);
    }

    fn on_congestion_event(&mut self, sign: CongestionEvent, path: &Path, window: &mut Window) -> Response {
        if sign == CongestionEvent::Mark {
            return Response::Own;
        }
        self.save_cwnd(window.cwnd);
        self.is_recovering = true;
        if sign == CongestionEvent::Timeout {
            self.full_bandwidth = 0.0;
            window.cwnd = f64::from(path.in_flight) + 1.0;
        } else {
            // 4.2.3.4: for a round trip no more goes than arrives.
            self.conserves = true;
            self.next_round_at = path.delivered;
            window.cwnd = f64::from(path.in_flight).max(1.0);
        }
        Response::Own
    }

    fn on_recovery_exit(&mut self, _path: &Path, window: &mut Window) {
        if std::mem::take(&mut self.is_recovering) {
            window.cwnd = window.cwnd.max(self.prior_cwnd);
            self.conserves = false;
        }
    }

    fn on_spurious_loss(&mut self, path: &Path, window: &mut Window) {
        (self.full_bandwidth, self.full_count) = (0.0, 0);
        self.on_recovery_exit(path, window);
    }

    fn on_idle_restart(&mut self, _idle_s: f64, _timeouts: u32, _initial: f64, path: &Path, window: &mut Window) {
        self.resumes = true;
        if self.mode == Mode::ProbeBandwidth {
            self.set_rate(1.0, window);
        } else if self.mode == Mode::ProbeRtt && self.probe_rtt_until_s.is_some_and(|until_s| path.now_s > until_s) {
            self.end_probe_rtt(path, window);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Rate;
    use super::*;

    fn rate(per_s: f64, prior_delivered: u64) -> Ack {
        let rate = Rate { per_s: Some(per_s), prior_delivered, ..Rate::default() };
        Ack { delivered: 1, rtt_s: Some(0.1), rate: Some(rate), prior_in_flight: 10, ..Ack::default() }
    }

    fn path(now_s: f64, delivered: u64, in_flight: u32) -> Path {
        Path { now_s, delivered, in_flight, mss_bytes: 1448.0, srtt_s: 0.1, min_rtt_s: 0.1, ..Path::default() }
    }

    fn started() -> (Bbr, Window) {
        let mut law = Bbr::default();
        let mut window = Window { cwnd: 10.0, ssthresh: f64::INFINITY, pacing_per_s: None, holds_back: false };
        law.start(&path(0.0, 0, 0), &mut window);
        (law, window)
    }

    // 4.2.1: high_gain * InitialCwnd / SRTT = 2.885 * 10 / 0.1 s; 4.3.2.2: three rounds without 25 % more end start-up; drain
    // at 1 / 2.885 until a bandwidth-delay product, 1000/s * 0.1 s, is in flight; 1 % less than the bandwidth, as in Linux.
    #[test]
    fn a_plateau_ends_start_up() {
        let (mut law, mut window) = started();
        assert!((window.pacing_per_s.unwrap() - 288.5).abs() < 1e-9);
        let mut delivered = 10;
        for per_s in [500.0, 1000.0, 1100.0, 1100.0] {
            law.on_ack(&rate(per_s, delivered), &path(0.1, delivered, 400), &mut window);
            assert_eq!(law.mode, Mode::Startup);
            delivered += 10;
        }
        law.on_ack(&rate(1100.0, delivered), &path(0.1, delivered, 400), &mut window);
        assert_eq!(law.mode, Mode::Drain);
        assert!((window.pacing_per_s.unwrap() - 1100.0 / 2.885 * 0.99).abs() < 1e-9);
        law.on_ack(&rate(1100.0, delivered), &path(0.2, delivered, 110), &mut window);
        assert_eq!(law.mode, Mode::ProbeBandwidth);
    }

    // 4.3.4: the gains of the cycle, and that it never begins with 3/4.
    #[test]
    fn a_cycle_has_eight_phases() {
        assert_eq!(CYCLE, [5.0 / 4.0, 3.0 / 4.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
        let (mut law, _) = started();
        let begun: std::collections::BTreeSet<usize> = (0..200)
            .map(|_| {
                law.probe_bandwidth(&path(0.0, 0, 0));
                law.phase
            })
            .collect();
        assert_eq!(begun.into_iter().collect::<Vec<_>>(), [0, 2, 3, 4, 5, 6, 7]);
    }

    // 4.3.5: ten seconds without a shorter round trip: four packets for 200 ms and a round trip, then the window of before.
    #[test]
    fn the_round_trip_is_probed_every_ten_seconds() {
        let (mut law, mut window) = started();
        (law.mode, law.is_full) = (Mode::ProbeBandwidth, true);
        law.bandwidth.update(10, 0, 1000.0);
        window.cwnd = 200.0;
        law.on_ack(&rate(1000.0, 1), &path(9.9, 1000, 100), &mut window);
        assert_eq!(law.mode, Mode::ProbeBandwidth);
        law.on_ack(&rate(1000.0, 1), &path(10.1, 1000, 100), &mut window);
        assert_eq!((law.mode, window.cwnd, window.holds_back), (Mode::ProbeRtt, 4.0, true));
        law.on_ack(&rate(1000.0, 1), &path(10.2, 1096, 4), &mut window);
        law.on_ack(&rate(1000.0, 1096), &path(10.3, 1100, 4), &mut window);
        assert_eq!(law.mode, Mode::ProbeRtt);
        law.on_ack(&rate(1000.0, 1100), &path(10.41, 1104, 4), &mut window);
        assert_eq!((law.mode, window.holds_back), (Mode::ProbeBandwidth, false));
        assert!(window.cwnd >= 200.0);
    }

    // 4.2.3.4: in the first round of a recovery, what arrives is what goes; afterwards the window is as before.
    #[test]
    fn a_recovery_conserves_packets_and_gives_the_window_back() {
        let (mut law, mut window) = started();
        law.is_full = true;
        window.cwnd = 100.0;
        assert_eq!(law.on_congestion_event(CongestionEvent::Loss, &path(1.0, 1000, 60), &mut window), Response::Own);
        law.on_ack(&rate(1000.0, 900), &path(1.0, 1001, 60), &mut window);
        assert_eq!(window.cwnd, 61.0);
        law.on_recovery_exit(&path(1.2, 1100, 60), &mut window);
        assert_eq!(window.cwnd, 100.0);
        law.on_congestion_event(CongestionEvent::Timeout, &path(2.0, 1100, 0), &mut window);
        assert_eq!(window.cwnd, 1.0);
    }
}
