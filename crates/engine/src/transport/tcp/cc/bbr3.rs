//! BBR, version 3: the model of the path has a long and a short memory of what losses said.
//!
//! Source: N. Cardwell, I. Swett, J. Beshay, draft-ietf-ccwg-bbr (August 2026), sections 5.3 to 5.6.
//! What it decides: rate and window. Start-up at 2.77; drain at 0.5; then cycles: down at 0.9, cruise at 1, refill at 1, up at
//! 1.25 of the bandwidth, probing every 2 to 3 s or as often as Reno would; every 5 s without a shorter round trip, half of the
//! path's volume for 200 ms. More than 2 % of losses in a probe bound what is in flight for long, any loss elsewhere for the
//! rest of the cycle.
//! Departures: the 6 gaps that end start-up are counted as ACKs that tell of losses, as in Linux's tree of BBRv3. A quantum is
//! a millisecond of sending; packets leave one by one.
//! Not implemented: ECN, which the draft leaves open.
//! Checked against: the draft's constants by hand; its example test cases of start-up, drain and ProbeRTT, and shares with
//! CUBIC (tests/spec/test_modern_bbr.py).

use super::windowed_max::WindowedMax;
use super::{Ack, CongestionEvent, Control, Entry, Path, Rate, Response, Window};
use crate::random::rng::Stream;

mod cycle;
mod model;
#[cfg(test)]
mod tests;

/// The table's line.
pub const ENTRY: Entry = Entry {
    id: "bbr3",
    about: "a model of bandwidth, round trip and volume, version 3 (draft-ietf-ccwg-bbr)",
    make: || Box::new(Bbr3::default()),
};

const STARTUP_PACING_GAIN: f64 = 2.77;
const DRAIN_PACING_GAIN: f64 = 0.5;
const DEFAULT_CWND_GAIN: f64 = 2.0;
const PROBE_RTT_CWND_GAIN: f64 = 0.5;
/// Losses in a round trip that a probe for bandwidth may cause.
const LOSS_THRESH: f64 = 0.02;
const BETA: f64 = 0.7;
/// The part of the long-term bound that is left to others.
const HEADROOM: f64 = 0.15;
const MIN_PIPE_CWND: f64 = 4.0;
const PACING_MARGIN: f64 = 0.99;
const STARTUP_FULL_LOSS_COUNT: u32 = 6;
const EXTRA_ACKED_ROUNDS: u64 = 10;
const MIN_RTT_FILTER_S: f64 = 10.0;
const PROBE_RTT_INTERVAL_S: f64 = 5.0;
const PROBE_RTT_DURATION_S: f64 = 0.2;

/// 5.3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

impl State {
    /// One of those of ProbeBW.
    fn probes_bandwidth(self) -> bool {
        matches!(self, State::Down | State::Cruise | State::Refill | State::Up)
    }

    /// Sends faster than packets arrive, or is about to.
    fn accelerates(self) -> bool {
        matches!(self, State::Startup | State::Refill | State::Up)
    }

    /// The table of 5.6.1.
    fn pacing_gain(self) -> f64 {
        match self {
            State::Startup => STARTUP_PACING_GAIN,
            State::Drain => DRAIN_PACING_GAIN,
            State::Down => 0.9,
            State::Cruise | State::Refill | State::ProbeRtt => 1.0,
            State::Up => 1.25,
        }
    }

    fn cwnd_gain(self) -> f64 {
        match self {
            State::Up => 2.25,
            State::ProbeRtt => PROBE_RTT_CWND_GAIN,
            _ => DEFAULT_CWND_GAIN,
        }
    }
}

/// What the ACKs that come tell of a probe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum AckPhase {
    #[default]
    Init,
    Refilling,
    Starting,
    Feedback,
    Stopping,
}

/// What a false sign of loss is to give back.
#[derive(Clone, Copy, Debug, Default)]
struct Undo {
    state: Option<State>,
    bw_short: f64,
    inflight_short: f64,
    inflight_long: f64,
}

#[derive(Default)]
struct Bbr3 {
    state: State,
    initial_cwnd: f64,
    draws: Option<Stream>,

    rounds: u64,
    next_round_at: u64,
    round_starts: bool,
    drain_round: u64,

