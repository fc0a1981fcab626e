//! BBR, version 3: congestion control from a model of the path, with long-term and short-term bounds from losses.
//!
//! Source: N. Cardwell, I. Swett, J. Beshay, draft-ietf-ccwg-bbr, sections 5.2 to 5.6; the text of 3 August 2026, commit
//! 4ce5e87d5f58 of github.com/ietf-wg-ccwg/draft-ietf-ccwg-bbr.
//! Names: the draft's for constants, state and procedures, in snake case; a comment gives section and procedure. `rs`
//! is RS, the rate sample. A comment marks what is not the draft's.
//! What it decides: pacing rate and window. Startup at a gain of 2.77, Drain at 0.5. Then ProbeBW cycles: DOWN at 0.9,
//! CRUISE at 1, REFILL at 1, UP at 1.25. A probe starts every 2 to 3 s, or as often as Reno would need. ProbeRTT: after
//! 5 s without a shorter RTT, half of the BDP for 200 ms. A loss ratio above 2 % in a probe sets the long-term bound of
//! the data in flight. Any loss elsewhere sets the short-term bounds, for the rest of the cycle.
//! Departures: the state is saved once for each loss recovery episode, as the text of 5.5.11.1 says. The pseudo-code saves
//! it at the first loss of each round trip and again at the start of the recovery. By then the loss may have ended
//! PROBE_UP, so that an undo could not return to it. Packets leave one by one, whatever the send quantum is.
//! Not implemented: a response to ECN. The draft defines none, and a sender of ECT must treat CE as congestion (3.7), so this
//! control refuses ECN.
//! Checked against: the draft's constants by hand; its example test cases of Startup, Drain and ProbeRTT, and shares
//! with CUBIC (tests/spec/test_tcp_bbr.py).

use super::windowed_max::WindowedMax;
use super::{Ack, CongestionEvent, Control, Entry, Model, Path, Rate, Response, Window};
use crate::random::rng::Stream;
use max_bw_filter::MaxBwFilter;

mod cycle;
mod max_bw_filter;
mod model;
#[cfg(test)]
mod tests;

/// BBRv3's entry of the registry.
pub const ENTRY: Entry = Entry {
    id: "bbr3",
    about: "BBR version 3: a model of bandwidth, RTT and data in flight (draft-ietf-ccwg-bbr)",
    make: || Box::new(Bbr3::default()),
};

// 2.5: gains of the pacing rate.
const STARTUP_PACING_GAIN: f64 = 2.77;
const DRAIN_PACING_GAIN: f64 = 0.5;
/// Margin of the pacing rate below the bandwidth, %.
const PACING_MARGIN_PERCENT: f64 = 1.0;
/// 2.6: the default window gain.
const DEFAULT_CWND_GAIN: f64 = 2.0;
// 2.8: core constants.
/// The max loss ratio per round trip of a bandwidth probe.
const LOSS_THRESH: f64 = 0.02;
const BETA: f64 = 0.7;
/// The fraction of `inflight_longterm` left free for other flows.
const HEADROOM: f64 = 0.15;
/// Packets.
const MIN_PIPE_CWND: f64 = 4.0;
/// 2.12: length of the filter, round trips.
const EXTRA_ACKED_FILTER_LEN: u64 = 10;
/// 5.3.1.3, BBRStartupFullLossCnt.
const STARTUP_FULL_LOSS_CNT: u32 = 6;
/// 2.16.1, s.
const MIN_RTT_FILTER_LEN: f64 = 10.0;
// 2.16.2: ProbeRTT; durations in s.
const PROBE_RTT_CWND_GAIN: f64 = 0.5;
const PROBE_RTT_DURATION: f64 = 0.2;
const PROBE_RTT_INTERVAL: f64 = 5.0;

