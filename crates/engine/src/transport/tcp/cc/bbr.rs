//! BBR, version 1: congestion control from a model of the path (bandwidth and min RTT).
//!
//! Source: N. Cardwell, Y. Cheng, C. S. Gunn, S. Hassas Yeganeh, V. Jacobson, "BBR: congestion-based congestion control",
//! ACM Queue 14(5), 2016; N. Cardwell and others, draft-cardwell-iccrg-bbr-congestion-control-00, 2017, section 4.
//! Names: those of Linux's net/ipv4/tcp_bbr.c for constants, state and procedures; the draft's where Linux has none. A comment
//! gives the draft's section and procedure.
//! What it decides: pacing rate and window. Startup doubles the rate per round trip until three rounds bring less than
//! 25 % more bandwidth; then Drain. ProbeBW cycles have eight phases of one min RTT, with the gains 1.25, 0.75 and six
//! times 1. ProbeRTT: after 10 s without a shorter RTT, four packets in flight for 200 ms.
//! Departures: as in Linux, the pacing rate is 1 % below the bandwidth, and the probing phase allows two more packets
//! in flight. A simulated host is never late, so Linux's allowance for offload is the draft's three quanta.
//! Not implemented: detection of policers (long-term bandwidth), the allowance for aggregated ACKs that Linux added in
//! 2019.
//! Checked against: the draft's constants by hand; the cycle of eight phases and the 200 ms on the wire, shares with
//! CUBIC in deep and shallow buffers (tests/spec/test_modern_bbr.py).

use super::windowed_max::WindowedMax;
use super::{Ack, CongestionEvent, Control, Entry, Path, Response, Window};
use crate::random::rng::Stream;

/// BBR's entry of the registry.
pub const ENTRY: Entry = Entry {
    id: "bbr",
    about: "a model of bandwidth and round trip, version 1 (draft-cardwell-iccrg-bbr-congestion-control-00)",
    make: || Box::new(Bbr::default()),
};

/// 2 / ln 2: doubles the rate per round trip (BBRHighGain).
const HIGH_GAIN: f64 = 2.885;
const DRAIN_GAIN: f64 = 1.0 / HIGH_GAIN;
const CWND_GAIN: f64 = 2.0;
const CYCLE_LEN: usize = 8;
/// The pacing gains of a ProbeBW cycle (4.3.4.3).
const PACING_GAIN: [f64; CYCLE_LEN] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// Number of phases in which a cycle may begin: all but that of 3/4.
const CYCLE_RAND: i64 = 7;
/// Length of the bandwidth filter, round trips (BtlBwFilterLen).
const BW_RTTS: u64 = 10;
/// Length of the min-RTT filter, s (RTpropFilterLen).
const MIN_RTT_WIN_SEC: f64 = 10.0;
/// Duration of ProbeRTT, s (ProbeRTTDuration).
const PROBE_RTT_MODE_S: f64 = 0.2;
/// Min window, packets (BBRMinPipeCwnd).
const CWND_MIN_TARGET: f64 = 4.0;
/// Bandwidth growth per round trip that means that the pipe is not full.
const FULL_BW_THRESH: f64 = 1.25;
/// Round trips without such growth after which the pipe is full.
const FULL_BW_CNT: u32 = 3;
/// Margin of the pacing rate below the bandwidth, % (Linux; not in the draft).
const PACING_MARGIN_PERCENT: f64 = 1.0;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// Linux's struct bbr. Timestamps are in s.
#[derive(Default)]
struct Bbr {
    mode: Mode,
    /// The bandwidth, packets/s (BBR.BtlBw).
    bw: WindowedMax,
    /// The min RTT, s (BBR.RTprop), and its timestamp.
    min_rtt_s: Option<f64>,
    min_rtt_stamp: f64,
    rtt_cnt: u64,
    next_rtt_delivered: u64,
    round_start: bool,
    full_bw: f64,
    full_bw_cnt: u32,
    full_bw_reached: bool,
    cycle_idx: usize,
    cycle_mstamp: f64,
    /// End of ProbeRTT: 200 ms after the in-flight packets reached the minimum.
    probe_rtt_done_stamp: Option<f64>,
    probe_rtt_round_done: bool,
    /// The window to restore.
    prior_cwnd: f64,
    initial_cwnd: f64,
    packet_conservation: bool,
    /// InLossRecovery of the draft; Linux reads it from the connection.
    in_loss_recovery: bool,
    idle_restart: bool,
    draws: Option<Stream>,
}

