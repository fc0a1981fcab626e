//! The state machine: full pipe, Drain, the cycle of ProbeBW, ProbeRTT.

use super::super::kernel::{UNIT, UNSET, us};
use super::{
    Ack, AckPhase, CaState, ECN_REPROBE_GAIN, FULL_BW_CNT, FULL_BW_THRESH, LinuxBbr3, Mode, Path, Phase, Rate, Window,
};

/// Length of the min-RTT filter, us.
const MIN_RTT_WIN_US: u64 = 10_000_000;
/// The usual time between two ProbeRTT, us.
const PROBE_RTT_WIN_US: u64 = 5_000_000;
/// Duration of ProbeRTT, us.
const PROBE_RTT_MODE_US: u64 = 200_000;
/// Max round trips between probes.
const BW_PROBE_MAX_ROUNDS: u64 = 63;
/// Random part of the round trips between probes.
const BW_PROBE_RAND_ROUNDS: i64 = 2;
/// Time between probes, us, and its random part.
const BW_PROBE_BASE_US: u64 = 2_000_000;
const BW_PROBE_RAND_US: i64 = 1_000_000;

impl LinuxBbr3 {
    pub(super) fn reset_full_bw(&mut self) {
        (self.full_bw, self.full_bw_cnt, self.full_bw_now) = (0, 0, false);
    }

    /// Three round trips without a sample that is 25 % higher mean a full pipe.
    pub(super) fn check_full_bw_reached(&mut self, rs: &Rate) {
        if self.full_bw_now || rs.is_app_limited {
            return;
        }
        if self.sample_bw >= self.full_bw * FULL_BW_THRESH / UNIT {
            self.reset_full_bw();
            self.full_bw = self.sample_bw;
        } else if self.round_start {
            self.full_bw_cnt += 1;
            self.full_bw_now = self.full_bw_cnt >= FULL_BW_CNT;
            self.full_bw_reached |= self.full_bw_now;
        }
    }

    pub(super) fn check_drain(&mut self, path: &Path, window: &Window) {
        if self.mode == Mode::Startup && self.full_bw_reached {
            self.mode = Mode::Drain;
            self.reset_congestion_signals();
        }
        if self.mode == Mode::Drain
            && self.packets_in_net_at_edt(path.in_flight, path, window)
                <= self.inflight(self.max_bw(), UNIT, path, window)
        {
            self.start_bw_probe_down(path);
        }
    }

    fn start_phase(&mut self, phase: Phase) {
        self.mode = Mode::ProbeBw(phase);
        self.try_fast_path = false;
    }

    /// Begins a cycle, and decides when to probe at the latest (`pick_probe_wait`).
    pub(super) fn start_bw_probe_down(&mut self, path: &Path) {
        self.reset_congestion_signals();
        self.bw_probe_up_cnt = UNSET;
        if let Some(draws) = &mut self.draws {
            self.rounds_since_probe = draws.integer(BW_PROBE_RAND_ROUNDS) as u64;
            self.probe_wait_us = BW_PROBE_BASE_US + draws.integer(BW_PROBE_RAND_US) as u64;
        }
        self.cycle_stamp_us = us(path.now_s);
        self.ack_phase = AckPhase::ProbeStopping;
        self.next_rtt_delivered = path.delivered;
        self.start_phase(Phase::Down);
    }

    fn start_bw_probe_cruise(&mut self) {
        if self.inflight_lo != UNSET {
            self.inflight_lo = self.inflight_lo.min(self.inflight_hi);
        }
        self.start_phase(Phase::Cruise);
    }

    fn start_bw_probe_refill(&mut self, bw_probe_up_rounds: u32, path: &Path) {
        self.reset_lower_bounds();
        (self.bw_probe_up_rounds, self.bw_probe_up_acks) = (bw_probe_up_rounds, 0);
        self.stopped_risky_probe = false;
        self.ack_phase = AckPhase::Refilling;
        self.next_rtt_delivered = path.delivered;
        self.start_phase(Phase::Refill);
    }