/// 5.1.1: BBR.state.
///
/// ```text
/// Startup ─> Drain ─> ProbeBwDown ─> ProbeBwCruise ─> ProbeBwRefill ─> ProbeBwUp
///                          ^                                              │
///                          └──────────────────────────────────────────────┘
/// any ─> ProbeRtt ─> ProbeBwCruise, or Startup while the pipe was never full
/// ```
///
/// `ProbeBwDown` goes to `ProbeBwRefill` at once when the next probe is due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Startup,
    Drain,
    ProbeBwDown,
    ProbeBwCruise,
    ProbeBwRefill,
    ProbeBwUp,
    ProbeRtt,
}

impl State {
    /// 5.3.3.9, IsInAProbeBWState.
    fn is_in_a_probe_bw_state(self) -> bool {
        matches!(self, State::ProbeBwDown | State::ProbeBwCruise | State::ProbeBwRefill | State::ProbeBwUp)
    }

    /// 5.3.3.9, IsProbingBW: sends faster than packets are delivered, or is about to.
    fn is_probing_bw(self) -> bool {
        matches!(self, State::Startup | State::ProbeBwRefill | State::ProbeBwUp)
    }

    /// BBR.pacing_gain, from the table of 5.6.1.
    fn pacing_gain(self) -> f64 {
        match self {
            State::Startup => STARTUP_PACING_GAIN,
            State::Drain => DRAIN_PACING_GAIN,
            State::ProbeBwDown => 0.9,
            State::ProbeBwCruise | State::ProbeBwRefill | State::ProbeRtt => 1.0,
            State::ProbeBwUp => 1.25,
        }
    }

    /// BBR.cwnd_gain, from the table of 5.6.1.
    fn cwnd_gain(self) -> f64 {
        match self {
            State::ProbeBwUp => 2.25,
            State::ProbeRtt => PROBE_RTT_CWND_GAIN,
            _ => DEFAULT_CWND_GAIN,
        }
    }
}

/// 2.14: BBR.ack_phase, how incoming ACKs relate to a bandwidth probe. The draft's names begin with ACKS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum AckPhase {
    #[default]
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

/// The state of section 2. Times are in s, bandwidths in packets/s, volumes in packets.
#[derive(Default)]
struct Bbr3 {
    // 2.2.
    initial_cwnd: f64,
    /// Random numbers for PickProbeWait; not the draft's.
    draws: Option<Stream>,

    // 2.7: general.
    state: State,
    round_count: u64,
    round_start: bool,
    next_round_delivered: u64,
    idle_restart: bool,
    drain_start_round: u64,

    // 2.9.1, 2.9.2 and 2.11: the model of the path.
    /// BBR.MaxBwFilterLen is 2.
    max_bw_filter: MaxBwFilter,
    bw_shortterm: f64,
    bw: f64,
    min_rtt: f64,
    inflight_longterm: f64,
    inflight_shortterm: f64,

    // 2.10 and 5.5.10.3: signals of the last round trip.
    bw_latest: f64,
    inflight_latest: f64,
    loss_round_delivered: u64,
    loss_round_start: bool,
    is_loss_in_round: bool,
    /// Discontiguous sequence ranges lost in the round trip (5.3.1.3), and the packet after the one that was lost last.
    loss_ranges_in_round: u32,
    lost_range_end: u64,

    // 2.12: aggregation of ACKs.
    extra_acked_interval_start: f64,
    extra_acked_delivered: f64,
    extra_acked_filter: WindowedMax,

    // 2.13: Startup.
    full_bw_reached: bool,
    full_bw_now: bool,
    full_bw: f64,
    full_bw_count: u32,

    // 2.14: ProbeBW.
    ack_phase: AckPhase,
    is_bw_probe_sample: bool,
    bw_probe_up_acked: f64,
    probe_up_acked_per_inc: f64,
    bw_probe_up_rounds: u32,
    rounds_since_probe_up: u64,
    bw_probe_wait: f64,
    cycle_stamp: f64,
    prev_probe_too_high: bool,
    prev_probe_precautionary: bool,

