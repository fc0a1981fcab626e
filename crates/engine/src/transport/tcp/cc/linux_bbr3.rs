//! BBR, version 3, as in the kernel of its authors, with its answer to low-latency ECN.
//!
//! Source: github.com/google/bbr, branch v3, commit 001a430b3ddb, net/ipv4/tcp_bbr.c, by V. Jacobson, N. Cardwell, Y. Cheng, S.
//! Hassas Yeganeh, P. Jha, Y. Seung, K. Yang, A. Roy, D. Morley. Names: the kernel's, without the prefix `bbr_`.
//! What it decides: pacing rate and window, by the same design as draft-ietf-ccwg-bbr ([`super::bbr3`]). What is not the
//! draft's: Drain at a gain of 0.35, DOWN at 0.91; a plateau is reset by any sample that is 25 % higher; the window after a
//! loss event in UP is that of the lost packet; the allowance for aggregation has two windows of five round trips; and ECN:
//! with `ecn_low` and a min RTT of at most 5 ms, more than half of the packets marked ends a probe, and other marks
//! lower `inflight_lo` by up to a third, in proportion to their average fraction.
//! Departures: clocks count microseconds where Linux's jiffies are coarser. `ecn_low` stands for the ECN feature of the route.
//! Not implemented: Protective Load Balancing, since there are no alternative paths; the exception for an ACK of a tail
//! loss probe in `advance_latest_delivery_signals`; the cap by the socket's max pacing rate.
//! Checked against: the kernel's constants and roundings by hand (linux_bbr3/tests.rs).

mod bounds;
mod cycle;
#[cfg(test)]
mod tests;

use super::kernel::{self, AckAggregation, BW_UNIT, UNIT, UNSET, us};
use super::{Ack, CongestionEvent, Control, Entry, Feedback, Model, Path, Rate, Response, Window};
use crate::params::{Params, own_params};
use crate::random::rng::Stream;

/// The entry of the registry.
pub const ENTRY: Entry = Entry {
    id: "linux_bbr3",
    about: "BBR version 3 as in the kernel of google/bbr, branch v3: deeper drains, low-latency ECN",
    make: || Box::new(LinuxBbr3::default()),
};

const STARTUP_PACING_GAIN: u64 = UNIT * 277 / 100 + 1;
const STARTUP_CWND_GAIN: u64 = UNIT * 2;
const DRAIN_GAIN: u64 = UNIT * 1000 / 2885;
const CWND_GAIN: u64 = UNIT * 2;
/// Added to the window gain in UP: a quarter (`bw_probe_cwnd_gain`).
const BW_PROBE_CWND_GAIN: u64 = UNIT / 4;
/// Min window, packets.
const CWND_MIN_TARGET: u64 = 4;
const FULL_BW_THRESH: u64 = UNIT * 5 / 4;
const FULL_BW_CNT: u32 = 3;
/// Halves the burst for every 2^9 us of RTT (`tso_rtt_shift`).
const TSO_RTT_SHIFT: u64 = 9;
const MIN_TSO_SEGS: u64 = 2;
/// The reduction after a loss.
const BETA: u64 = UNIT * 30 / 100;
/// Max loss ratio of a probe.
const LOSS_THRESH: u64 = UNIT * 2 / 100;
/// ACKs with losses in a round trip that end Startup.
const FULL_LOSS_CNT: u32 = 6;
/// Part of `inflight_hi` left free for other flows.
const INFLIGHT_HEADROOM: u64 = UNIT * 15 / 100;
/// Max min RTT at which marks count, us.
const ECN_MAX_RTT_US: u64 = 5000;
const ECN_ALPHA_GAIN: u64 = UNIT / 16;
const ECN_FACTOR: u64 = UNIT / 3;
/// Max fraction of marks of a probe.
const ECN_THRESH: u64 = UNIT / 2;
/// Growth of `inflight_hi` in the first round trip of a probe that follows when marks have ceased.
const ECN_REPROBE_GAIN: u64 = UNIT / 2;
/// Round trips with more marks that end Startup.
const FULL_ECN_CNT: u32 = 2;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Startup,
    Drain,
    ProbeBw(Phase),
    ProbeRtt,
}

/// The phases of ProbeBW (`bbr_pacing_gain_phase`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Up,
    Down,
    Cruise,
    Refill,
}