impl Bbr {
    /// 4.3, BBR.pacing_gain.
    fn pacing_gain(&self) -> f64 {
        match self.mode {
            Mode::Startup => HIGH_GAIN,
            Mode::Drain => DRAIN_GAIN,
            Mode::ProbeBw => PACING_GAIN[self.cycle_idx],
            Mode::ProbeRtt => 1.0,
        }
    }

    /// 4.3, BBR.cwnd_gain.
    fn cwnd_gain(&self) -> f64 {
        match self.mode {
            Mode::Startup | Mode::Drain => HIGH_GAIN,
            Mode::ProbeBw => CWND_GAIN,
            Mode::ProbeRtt => 1.0,
        }
    }

    /// 4.2.3.2, BBRInflight, with 4.2.2, BBRSetSendQuantum: `gain` times the BDP, and three quanta for the hosts.
    fn inflight(&self, gain: f64, path: &Path, window: &Window) -> f64 {
        let Some(min_rtt_s) = self.min_rtt_s else { return self.initial_cwnd };
        let rate_bps = window.pacing_per_s.unwrap_or(0.0) * path.mss_bytes * 8.0;
        let send_quantum = match rate_bps {
            ..1.2e6 => 1.0,
            ..24e6 => 2.0,
            _ => (rate_bps / 8.0 * 0.001).min(65_536.0) / path.mss_bytes,
        };
        let more = if self.mode == Mode::ProbeBw && self.cycle_idx == 0 { 2.0 } else { 0.0 };
        (gain * self.bw.get() * min_rtt_s + 3.0 * send_quantum).ceil() + more
    }

    /// 4.2.3.4, BBRSaveCwnd.
    fn save_cwnd(&mut self, cwnd: f64) {
        let is_usual = !self.in_loss_recovery && self.mode != Mode::ProbeRtt;
        self.prior_cwnd = if is_usual { cwnd } else { self.prior_cwnd.max(cwnd) };
    }

    /// 4.1.1.5, BBRUpdateBtlBw, with 4.1.1.3, BBRUpdateRound.
    fn update_bw(&mut self, ack: &Ack, path: &Path) {
        let Some(rs) = &ack.rate else { return };
        self.round_start = rs.prior_delivered >= self.next_rtt_delivered;
        if self.round_start {
            self.next_rtt_delivered = path.delivered;
            self.rtt_cnt += 1;
            self.packet_conservation = false;
        }
        if let Some(per_s) = rs.per_s
            && (!rs.is_app_limited || per_s >= self.bw.get())
        {
            self.bw.update(BW_RTTS, self.rtt_cnt, per_s);
        }
    }

    /// 4.3.4.3, BBRCheckCyclePhase, with BBRIsNextCyclePhase and BBRAdvanceCyclePhase: enters the next phase when this
    /// one is complete.
    fn update_cycle_phase(&mut self, ack: &Ack, path: &Path, window: &Window) {
        if self.mode != Mode::ProbeBw {
            return;
        }
        let is_full_length = path.now_s - self.cycle_mstamp > self.min_rtt_s.unwrap_or(f64::INFINITY);
        let prior_inflight = f64::from(ack.prior_in_flight);
        let pacing_gain = PACING_GAIN[self.cycle_idx];
        let is_next_cycle_phase = if pacing_gain > 1.0 {
            is_full_length && (ack.lost > 0 || prior_inflight >= self.inflight(pacing_gain, path, window))
        } else if pacing_gain < 1.0 {
            is_full_length || prior_inflight <= self.inflight(1.0, path, window)
        } else {
            is_full_length
        };
        if is_next_cycle_phase {
            self.cycle_idx = (self.cycle_idx + 1) % CYCLE_LEN;
            self.cycle_mstamp = path.now_s;
        }
    }