    fn start_bw_probe_up(&mut self, path: &Path, window: &Window) {
        self.ack_phase = AckPhase::ProbeStarting;
        self.next_rtt_delivered = path.delivered;
        self.cycle_stamp_us = us(path.now_s);
        self.reset_full_bw();
        self.full_bw = self.sample_bw;
        self.start_phase(Phase::Up);
        self.raise_inflight_hi_slope(window);
    }

    /// `inflight_hi` grows by 1, 2, 4, ... packets per round trip of UP.
    fn raise_inflight_hi_slope(&mut self, window: &Window) {
        let growth_this_round = 1_u64 << self.bw_probe_up_rounds;
        self.bw_probe_up_rounds = (self.bw_probe_up_rounds + 1).min(30);
        self.bw_probe_up_cnt = (window.cwnd as u64 / growth_this_round).max(1);
    }

    fn probe_inflight_hi_upward(&mut self, ack: &Ack, path: &Path, window: &Window) {
        if !path.is_cwnd_full || (window.cwnd as u64) < self.inflight_hi {
            return;
        }
        self.bw_probe_up_acks += u64::from(ack.delivered);
        if self.bw_probe_up_acks >= self.bw_probe_up_cnt {
            let delta = self.bw_probe_up_acks / self.bw_probe_up_cnt;
            self.bw_probe_up_acks -= delta * self.bw_probe_up_cnt;
            self.inflight_hi += delta;
            self.try_fast_path = false;
        }
        if self.round_start {
            self.raise_inflight_hi_slope(window);
        }
    }