/// How ACKs relate to a bandwidth probe; the kernel's names begin with `BBR_ACKS`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum AckPhase {
    #[default]
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

/// The states of the sender that matter (Linux's `icsk_ca_state`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum CaState {
    #[default]
    Open,
    Cwr,
    Recovery,
    Loss,
}

/// The kernel's struct bbr. Timestamps are in us, bandwidths in packets/us times 2^24.
#[derive(Default, Params)]
struct LinuxBbr3 {
    /// ECN with shallow marking thresholds: the control responds to marks at min RTTs of 5 ms or less.
    // The route's feature `ecn_low`.
    #[param("flag")]
    ecn_low: bool,
    draws: Option<Stream>,
    mode: Mode,
    ca_state: CaState,
    prev_ca_state: CaState,
    init_cwnd: u64,
    prior_cwnd: u64,
    has_seen_rtt: bool,
    idle_restart: bool,
    try_fast_path: bool,
    /// Gain of the last ACK.
    pacing_gain: u64,
    /// `tp->delivered_mstamp`: when the last packet was delivered.
    delivered_us: u64,

    round_count: u64,
    round_start: bool,
    next_rtt_delivered: u64,
    loss_round_start: bool,
    loss_round_delivered: u64,

    min_rtt_us: u64,
    min_rtt_stamp_us: u64,
    probe_rtt_min_us: u64,
    probe_rtt_min_stamp_us: u64,
    probe_rtt_done_us: Option<u64>,
    probe_rtt_round_done: bool,

    /// The bandwidth sample of the present ACK.
    sample_bw: u64,
    bw_hi: [u64; 2],
    bw_lo: u64,
    bw_latest: u64,
    inflight_hi: u64,
    inflight_lo: u64,
    inflight_latest: u64,
    undo_bw_lo: u64,
    undo_inflight_lo: u64,
    undo_inflight_hi: u64,
    aggregation: AckAggregation,

    full_bw: u64,
    full_bw_cnt: u32,
    full_bw_now: bool,
    full_bw_reached: bool,

    loss_in_round: bool,
    loss_in_cycle: bool,
    loss_events_in_round: u32,
    ecn_eligible: bool,
    ecn_in_round: bool,
    ecn_in_cycle: bool,
    ecn_alpha: u64,
    startup_ecn_rounds: u32,
    /// `tp->delivered_ce`, and both counters at the last update of `ecn_alpha`.
    delivered_ce: u64,
    alpha_last_delivered: u64,
    alpha_last_delivered_ce: u64,

    ack_phase: AckPhase,
    cycle_stamp_us: u64,
    probe_wait_us: u64,
    rounds_since_probe: u64,
    bw_probe_samples: bool,
    prev_probe_too_high: bool,
    stopped_risky_probe: bool,
    bw_probe_up_rounds: u32,
    bw_probe_up_cnt: u64,
    bw_probe_up_acks: u64,
    saves: u32,
    undos: u32,
}

impl LinuxBbr3 {
    fn max_bw(&self) -> u64 {
        self.bw_hi[0].max(self.bw_hi[1])
    }

    fn bw(&self) -> u64 {
        self.max_bw().min(self.bw_lo)
    }

    /// `update_gains`: pacing gain and window gain.
    fn gains(&self) -> (u64, u64) {
        match self.mode {
            Mode::Startup => (STARTUP_PACING_GAIN, STARTUP_CWND_GAIN),
            Mode::Drain => (DRAIN_GAIN, STARTUP_CWND_GAIN),
            Mode::ProbeBw(Phase::Up) => (UNIT * 5 / 4, CWND_GAIN + BW_PROBE_CWND_GAIN),
            Mode::ProbeBw(Phase::Down) => (UNIT * 91 / 100, CWND_GAIN),
            Mode::ProbeBw(Phase::Cruise | Phase::Refill) => (UNIT, CWND_GAIN),
            Mode::ProbeRtt => (UNIT, UNIT),
        }
    }

    fn is_probing_bandwidth(&self) -> bool {
        matches!(self.mode, Mode::Startup | Mode::ProbeBw(Phase::Refill | Phase::Up))
    }

    fn tso_segs_goal(&self, path: &Path, window: &Window) -> u64 {
        let halvings = self.min_rtt_us >> TSO_RTT_SHIFT;
        let more_bytes = if halvings < 32 { 65_536 >> halvings } else { 0 };
        kernel::tso_segs(window.pacing_per_s.unwrap_or(0.0), more_bytes, MIN_TSO_SEGS, path)
    }