    // 2.15: the state to restore after a spurious loss recovery.
    undo_state: Option<State>,
    undo_bw_shortterm: f64,
    undo_inflight_shortterm: f64,
    undo_inflight_longterm: f64,

    // 2.16 and 5.3.4.3: min_rtt and ProbeRTT.
    min_rtt_stamp: f64,
    probe_rtt_min_delay: f64,
    probe_rtt_min_stamp: f64,
    probe_rtt_expired: bool,
    probe_rtt_done_stamp: Option<f64>,
    probe_rtt_round_done: bool,

    // 5.6.4.4.
    prior_cwnd: f64,
    /// InLossRecovery.
    in_loss_recovery: bool,
    /// In fast recovery, not after a timeout.
    in_fast_recovery: bool,
    /// The state is saved for the present loss recovery episode.
    has_saved_state: bool,
    /// How often it was saved and restored.
    saves: u32,
    undos: u32,
    /// The initial pacing rate is from an RTT sample (5.6.2).
    has_seen_rtt: bool,
}

impl Bbr3 {
    /// 5.6.2, InitPacingRate: with the first RTT sample, or nominally with 1 ms before.
    fn init_pacing_rate(&mut self, path: &Path, window: &mut Window) {
        self.has_seen_rtt = path.srtt_s > 0.0;
        let srtt_s = if self.has_seen_rtt { path.srtt_s } else { 0.001 };
        window.pacing_per_s = Some(STARTUP_PACING_GAIN * self.initial_cwnd / srtt_s);
    }

    /// 5.6.4.4, OnEnterRTO, without what the sender has done; and the end of fast recovery.
    fn enter_rto(&mut self) {
        (self.in_loss_recovery, self.in_fast_recovery) = (true, false);
    }
}

impl Control for Bbr3 {
    fn has_cong_control(&self) -> bool {
        true
    }

    /// 5.2.1, OnInit, with 5.6.2, InitPacingRate.
    fn start(&mut self, path: &Path, window: &mut Window) {
        *self = Bbr3 {
            initial_cwnd: window.cwnd,
            draws: Some(path.seed.stream()),
            min_rtt: if path.srtt_s > 0.0 { path.srtt_s } else { f64::INFINITY },
            min_rtt_stamp: path.now_s,
            probe_rtt_min_delay: f64::INFINITY,
            probe_rtt_min_stamp: path.now_s,
            bw_shortterm: f64::INFINITY,
            inflight_shortterm: f64::INFINITY,
            inflight_longterm: f64::INFINITY,
            probe_up_acked_per_inc: f64::INFINITY,
            extra_acked_interval_start: path.now_s,
            ..Bbr3::default()
        };
        self.init_pacing_rate(path, window);
    }

