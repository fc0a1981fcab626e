//! The state machine: drain, the cycle of ProbeBW, ProbeRTT (sections 5.3.2 to 5.3.4).

use super::model::is_too_high;
use super::{Ack, AckPhase, Bbr3, PROBE_RTT_DURATION_S, Path, Rate, State, Window};

impl Bbr3 {
    pub(super) fn check_drain(&mut self, path: &Path, window: &Window) {
        let is_drained = f64::from(path.in_flight) <= self.inflight(1.0, path, window);
        if self.state == State::Drain && (is_drained || self.rounds > self.drain_round + 3) {
            self.start_down(path);
        }
    }

    pub(super) fn start_down(&mut self, path: &Path) {
        (self.loss_in_round, self.bw_latest, self.inflight_latest) = (false, 0.0, 0.0);
        self.acked_per_packet = f64::INFINITY;
        if let Some(draws) = &mut self.draws {
            self.rounds_since_up = draws.integer(2) as u64;
            self.wait_s = 2.0 + draws.unit();
        }
        self.cycle_since_s = path.now_s;
        self.phase = AckPhase::Stopping;
        self.start_round(path);
        self.state = State::Down;
    }

    pub(super) fn start_refill(&mut self, path: &Path) {
        (self.bw_short, self.inflight_short) = (f64::INFINITY, f64::INFINITY);
        (self.probe_rounds, self.probe_acked) = (0, 0.0);
        self.was_precautionary = false;
        self.phase = AckPhase::Refilling;
        self.start_round(path);
        self.state = State::Refill;
    }

    fn start_up(&mut self, rate: &Rate, path: &Path, window: &Window) {
        self.phase = AckPhase::Starting;
        self.start_round(path);
        self.reset_full();
        self.full_bw = rate.per_s.unwrap_or(0.0);
        self.state = State::Up;
        self.raise_slope(window);
    }

    /// The long-term bound grows by 1, 2, 4, ... packets in a round trip.
    fn raise_slope(&mut self, window: &Window) {
        let growth = f64::from(1_u32 << self.probe_rounds);
        self.probe_rounds = (self.probe_rounds + 1).min(30);
        self.acked_per_packet = (window.cwnd / growth).max(1.0);
    }

    pub(super) fn update_cycle(&mut self, ack: &Ack, rate: &Rate, path: &Path, window: &Window) {
        if !self.is_full || self.adapt_long_term(ack, rate, path, window) {
            return;
        }
        match self.state {
            State::Down => {
                if !self.probe_if_due(path, window) && self.may_cruise(path, window) {
                    self.state = State::Cruise;
                }
            }
            State::Cruise => {
                self.probe_if_due(path, window);
            }
            State::Refill if self.round_starts => {
                self.is_probe_sample = true;
                self.start_up(rate, path, window);
            }
            State::Up => self.go_down_if_due(rate, path, window),
            State::Startup | State::Drain | State::Refill | State::ProbeRtt => {}
        }
    }

    fn go_down_if_due(&mut self, rate: &Rate, path: &Path, window: &Window) {
        if self.is_time_to_go_down(rate, path, window) {
            self.was_too_high = false;
            self.start_down(path);
        }
    }

    fn may_cruise(&self, path: &Path, window: &Window) -> bool {
        let in_flight = f64::from(path.in_flight);
        in_flight <= self.inflight_with_headroom() && in_flight <= self.inflight_at_most(path, window)
    }

    /// 5.3.3.8: after two to three seconds, or as many round trips as Reno would need.
    fn probe_if_due(&mut self, path: &Path, window: &Window) -> bool {
        let reno_rounds = self.target(window).min(63.0);
        let is_due = path.now_s > self.cycle_since_s + self.wait_s || self.rounds_since_up as f64 >= reno_rounds;
        if is_due {
            self.start_refill(path);
        }
        is_due
    }

    fn is_time_to_go_down(&mut self, rate: &Rate, path: &Path, window: &Window) -> bool {
        if self.was_too_high && f64::from(path.in_flight) >= self.inflight_long {
            self.was_precautionary = true;
            return true;
        }
        if path.is_limited && window.cwnd >= self.inflight_long {
            self.reset_full();
            self.full_bw = rate.per_s.unwrap_or(0.0);
            return false;
        }
        self.is_full_now
    }

    fn adapt_long_term(&mut self, ack: &Ack, rate: &Rate, path: &Path, window: &Window) -> bool {
        if self.phase == AckPhase::Starting && self.round_starts {
            self.phase = AckPhase::Feedback;
        }
        if self.phase == AckPhase::Stopping && self.round_starts {
            self.is_probe_sample = false;
            self.phase = AckPhase::Init;
            if self.state.probes_bandwidth() {
                if !rate.is_app_limited && self.max_bw[1] > 0.0 {
                    self.max_bw = [self.max_bw[1], 0.0];
                }
                if self.was_precautionary && !self.was_too_high {
                    self.start_refill(path);
                    return true;
                }
            }
        }
        if !is_too_high(rate) && self.inflight_long < f64::INFINITY {
            self.inflight_long = self.inflight_long.max(f64::from(rate.in_flight));
            if self.state == State::Up {
                self.probe_upward(ack, path, window);
            }
        }
        false
    }

    fn probe_upward(&mut self, ack: &Ack, path: &Path, window: &Window) {
        if !path.is_limited || window.cwnd < self.inflight_long {
            return;
        }
        self.probe_acked += f64::from(ack.delivered);
        if self.probe_acked >= self.acked_per_packet {
            let more = (self.probe_acked / self.acked_per_packet).floor();
            self.probe_acked -= more * self.acked_per_packet;
            self.inflight_long += more;
        }
        if self.round_starts {
            self.raise_slope(window);
        }
    }

    pub(super) fn check_probe_rtt(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if self.state != State::ProbeRtt && self.probe_expired && !self.resumes {
            self.save_cwnd(window.cwnd);
            self.state = State::ProbeRtt;
            self.probe_until_s = None;
            self.phase = AckPhase::Stopping;
            self.start_round(path);
        }
        if self.state == State::ProbeRtt {
            window.holds_back = true;
            if self.probe_until_s.is_none() {
                if f64::from(path.in_flight) <= self.probe_rtt_cwnd() {
                    self.probe_until_s = Some(path.now_s + PROBE_RTT_DURATION_S);
                    self.probe_round_done = false;
                    self.start_round(path);
                }
            } else {
                self.probe_round_done |= self.round_starts;
                if self.probe_round_done {
                    self.check_probe_rtt_done(path, window);
                }
            }
        }
        self.resumes &= ack.delivered == 0;
    }

    pub(super) fn check_probe_rtt_done(&mut self, path: &Path, window: &mut Window) {
        if self.probe_until_s.is_none_or(|until_s| path.now_s <= until_s) {
            return;
        }
        self.probe_min_at_s = path.now_s;
        window.holds_back = false;
        window.cwnd = window.cwnd.max(self.prior_cwnd);
        (self.bw_short, self.inflight_short) = (f64::INFINITY, f64::INFINITY);
        if self.is_full {
            self.start_down(path);
            self.state = State::Cruise;
        } else {
            self.state = State::Startup;
        }
    }
}