    fn bdp(&self, bw: u64, gain: u64) -> u64 {
        if self.min_rtt_us == UNSET { self.init_cwnd } else { kernel::bdp(bw, self.min_rtt_us, gain) }
    }

    fn quantization_budget(&self, cwnd: u64, path: &Path, window: &Window) -> u64 {
        let cwnd = cwnd.max(3 * self.tso_segs_goal(path, window)).max(CWND_MIN_TARGET);
        cwnd + if self.mode == Mode::ProbeBw(Phase::Up) { 2 } else { 0 }
    }

    fn inflight(&self, bw: u64, gain: u64, path: &Path, window: &Window) -> u64 {
        self.quantization_budget(self.bdp(bw, gain), path, window)
    }

    /// What is to be in flight: the BDP, unless congestion has cut the window.
    fn target_inflight(&self, path: &Path, window: &Window) -> u64 {
        self.inflight(self.bw(), UNIT, path, window).min(window.cwnd as u64)
    }

    fn packets_in_net_at_edt(&self, in_flight: u32, path: &Path, window: &Window) -> u64 {
        let more = if self.pacing_gain > UNIT { self.tso_segs_goal(path, window) } else { 0 };
        kernel::packets_in_net_at_edt(in_flight, more, self.bw(), path)
    }

    fn probe_rtt_cwnd(&self) -> u64 {
        self.bdp(self.bw(), UNIT / 2).max(CWND_MIN_TARGET)
    }

    fn save_cwnd(&mut self, cwnd: u64) {
        let is_usual = matches!(self.prev_ca_state, CaState::Open | CaState::Cwr) && self.mode != Mode::ProbeRtt;
        self.prior_cwnd = if is_usual { cwnd } else { self.prior_cwnd.max(cwnd) };
    }

    fn init_pacing_rate_from_rtt(&mut self, path: &Path, window: &mut Window) {
        self.has_seen_rtt = path.srtt_s > 0.0;
        let bw = kernel::nominal_bw(window.cwnd, path);
        window.pacing_per_s = Some(kernel::pacing_per_s(bw, path, STARTUP_PACING_GAIN));
    }

    fn set_pacing_rate(&mut self, bw: u64, gain: u64, path: &Path, window: &mut Window) {
        if !self.has_seen_rtt && path.srtt_s > 0.0 {
            self.init_pacing_rate_from_rtt(path, window);
        }
        let rate = kernel::pacing_per_s(bw, path, gain);
        if rate > 0.0 && (self.full_bw_reached || window.pacing_per_s.is_none_or(|now| rate > now)) {
            window.pacing_per_s = Some(rate);
        }
    }

    /// `update_round_start` and `calculate_bw_sample`. Returns whether the ACK has a valid sample.
    fn take_sample(&mut self, ack: &Ack, path: &Path) -> bool {
        (self.round_start, self.sample_bw) = (false, 0);
        let Some((delivered, interval_us)) = kernel::delivered_over(ack.rate.as_ref()) else { return false };
        if ack.rate.is_some_and(|rs| rs.prior_delivered >= self.next_rtt_delivered) {
            self.next_rtt_delivered = path.delivered;
            self.round_start = true;
            self.round_count += 1;
            self.rounds_since_probe = (self.rounds_since_probe + 1).min(0xFF);
        }
        self.sample_bw = (delivered * BW_UNIT).div_ceil(interval_us);
        true
    }

    fn update_model(&mut self, ack: &Ack, rs: &Rate, is_valid: bool, path: &Path, window: &mut Window) {
        if is_valid && ack.delivered > 0 {
            self.update_congestion_signals(ack, rs, window);
            let (acked, cwnd) = (u64::from(ack.delivered), window.cwnd as u64);
            let win_rtts = if self.full_bw_reached { AckAggregation::WIN_RTTS } else { 1 };
            let bw = self.bw();
            self.aggregation.update(acked, self.delivered_us, bw, cwnd, self.round_start, win_rtts);
        }
        self.check_loss_too_high_in_startup(ack, rs, path, window);
        self.check_full_bw_reached(rs);
        self.check_drain(path, window);
        self.update_cycle_phase(ack, rs, path, window);
        self.update_min_rtt(ack, path, window);
    }