    /// 4.3.2.2, BBRCheckFullPipe: three round trips with less than 25 % growth.
    fn check_full_bw_reached(&mut self, ack: &Ack) {
        let is_app_limited = ack.rate.is_some_and(|rate| rate.is_app_limited);
        if self.full_bw_reached || !self.round_start || is_app_limited {
            return;
        }
        if self.bw.get() >= self.full_bw * FULL_BW_THRESH {
            (self.full_bw, self.full_bw_cnt) = (self.bw.get(), 0);
            return;
        }
        self.full_bw_cnt += 1;
        self.full_bw_reached = self.full_bw_cnt >= FULL_BW_CNT;
    }

    /// 4.3.3, BBRCheckDrain.
    fn check_drain(&mut self, path: &Path, window: &Window) {
        if self.mode == Mode::Startup && self.full_bw_reached {
            self.mode = Mode::Drain;
        }
        if self.mode == Mode::Drain && f64::from(path.in_flight) <= self.inflight(1.0, path, window) {
            self.reset_probe_bw_mode(path);
        }
    }

    /// 4.3.4.3, BBREnterProbeBW: begins a cycle in a random phase, except the second, which would drain an empty queue.
    fn reset_probe_bw_mode(&mut self, path: &Path) {
        self.mode = Mode::ProbeBw;
        let ahead = self.draws.as_mut().map_or(0, |draws| draws.integer(CYCLE_RAND) as usize);
        self.cycle_idx = (CYCLE_LEN - ahead) % CYCLE_LEN;
        self.cycle_mstamp = path.now_s;
    }

    /// 4.1.2.3, BBRUpdateRTprop, with 4.3.5, BBRCheckProbeRTT.
    fn update_min_rtt(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        let filter_expired = path.now_s > self.min_rtt_stamp + MIN_RTT_WIN_SEC;
        if let Some(rtt_s) = ack.rtt_s
            && (filter_expired || self.min_rtt_s.is_none_or(|min_rtt_s| rtt_s < min_rtt_s))
        {
            (self.min_rtt_s, self.min_rtt_stamp) = (Some(rtt_s), path.now_s);
        }
        if filter_expired && !self.idle_restart && self.mode != Mode::ProbeRtt {
            self.save_cwnd(window.cwnd);
            self.mode = Mode::ProbeRtt;
            self.probe_rtt_done_stamp = None;
        }
        if self.mode == Mode::ProbeRtt {
            self.handle_probe_rtt(path, window);
        }
        self.idle_restart &= ack.delivered == 0;
    }

    /// 4.3.5, BBRHandleProbeRTT.
    fn handle_probe_rtt(&mut self, path: &Path, window: &mut Window) {
        window.holds_back = true;
        match self.probe_rtt_done_stamp {
            None if f64::from(path.in_flight) <= CWND_MIN_TARGET => {
                self.probe_rtt_done_stamp = Some(path.now_s + PROBE_RTT_MODE_S);
                self.probe_rtt_round_done = false;
                self.next_rtt_delivered = path.delivered;
            }
            None => {}
            Some(done_stamp) => {
                self.probe_rtt_round_done |= self.round_start;
                if self.probe_rtt_round_done && path.now_s > done_stamp {
                    self.exit_probe_rtt(path, window);
                }
            }
        }
    }

