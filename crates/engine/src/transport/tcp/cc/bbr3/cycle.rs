//! The state machine: Drain, the cycle of ProbeBW, ProbeRTT (sections 5.3.2 to 5.3.4).

use super::model::is_inflight_too_high;
use super::{Ack, AckPhase, Bbr3, PROBE_RTT_DURATION, Path, Rate, State, Window};

impl Bbr3 {
    /// 5.3.2, CheckDrainDone.
    pub(super) fn check_drain_done(&mut self, path: &Path, window: &Window) {
        let is_drained = f64::from(path.in_flight) <= self.inflight(self.bw, 1.0, path, window);
        if self.state == State::Drain && (is_drained || self.round_count > self.drain_start_round + 3) {
            self.start_probe_bw_down(path);
        }
    }

    /// 5.3.3.9, StartProbeBW_DOWN, with 5.5.10.3, ResetCongestionSignals, and 5.3.3.8.3, PickProbeWait.
    pub(super) fn start_probe_bw_down(&mut self, path: &Path) {
        (self.is_loss_in_round, self.bw_latest, self.inflight_latest) = (false, 0.0, 0.0);
        self.probe_up_acked_per_inc = f64::INFINITY;
        if let Some(draws) = &mut self.draws {
            self.rounds_since_probe_up = draws.integer(2) as u64;
            self.bw_probe_wait = 2.0 + draws.unit();
        }
        self.cycle_stamp = path.now_s;
        self.ack_phase = AckPhase::ProbeStopping;
        self.start_round(path);
        self.state = State::ProbeBwDown;
    }

    /// 5.3.3.9, StartProbeBW_REFILL, with 5.5.10.3, ResetShortTermModel.
    pub(super) fn start_probe_bw_refill(&mut self, path: &Path) {
        (self.bw_shortterm, self.inflight_shortterm) = (f64::INFINITY, f64::INFINITY);
        (self.bw_probe_up_rounds, self.bw_probe_up_acked) = (0, 0.0);
        self.prev_probe_precautionary = false;
        self.ack_phase = AckPhase::Refilling;
        self.start_round(path);
        self.state = State::ProbeBwRefill;
    }

    /// 5.3.3.9, StartProbeBW_UP.
    fn start_probe_bw_up(&mut self, rs: &Rate, path: &Path, window: &Window) {
        self.ack_phase = AckPhase::ProbeStarting;
        self.start_round(path);
        self.reset_full_bw();
        self.full_bw = rs.per_s.unwrap_or(0.0);
        self.state = State::ProbeBwUp;
        self.raise_inflight_longterm_slope(window);
    }

    /// 5.3.3.9, RaiseInflightLongtermSlope: `inflight_longterm` grows by 1, 2, 4, ... packets per round trip.
    fn raise_inflight_longterm_slope(&mut self, window: &Window) {
        let growth_this_round = f64::from(1_u32 << self.bw_probe_up_rounds);
        self.bw_probe_up_rounds = (self.bw_probe_up_rounds + 1).min(30);
        self.probe_up_acked_per_inc = (window.cwnd / growth_this_round).max(1.0);
    }

    /// 5.3.3.9, UpdateProbeBWCyclePhase.
    pub(super) fn update_probe_bw_cycle_phase(&mut self, ack: &Ack, rs: &Rate, path: &Path, window: &Window) {
        if !self.full_bw_reached || self.adapt_long_term_model(ack, rs, path, window) {
            return;
        }
        match self.state {
            State::ProbeBwDown => {
                if !self.is_time_to_probe_bw(path, window) && self.is_time_to_cruise(path, window) {
                    self.state = State::ProbeBwCruise;
                }
            }
            State::ProbeBwCruise => {
                self.is_time_to_probe_bw(path, window);
            }
            State::ProbeBwRefill if self.round_start => {
                self.is_bw_probe_sample = true;
                self.start_probe_bw_up(rs, path, window);
            }
            State::ProbeBwUp => {
                if self.is_time_to_go_down(rs, path, window) {
                    self.prev_probe_too_high = false;
                    self.start_probe_bw_down(path);
                }
            }
            State::Startup | State::Drain | State::ProbeBwRefill | State::ProbeRtt => {}
        }
    }

    /// 5.3.3.9, IsTimeToCruise.
    fn is_time_to_cruise(&self, path: &Path, window: &Window) -> bool {
        let inflight = f64::from(path.in_flight);
        inflight <= self.inflight_with_headroom() && inflight <= self.inflight(self.max_bw(), 1.0, path, window)
    }