    /// `run_fast_path`: an application-limited ACK without news changes nothing; one with a new state does not change the
    /// rest of the model. Returns whether the control parameters stay as they are.
    fn run_fast_path(&mut self, ack: &Ack, rs: &Rate, path: &Path, window: &mut Window) -> bool {
        let before = (self.mode, self.min_rtt_us);
        self.check_drain(path, window);
        self.update_cycle_phase(ack, rs, path, window);
        self.update_min_rtt(ack, path, window);
        (self.mode, self.min_rtt_us) == before && self.try_fast_path
    }

    /// `set_cwnd`: grows to the target, and is cut to it when the pipe was full.
    fn set_cwnd(&mut self, ack: &Ack, bw: u64, gain: u64, path: &Path, window: &mut Window) {
        let mut cwnd = window.cwnd as u64;
        let acked = u64::from(ack.delivered);
        if acked > 0 {
            let target = self.bdp(bw, gain) + self.aggregation.allowance(bw);
            let target = self.quantization_budget(target, path, window);
            self.try_fast_path = false;
            if self.full_bw_reached {
                cwnd += acked;
                if cwnd >= target {
                    (cwnd, self.try_fast_path) = (target, true);
                }
            } else if cwnd < target || cwnd < 2 * self.init_cwnd {
                cwnd += acked;
            } else {
                self.try_fast_path = true;
            }
            cwnd = cwnd.max(CWND_MIN_TARGET);
        }
        if self.mode == Mode::ProbeRtt {
            cwnd = cwnd.min(self.probe_rtt_cwnd());
        }
        window.cwnd = cwnd.min(self.model_cap()) as f64;
    }

    /// `set_state` with `TCP_CA_Loss`.
    fn enter_loss(&mut self, window: &Window) {
        (self.ca_state, self.prev_ca_state) = (CaState::Loss, CaState::Loss);
        self.reset_full_bw();
        if !self.is_probing_bandwidth() && self.inflight_lo == UNSET {
            self.inflight_lo = (window.cwnd as u64).max(self.prior_cwnd);
        }
    }
}

impl Control for LinuxBbr3 {
    /// `bbr_min_tso_segs`: below `bbr_min_tso_rate`, 1.2 Mb/s, single packets.
    fn min_tso_segs(&self, pacing_rate: u64) -> Option<u32> {
        Some(if pacing_rate < 1_200_000 / 8 { 1 } else { 2 })
    }

    fn has_cong_control(&self) -> bool {
        true
    }

    fn start(&mut self, path: &Path, window: &mut Window) {
        let now_us = us(path.now_s);
        let min_rtt_us = us(path.min_rtt_s);
        *self = LinuxBbr3 {
            ecn_low: self.ecn_low,
            draws: Some(path.seed.stream()),
            init_cwnd: (window.cwnd as u64).min(0x7F),
            pacing_gain: STARTUP_PACING_GAIN,
            delivered_us: now_us,
            next_rtt_delivered: path.delivered,
            loss_round_delivered: path.delivered + 1,
            min_rtt_us,
            min_rtt_stamp_us: now_us,
            probe_rtt_min_us: min_rtt_us,
            probe_rtt_min_stamp_us: now_us,
            bw_lo: UNSET,
            inflight_hi: UNSET,
            inflight_lo: UNSET,
            ecn_alpha: UNIT,
            bw_probe_up_cnt: UNSET,
            ..LinuxBbr3::default()
        };
        self.aggregation.restart(now_us);
        self.init_pacing_rate_from_rtt(path, window);
    }