    /// Long-term bounds: follows the ACKs of a probe, lowers `inflight_hi` if it went too high, and raises it otherwise. Returns
    /// whether the state has changed.
    fn adapt_upper_bounds(&mut self, ack: &Ack, rs: &Rate, path: &Path, window: &Window) -> bool {
        if self.ack_phase == AckPhase::ProbeStarting && self.round_start {
            self.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.ack_phase == AckPhase::ProbeStopping && self.round_start {
            self.bw_probe_samples = false;
            self.ack_phase = AckPhase::Init;
            if let Mode::ProbeBw(_) = self.mode {
                // Without samples in this cycle, those of the last one are kept.
                if !rs.is_app_limited && self.bw_hi[1] > 0 {
                    self.bw_hi = [self.bw_hi[1], 0];
                }
                if self.stopped_risky_probe && !self.prev_probe_too_high {
                    self.start_bw_probe_refill(0, path);
                    return true;
                }
            }
        }
        if self.is_inflight_too_high(rs) {
            if self.bw_probe_samples {
                self.handle_inflight_too_high(u64::from(rs.in_flight), rs.is_app_limited, path, window);
            }
        } else if self.inflight_hi != UNSET {
            self.inflight_hi = self.inflight_hi.max(u64::from(rs.in_flight));
            if self.mode == Mode::ProbeBw(Phase::Up) {
                self.probe_inflight_hi_upward(ack, path, window);
            }
        }
        false
    }

    /// Starts a probe if it is time: marks have ceased, or two to three seconds have passed, or as many round trips as Reno would
    /// need.
    fn check_time_to_probe_bw(&mut self, path: &Path, window: &Window) -> bool {
        let has_only_marks = self.ecn_in_cycle && !self.loss_in_cycle;
        if self.ecn_eligible && has_only_marks && self.ca_state == CaState::Open {
            let volume = self.inflight_hi.min(u64::from(u32::MAX)) * ECN_REPROBE_GAIN / UNIT;
            self.start_bw_probe_refill(volume.max(1).ilog2(), path);
            return true;
        }
        let rounds = self.target_inflight(path, window).min(BW_PROBE_MAX_ROUNDS);
        let is_time = us(path.now_s) > self.cycle_stamp_us + self.probe_wait_us || self.rounds_since_probe >= rounds;
        if is_time {
            self.start_bw_probe_refill(0, path);
        }
        is_time
    }

    /// Whether UP has gone high enough.
    fn is_probe_done(&mut self, inflight: u64, path: &Path, window: &Window) -> bool {
        if self.prev_probe_too_high && inflight >= self.inflight_hi {
            self.stopped_risky_probe = true;
            return true;
        }
        if path.is_cwnd_full && window.cwnd as u64 >= self.inflight_hi {
            self.reset_full_bw();
            self.full_bw = self.sample_bw;
            return false;
        }
        self.full_bw_now
    }

    pub(super) fn update_cycle_phase(&mut self, ack: &Ack, rs: &Rate, path: &Path, window: &Window) {
        if !self.full_bw_reached || self.adapt_upper_bounds(ack, rs, path, window) {
            return;
        }
        let Mode::ProbeBw(phase) = self.mode else { return };
        let inflight = self.packets_in_net_at_edt(ack.prior_in_flight, path, window);
        match phase {
            Phase::Cruise => {
                self.check_time_to_probe_bw(path, window);
            }
            Phase::Refill if self.round_start => {
                self.bw_probe_samples = true;
                self.start_bw_probe_up(path, window);
            }
            Phase::Refill => {}
            Phase::Up => {
                if self.is_probe_done(inflight, path, window) {
                    self.prev_probe_too_high = false;
                    self.start_bw_probe_down(path);
                }
            }
            Phase::Down => {
                if !self.check_time_to_probe_bw(path, window)
                    && inflight <= self.inflight_with_headroom()
                    && inflight <= self.inflight(self.max_bw(), UNIT, path, window)
                {
                    self.start_bw_probe_cruise();
                }
            }
        }
    }

    pub(super) fn update_min_rtt(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        let now_us = us(path.now_s);
        let probe_rtt_expired = now_us > self.probe_rtt_min_stamp_us + PROBE_RTT_WIN_US;
        if let Some(rtt_us) = ack.rtt_s.map(us)
            && (rtt_us < self.probe_rtt_min_us || (probe_rtt_expired && !ack.may_be_delayed))
        {
            (self.probe_rtt_min_us, self.probe_rtt_min_stamp_us) = (rtt_us, now_us);
        }
        let min_rtt_expired = now_us > self.min_rtt_stamp_us + MIN_RTT_WIN_US;
        if self.probe_rtt_min_us <= self.min_rtt_us || min_rtt_expired {
            (self.min_rtt_us, self.min_rtt_stamp_us) = (self.probe_rtt_min_us, self.probe_rtt_min_stamp_us);
        }
        if probe_rtt_expired && !self.idle_restart && self.mode != Mode::ProbeRtt {
            self.mode = Mode::ProbeRtt;
            self.save_cwnd(window.cwnd as u64);
            self.probe_rtt_done_us = None;
            self.ack_phase = AckPhase::ProbeStopping;
            self.next_rtt_delivered = path.delivered;
        }
        if self.mode == Mode::ProbeRtt {
            window.holds_back = true;
            if self.probe_rtt_done_us.is_some() {
                self.probe_rtt_round_done |= self.round_start;
                if self.probe_rtt_round_done {
                    self.check_probe_rtt_done(now_us, path, window);
                }
            } else if u64::from(path.in_flight) <= self.probe_rtt_cwnd() {
                self.probe_rtt_done_us = Some(now_us + PROBE_RTT_MODE_US);
                self.probe_rtt_round_done = false;
                self.next_rtt_delivered = path.delivered;
            }
        }
        self.idle_restart &= ack.rate.is_none_or(|rs| rs.delivered == 0);
    }

    /// Ends ProbeRTT after its time: to CRUISE, or to Startup if the pipe was never full (`exit_probe_rtt`).
    pub(super) fn check_probe_rtt_done(&mut self, now_us: u64, path: &Path, window: &mut Window) {
        if self.probe_rtt_done_us.is_none_or(|done_us| now_us <= done_us) {
            return;
        }
        self.probe_rtt_min_stamp_us = now_us;
        window.holds_back = false;
        window.cwnd = window.cwnd.max(self.prior_cwnd as f64);
        self.reset_lower_bounds();
        if self.full_bw_reached {
            self.start_bw_probe_down(path);
            self.start_bw_probe_cruise();
        } else {
            self.mode = Mode::Startup;
        }
    }
}