    /// The greatest bandwidth of the present cycle and of the one before, packets/s.
    max_bw: [f64; 2],
    /// The present one and the short-term bound's lesser.
    bw: f64,
    bw_short: f64,
    inflight_short: f64,
    inflight_long: f64,
    bw_latest: f64,
    inflight_latest: f64,
    loss_round_at: u64,
    loss_round_starts: bool,
    loss_in_round: bool,
    losses_in_round: u32,

    full_bw: f64,
    full_count: u32,
    is_full_now: bool,
    is_full: bool,

    min_rtt_s: f64,
    min_rtt_at_s: f64,
    probe_min_s: f64,
    probe_min_at_s: f64,
    probe_expired: bool,
    probe_until_s: Option<f64>,
    probe_round_done: bool,

    phase: AckPhase,
    is_probe_sample: bool,
    probe_rounds: u32,
    probe_acked: f64,
    acked_per_packet: f64,
    rounds_since_up: u64,
    wait_s: f64,
    cycle_since_s: f64,
    was_too_high: bool,
    was_precautionary: bool,

    extra: WindowedMax,
    extra_since_s: f64,
    extra_delivered: f64,

    prior_cwnd: f64,
    is_recovering: bool,
    resumes: bool,
    undo: Undo,
}

impl Control for Bbr3 {
    fn start(&mut self, path: &Path, window: &mut Window) {
        *self = Bbr3 {
            initial_cwnd: window.cwnd,
            draws: Some(path.seed.stream()),
            min_rtt_s: if path.srtt_s > 0.0 { path.srtt_s } else { f64::INFINITY },
            min_rtt_at_s: path.now_s,
            probe_min_s: f64::INFINITY,
            probe_min_at_s: path.now_s,
            bw_short: f64::INFINITY,
            inflight_short: f64::INFINITY,
            inflight_long: f64::INFINITY,
            acked_per_packet: f64::INFINITY,
            extra_since_s: path.now_s,
            ..Bbr3::default()
        };
        let trip_s = if path.srtt_s > 0.0 { path.srtt_s } else { 0.001 };
        window.pacing_per_s = Some(STARTUP_PACING_GAIN * window.cwnd / trip_s);
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        let rate = ack.rate.unwrap_or_default();
        self.update_latest(&rate, path);
        self.update_congestion(ack, &rate, path, window);
        self.update_extra(ack, path, window);
        self.check_full(&rate);
        self.check_startup(ack, &rate);
        self.check_drain(path, window);
        self.update_cycle(ack, &rate, path, window);
        self.update_min_rtt(ack, path);
        self.check_probe_rtt(ack, path, window);
        if self.loss_round_starts {
            self.bw_latest = rate.per_s.unwrap_or(0.0);
            self.inflight_latest = rate.delivered as f64;
        }
        self.bw = self.greatest_bw().min(self.bw_short);
        self.set_rate(self.state.pacing_gain(), window);
        self.set_cwnd(ack, path, window);
    }

    fn on_loss(&mut self, sent: &Rate, path: &Path, window: &mut Window) {
        self.handle_lost(sent, path, window);
    }

    fn on_congestion_event(&mut self, sign: CongestionEvent, path: &Path, window: &mut Window) -> Response {
        if sign != CongestionEvent::Mark {
            self.save_cwnd(window.cwnd);
            self.save_model();
            self.is_recovering = true;
        }
        if sign == CongestionEvent::Timeout {
            window.cwnd = f64::from(path.in_flight) + 1.0;
        }
        Response::Own
    }

    fn on_recovery_exit(&mut self, _path: &Path, window: &mut Window) {
        if std::mem::take(&mut self.is_recovering) {
            window.cwnd = window.cwnd.max(self.prior_cwnd);
        }
    }

    fn on_spurious_loss(&mut self, path: &Path, window: &mut Window) {
        self.is_recovering = false;
        self.take_back(path, window);
    }

    fn on_idle_restart(&mut self, _idle_s: f64, _timeouts: u32, _initial: f64, path: &Path, window: &mut Window) {
        self.resumes = true;
        self.extra_since_s = path.now_s;
        if self.state.probes_bandwidth() {
            self.set_rate(1.0, window);
        } else if self.state == State::ProbeRtt {
            self.check_probe_rtt_done(path, window);
        }
    }
}