    /// 5.3.3.8.3, IsTimeToProbeBW, with HasElapsedInPhase and IsRenoCoexistenceProbeTime: starts a probe after two to
    /// three seconds, or after as many round trips as Reno would need.
    fn is_time_to_probe_bw(&mut self, path: &Path, window: &Window) -> bool {
        let rounds = self.target_inflight(window).min(63.0);
        let is_time = path.now_s > self.cycle_stamp + self.bw_probe_wait || self.rounds_since_probe_up as f64 >= rounds;
        if is_time {
            self.start_probe_bw_refill(path);
        }
        is_time
    }

    /// 5.3.3.9, IsTimeToGoDown.
    fn is_time_to_go_down(&mut self, rs: &Rate, path: &Path, window: &Window) -> bool {
        if self.prev_probe_too_high && f64::from(path.in_flight) >= self.inflight_longterm {
            self.prev_probe_precautionary = true;
            return true;
        }
        if path.is_cwnd_full && window.cwnd >= self.inflight_longterm {
            self.reset_full_bw();
            self.full_bw = rs.per_s.unwrap_or(0.0);
            return false;
        }
        self.full_bw_now
    }

    /// 5.3.3.9, AdaptLongTermModel, with 5.5.6, AdvanceMaxBwFilter. Returns whether the state has changed.
    fn adapt_long_term_model(&mut self, ack: &Ack, rs: &Rate, path: &Path, window: &Window) -> bool {
        if self.ack_phase == AckPhase::ProbeStarting && self.round_start {
            self.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.ack_phase == AckPhase::ProbeStopping && self.round_start {
            self.is_bw_probe_sample = false;
            self.ack_phase = AckPhase::Init;
            if self.state.is_in_a_probe_bw_state() {
                if !rs.is_app_limited {
                    self.max_bw_filter.advance();
                }
                if self.prev_probe_precautionary && !self.prev_probe_too_high {
                    self.start_probe_bw_refill(path);
                    return true;
                }
            }
        }
        if !is_inflight_too_high(rs, path) && self.inflight_longterm < f64::INFINITY {
            self.inflight_longterm = self.inflight_longterm.max(f64::from(rs.in_flight));
            if self.state == State::ProbeBwUp {
                self.probe_inflight_longterm_upward(ack, path, window);
            }
        }
        false
    }

    /// 5.3.3.9, ProbeInflightLongtermUpward.
    fn probe_inflight_longterm_upward(&mut self, ack: &Ack, path: &Path, window: &Window) {
        if !path.is_cwnd_full || window.cwnd < self.inflight_longterm {
            return;
        }
        self.bw_probe_up_acked += f64::from(ack.delivered);
        if self.bw_probe_up_acked >= self.probe_up_acked_per_inc {
            let delta = (self.bw_probe_up_acked / self.probe_up_acked_per_inc).floor();
            self.bw_probe_up_acked -= delta * self.probe_up_acked_per_inc;
            self.inflight_longterm += delta;
        }
        if self.round_start {
            self.raise_inflight_longterm_slope(window);
        }
    }

    /// 5.3.4.3, CheckProbeRTT, with EnterProbeRTT and HandleProbeRTT.
    pub(super) fn check_probe_rtt(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if self.state != State::ProbeRtt && self.probe_rtt_expired && !self.idle_restart {
            self.state = State::ProbeRtt;
            self.save_cwnd(window.cwnd);
            self.probe_rtt_done_stamp = None;
            self.ack_phase = AckPhase::ProbeStopping;
            self.start_round(path);
        }
        if self.state == State::ProbeRtt {
            window.holds_back = true;
            if self.probe_rtt_done_stamp.is_none() {
                if f64::from(path.in_flight) <= self.probe_rtt_cwnd() {
                    self.probe_rtt_done_stamp = Some(path.now_s + PROBE_RTT_DURATION);
                    self.probe_rtt_round_done = false;
                    self.start_round(path);
                }
            } else {
                self.probe_rtt_round_done |= self.round_start;
                if self.probe_rtt_round_done {
                    self.check_probe_rtt_done(path, window);
                }
            }
        }
        self.idle_restart &= ack.delivered == 0;
    }

    /// 5.3.4.3, CheckProbeRTTDone, with 5.6.4.4, RestoreCwnd, and 5.3.4.4, ExitProbeRTT.
    pub(super) fn check_probe_rtt_done(&mut self, path: &Path, window: &mut Window) {
        if self.probe_rtt_done_stamp.is_none_or(|done_stamp| path.now_s <= done_stamp) {
            return;
        }
        self.probe_rtt_min_stamp = path.now_s;
        window.holds_back = false;
        window.cwnd = window.cwnd.max(self.prior_cwnd);
        (self.bw_shortterm, self.inflight_shortterm) = (f64::INFINITY, f64::INFINITY);
        if self.full_bw_reached {
            self.start_probe_bw_down(path);
            self.state = State::ProbeBwCruise;
        } else {
            self.state = State::Startup;
        }
    }
}