    /// 4.3.5, BBRExitProbeRTT, with 4.2.3.4, BBRRestoreCwnd.
    fn exit_probe_rtt(&mut self, path: &Path, window: &mut Window) {
        self.min_rtt_stamp = path.now_s;
        window.holds_back = false;
        window.cwnd = window.cwnd.max(self.prior_cwnd);
        if self.full_bw_reached { self.reset_probe_bw_mode(path) } else { self.mode = Mode::Startup }
    }

    /// 4.2.1, BBRSetPacingRateWithGain.
    fn set_pacing_rate(&self, gain: f64, window: &mut Window) {
        let rate = gain * self.bw.get() * ((100.0 - PACING_MARGIN_PERCENT) / 100.0);
        if rate > 0.0 && (self.full_bw_reached || window.pacing_per_s.is_none_or(|now| rate > now)) {
            window.pacing_per_s = Some(rate);
        }
    }

    /// 4.2.3.6, BBRSetCwnd, with 4.2.3.4, BBRModulateCwndForRecovery, and 4.2.3.5, BBRModulateCwndForProbeRTT.
    fn set_cwnd(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        let delivered = f64::from(ack.delivered);
        if ack.lost > 0 {
            window.cwnd = (window.cwnd - f64::from(ack.lost)).max(1.0);
        }
        if self.packet_conservation {
            window.cwnd = window.cwnd.max(f64::from(path.in_flight) + delivered);
        } else if ack.delivered > 0 {
            let target_cwnd = self.inflight(self.cwnd_gain(), path, window);
            if self.full_bw_reached {
                window.cwnd = (window.cwnd + delivered).min(target_cwnd);
            } else if window.cwnd < target_cwnd || (path.delivered as f64) < self.initial_cwnd {
                window.cwnd += delivered;
            }
            window.cwnd = window.cwnd.max(CWND_MIN_TARGET);
        }
        if self.mode == Mode::ProbeRtt {
            window.cwnd = window.cwnd.min(CWND_MIN_TARGET);
        }
    }
}

impl Control for Bbr {
    /// 4.3.1, BBRInit, with 4.2.1, BBRInitPacingRate.
    fn start(&mut self, path: &Path, window: &mut Window) {
        *self = Bbr {
            initial_cwnd: window.cwnd,
            min_rtt_s: (path.srtt_s > 0.0).then_some(path.srtt_s),
            min_rtt_stamp: path.now_s,
            draws: Some(path.seed.stream()),
            ..Bbr::default()
        };
        // 4.2.1: without a bandwidth estimate, the initial window per SRTT, or per 1 ms.
        let srtt_s = if path.srtt_s > 0.0 { path.srtt_s } else { 0.001 };
        window.pacing_per_s = Some(HIGH_GAIN * window.cwnd / srtt_s);
    }