    /// 5.2.3, UpdateOnACK, with 5.5.10.3, AdvanceLatestDeliverySignals and BoundBWForModel.
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        let rs = ack.rate.unwrap_or_default();
        self.update_latest_delivery_signals(&rs, path);
        self.update_congestion_signals(ack, &rs, path, window);
        self.update_ack_aggregation(ack, path, window);
        self.check_full_bw_reached(&rs);
        self.check_startup_done(&rs, path);
        self.check_drain_done(path, window);
        self.update_probe_bw_cycle_phase(ack, &rs, path, window);
        self.update_min_rtt(ack, path);
        self.check_probe_rtt(ack, path, window);
        if self.loss_round_start {
            self.bw_latest = rs.per_s.unwrap_or(0.0);
            self.inflight_latest = rs.delivered as f64;
        }
        self.bw = self.max_bw().min(self.bw_shortterm);
        if !self.has_seen_rtt && path.srtt_s > 0.0 {
            self.init_pacing_rate(path, window);
        }
        self.set_pacing_rate_with_gain(self.state.pacing_gain(), window);
        self.set_cwnd(ack, path, window);
    }

    /// 5.2.4; `sent` is the rate sample of the lost packet.
    fn on_loss(&mut self, sent: &Rate, path: &Path, window: &mut Window) {
        self.handle_lost_packet(sent, path, window);
    }

    /// 5.5.10.3: a loss that a probe repaired counts like any other in its round trip.
    fn on_probe_repaired_loss(&mut self, path: &Path, window: &mut Window) {
        self.note_loss(path, window);
    }

    /// 5.6.4.4, OnEnterFastRecovery and OnEnterRTO. The losses that start a recovery were noted before it.
    fn on_congestion_event(&mut self, sign: CongestionEvent, path: &Path, window: &mut Window) -> Response {
        match sign {
            CongestionEvent::Mark => return Response::Own,
            CongestionEvent::Loss => {
                self.begin_loss_episode(window.cwnd);
                (self.in_loss_recovery, self.in_fast_recovery) = (true, true);
            }
            CongestionEvent::Timeout => {
                self.begin_loss_episode(window.cwnd);
                self.enter_rto();
                window.cwnd = f64::from(path.in_flight) + 1.0;
            }
        }
        Response::Own
    }

    /// 5.6.4.4, OnEnterRTO, in a fast recovery: a loss recovery episode of its own. A repeated timeout continues one.
    fn on_timeout_in_recovery(&mut self, _path: &Path, window: &mut Window) {
        if self.in_fast_recovery || !self.in_loss_recovery {
            self.save_state_upon_loss(window.cwnd);
        }
        self.enter_rto();
    }

    /// 5.6.4.4, RestoreCwnd.
    fn on_recovery_exit(&mut self, _path: &Path, window: &mut Window) {
        (self.in_fast_recovery, self.has_saved_state) = (false, false);
        if std::mem::take(&mut self.in_loss_recovery) {
            window.cwnd = window.cwnd.max(self.prior_cwnd);
        }
    }

    /// 5.2.5.
    fn on_spurious_loss(&mut self, path: &Path, window: &mut Window) {
        (self.in_loss_recovery, self.in_fast_recovery, self.has_saved_state) = (false, false, false);
        self.handle_spurious_loss_detection(path, window);
    }

    /// 5.4.1, HandleRestartFromIdle.
    fn on_idle_restart(&mut self, _idle_s: f64, _timeouts: u32, _initial: f64, path: &Path, window: &mut Window) {
        self.idle_restart = true;
        self.extra_acked_interval_start = path.now_s;
        if self.state.is_in_a_probe_bw_state() {
            self.set_pacing_rate_with_gain(1.0, window);
        } else if self.state == State::ProbeRtt {
            self.check_probe_rtt_done(path, window);
        }
    }

    fn answers_marks(&self) -> bool {
        false
    }

    fn model(&self) -> Option<Model> {
        let state = match self.state {
            State::Startup => "startup",
            State::Drain => "drain",
            State::ProbeBwDown => "probe_bw_down",
            State::ProbeBwCruise => "probe_bw_cruise",
            State::ProbeBwRefill => "probe_bw_refill",
            State::ProbeBwUp => "probe_bw_up",
            State::ProbeRtt => "probe_rtt",
        };
        Some(Model {
            state,
            round_count: self.round_count,
            pacing_gain: self.state.pacing_gain(),
            cwnd_gain: self.state.cwnd_gain(),
            max_bw_per_s: self.max_bw(),
            bw_shortterm_per_s: self.bw_shortterm,
            min_rtt_s: self.min_rtt,
            extra_acked: self.extra_acked_filter.get(),
            inflight_longterm: self.inflight_longterm,
            inflight_shortterm: self.inflight_shortterm,
            inflight_with_headroom: self.inflight_with_headroom(),
            inflight_target: self.bdp_multiple(self.bw, 1.0),
            full_bw_count: self.full_bw_count,
            full_bw_now: self.full_bw_now,
            full_bw_reached: self.full_bw_reached,
            idle_restart: self.idle_restart,
            saves: self.saves,
            undos: self.undos,
        })
    }
}