    /// `main`.
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.delivered_ce += u64::from(ack.marked);
        if ack.delivered > 0 {
            self.delivered_us = us(path.now_s);
        }
        let rs = ack.rate.unwrap_or_default();
        let is_valid = self.take_sample(ack, path);
        if self.round_start {
            self.update_ecn_alpha(path, window);
        }
        self.ecn_in_round |= self.ecn_eligible && ack.echoes_mark;
        self.update_latest_delivery_signals(ack, &rs, is_valid, path);
        let is_news = self.loss_in_round || self.ecn_in_round || self.sample_bw >= self.max_bw();
        let is_fast = self.try_fast_path && rs.is_app_limited && !is_news;
        let is_done = is_fast && self.run_fast_path(ack, &rs, path, window);
        if !is_fast {
            self.update_model(ack, &rs, is_valid, path, window);
        }
        if !is_done {
            let (pacing_gain, cwnd_gain) = self.gains();
            self.pacing_gain = pacing_gain;
            let bw = self.bw();
            self.set_pacing_rate(bw, pacing_gain, path, window);
            self.set_cwnd(ack, bw, cwnd_gain, path, window);
        }
        if self.loss_round_start {
            (self.bw_latest, self.inflight_latest) = (self.sample_bw, rs.delivered);
        }
        self.prev_ca_state = self.ca_state;
        self.loss_in_cycle |= rs.lost > 0;
        self.ecn_in_cycle |= rs.marked > 0;
    }

    /// `skb_marked_lost`.
    fn on_loss(&mut self, sent: &Rate, path: &Path, window: &mut Window) {
        self.note_loss(path);
        if self.bw_probe_samples && self.is_inflight_too_high(sent) {
            let tx_in_flight = bounds::inflight_hi_from_lost_skb(sent);
            self.handle_inflight_too_high(tx_in_flight, sent.is_app_limited, path, window);
        }
    }

    /// `run_loss_probe_recovery`: one packet was lost, of what was delivered in the last round trip.
    fn on_probe_repaired_loss(&mut self, path: &Path, window: &mut Window) {
        self.note_loss(path);
        let in_flight = (self.inflight_latest + 1) as u32;
        let sent = Rate { lost: 1, in_flight, ..Rate::default() };
        if self.bw_probe_samples && self.is_inflight_too_high(&sent) {
            self.handle_inflight_too_high(u64::from(in_flight), false, path, window);
        }
    }

    /// `ssthresh` saves the state for an undo.
    fn on_congestion_event(&mut self, sign: CongestionEvent, path: &Path, window: &mut Window) -> Response {
        self.save_cwnd(window.cwnd as u64);
        (self.undo_bw_lo, self.undo_inflight_lo, self.undo_inflight_hi) =
            (self.bw_lo, self.inflight_lo, self.inflight_hi);
        self.saves += 1;
        match sign {
            CongestionEvent::Mark => self.ca_state = CaState::Cwr,
            CongestionEvent::Loss => self.ca_state = CaState::Recovery,
            CongestionEvent::Timeout => {
                window.cwnd = f64::from(path.in_flight) + 1.0;
                self.enter_loss(window);
            }
        }
        Response::Own
    }

    fn on_timeout_in_recovery(&mut self, _path: &Path, window: &mut Window) {
        self.enter_loss(window);
    }

    /// `set_state`: the window comes back after a timeout; a fast recovery has not cut it.
    fn on_recovery_exit(&mut self, _path: &Path, window: &mut Window) {
        if self.prev_ca_state == CaState::Loss {
            window.cwnd = window.cwnd.max(self.prior_cwnd as f64);
            self.try_fast_path = false;
        }
        self.ca_state = CaState::Open;
    }

    /// `undo_cwnd`.
    fn on_spurious_loss(&mut self, _path: &Path, window: &mut Window) {
        self.reset_full_bw();
        self.undos += 1;
        self.loss_in_round = false;
        self.bw_lo = self.bw_lo.max(self.undo_bw_lo);
        self.inflight_lo = self.inflight_lo.max(self.undo_inflight_lo);
        self.inflight_hi = self.inflight_hi.max(self.undo_inflight_hi);
        self.try_fast_path = false;
        self.ca_state = CaState::Open;
        window.cwnd = (self.prior_cwnd as f64).max(1.0);
    }

    /// `cwnd_event` with `CA_EVENT_TX_START`.
    fn on_idle_restart(&mut self, _idle_s: f64, _timeouts: u32, _initial: f64, path: &Path, window: &mut Window) {
        self.idle_restart = true;
        self.aggregation.restart(us(path.now_s));
        match self.mode {
            Mode::ProbeBw(_) => self.set_pacing_rate(self.bw(), UNIT, path, window),
            Mode::ProbeRtt => self.check_probe_rtt_done(us(path.now_s), path, window),
            Mode::Startup | Mode::Drain => {}
        }
    }

    /// With `ecn_low` the receiver acknowledges packets with and without CE apart (`precise_ece_ack`).
    fn feedback(&self) -> Feedback {
        if self.ecn_low { Feedback::Exact } else { Feedback::Classic }
    }

    fn answers_marks(&self) -> bool {
        self.ecn_low
    }

    fn model(&self) -> Option<Model> {
        Some(self.to_model())
    }

    own_params!();
}