    /// 3.5.2, BBRUpdateOnACK.
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.round_start = false;
        self.update_bw(ack, path);
        self.update_cycle_phase(ack, path, window);
        self.check_full_bw_reached(ack);
        self.check_drain(path, window);
        self.update_min_rtt(ack, path, window);
        self.set_pacing_rate(self.pacing_gain(), window);
        self.set_cwnd(ack, path, window);
    }

    /// 4.2.3.4: entering Fast Recovery, or a retransmission timeout.
    fn on_congestion_event(&mut self, sign: CongestionEvent, path: &Path, window: &mut Window) -> Response {
        if sign == CongestionEvent::Mark {
            return Response::Own;
        }
        self.save_cwnd(window.cwnd);
        self.in_loss_recovery = true;
        if sign == CongestionEvent::Timeout {
            self.full_bw = 0.0;
            window.cwnd = f64::from(path.in_flight) + 1.0;
        } else {
            // 4.2.3.4: packet conservation for one round trip.
            self.packet_conservation = true;
            self.next_rtt_delivered = path.delivered;
            window.cwnd = f64::from(path.in_flight).max(1.0);
        }
        Response::Own
    }

    /// 4.2.3.4, BBRRestoreCwnd.
    fn on_recovery_exit(&mut self, _path: &Path, window: &mut Window) {
        if std::mem::take(&mut self.in_loss_recovery) {
            window.cwnd = window.cwnd.max(self.prior_cwnd);
            self.packet_conservation = false;
        }
    }

    /// 4.2.3.4, BBRRestoreCwnd; the search for a full pipe restarts as in Linux, bbr_undo_cwnd.
    fn on_spurious_loss(&mut self, path: &Path, window: &mut Window) {
        (self.full_bw, self.full_bw_cnt) = (0.0, 0);
        self.on_recovery_exit(path, window);
    }

    /// 4.3.4.4, BBRHandleRestartFromIdle; the exit from ProbeRTT as in Linux, bbr_cwnd_event.
    fn on_idle_restart(&mut self, _idle_s: f64, _timeouts: u32, _initial: f64, path: &Path, window: &mut Window) {
        self.idle_restart = true;
        if self.mode == Mode::ProbeBw {
            self.set_pacing_rate(1.0, window);
        } else if self.mode == Mode::ProbeRtt
            && self.probe_rtt_done_stamp.is_some_and(|done_stamp| path.now_s > done_stamp)
        {
            self.exit_probe_rtt(path, window);
        }
    }

    fn answers_marks(&self) -> bool {
        false
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

    // 4.2.1: high_gain * InitialCwnd / SRTT = 2.885 * 10 / 0.1 s. 4.3.2.2: three rounds without 25 % more end Startup.
    // Drain at 1 / 2.885 until a BDP, 1000/s * 0.1 s, is in flight. The rate is 1 % below the bandwidth, as in Linux.
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
        assert_eq!(law.mode, Mode::ProbeBw);
    }

    // 4.3.4: the gains of the cycle; it never begins with 3/4.
    #[test]
    fn a_cycle_has_eight_phases() {
        assert_eq!(PACING_GAIN, [5.0 / 4.0, 3.0 / 4.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
        let (mut law, _) = started();
        let begun: std::collections::BTreeSet<usize> = (0..200)
            .map(|_| {
                law.reset_probe_bw_mode(&path(0.0, 0, 0));
                law.cycle_idx
            })
            .collect();
        assert_eq!(begun.into_iter().collect::<Vec<_>>(), [0, 2, 3, 4, 5, 6, 7]);
    }

    // 4.3.5: after 10 s without a shorter RTT, four packets for 200 ms and a round trip; then the window is restored.
    #[test]
    fn the_round_trip_is_probed_every_ten_seconds() {
        let (mut law, mut window) = started();
        (law.mode, law.full_bw_reached) = (Mode::ProbeBw, true);
        law.bw.update(10, 0, 1000.0);
        window.cwnd = 200.0;
        law.on_ack(&rate(1000.0, 1), &path(9.9, 1000, 100), &mut window);
        assert_eq!(law.mode, Mode::ProbeBw);
        law.on_ack(&rate(1000.0, 1), &path(10.1, 1000, 100), &mut window);
        assert_eq!((law.mode, window.cwnd, window.holds_back), (Mode::ProbeRtt, 4.0, true));
        law.on_ack(&rate(1000.0, 1), &path(10.2, 1096, 4), &mut window);
        law.on_ack(&rate(1000.0, 1096), &path(10.3, 1100, 4), &mut window);
        assert_eq!(law.mode, Mode::ProbeRtt);
        law.on_ack(&rate(1000.0, 1100), &path(10.41, 1104, 4), &mut window);
        assert_eq!((law.mode, window.holds_back), (Mode::ProbeBw, false));
        assert!(window.cwnd >= 200.0);
    }

    // 4.2.3.4: packet conservation in the first round of a recovery; afterwards the window is restored.
    #[test]
    fn a_recovery_conserves_packets_and_gives_the_window_back() {
        let (mut law, mut window) = started();
        law.full_bw_reached = true;
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
