//! The model: bandwidth, round trip, volumes, and the control parameters that follow from it (sections 5.5 and 5.6).

use super::{
    Ack, BETA, Bbr3, EXTRA_ACKED_ROUNDS, HEADROOM, LOSS_THRESH, MIN_PIPE_CWND, MIN_RTT_FILTER_S, PACING_MARGIN,
    PROBE_RTT_CWND_GAIN, PROBE_RTT_INTERVAL_S, Path, Rate, STARTUP_FULL_LOSS_COUNT, State, Undo, Window,
};

/// Whether losses say that too much was in flight (5.5.10.2).
pub(super) fn is_too_high(rate: &Rate) -> bool {
    rate.lost as f64 > f64::from(rate.in_flight) * LOSS_THRESH
}

impl Bbr3 {
    pub(super) fn greatest_bw(&self) -> f64 {
        self.max_bw[0].max(self.max_bw[1])
    }

    /// A packet-timed round trip begins.
    pub(super) fn start_round(&mut self, path: &Path) {
        self.next_round_at = path.delivered;
    }

    pub(super) fn update_latest(&mut self, rate: &Rate, path: &Path) {
        self.bw_latest = self.bw_latest.max(rate.per_s.unwrap_or(0.0));
        self.inflight_latest = self.inflight_latest.max(rate.delivered as f64);
        self.loss_round_starts = rate.delivered > 0 && rate.prior_delivered >= self.loss_round_at;
        if self.loss_round_starts {
            self.loss_round_at = path.delivered;
        }
    }

    pub(super) fn update_congestion(&mut self, ack: &Ack, rate: &Rate, path: &Path, window: &Window) {
        self.update_max_bw(ack, rate, path);
        self.losses_in_round += u32::from(ack.lost > 0);
        if !self.loss_round_starts {
            return;
        }
        if !self.state.accelerates() && self.loss_in_round {
            if self.bw_short == f64::INFINITY {
                self.bw_short = self.greatest_bw();
            }
            if self.inflight_short == f64::INFINITY {
                self.inflight_short = window.cwnd;
            }
            self.bw_short = self.bw_latest.max(BETA * self.bw_short);
            self.inflight_short = self.inflight_latest.max(BETA * self.inflight_short);
        }
        self.loss_in_round = false;
    }

    fn update_max_bw(&mut self, ack: &Ack, rate: &Rate, path: &Path) {
        self.round_starts = ack.rate.is_some() && rate.prior_delivered >= self.next_round_at;
        if self.round_starts {
            self.start_round(path);
            self.rounds += 1;
            self.rounds_since_up += 1;
        }
        if let Some(per_s) = rate.per_s
            && (per_s >= self.greatest_bw() || !rate.is_app_limited)
        {
            self.max_bw[1] = self.max_bw[1].max(per_s);
        }
    }

    /// 5.5.9: what is acknowledged beyond what the bandwidth says.
    pub(super) fn update_extra(&mut self, ack: &Ack, path: &Path, window: &Window) {
        let mut expected = self.bw * (path.now_s - self.extra_since_s);
        if self.extra_delivered <= expected {
            (self.extra_delivered, self.extra_since_s, expected) = (0.0, path.now_s, 0.0);
        }
        self.extra_delivered += f64::from(ack.delivered);
        let extra = (self.extra_delivered - expected).min(window.cwnd);
        let rounds = if self.is_full { EXTRA_ACKED_ROUNDS } else { 1 };
        self.extra.update(rounds, self.rounds, extra);
    }

    pub(super) fn reset_full(&mut self) {
        (self.full_bw, self.full_count, self.is_full_now) = (0.0, 0, false);
    }

    /// 5.3.1.2: three round trips that bring less than a quarter more.
    pub(super) fn check_full(&mut self, rate: &Rate) {
        if self.is_full_now || !self.round_starts || rate.is_app_limited {
            return;
        }
        let per_s = rate.per_s.unwrap_or(0.0);
        if per_s >= self.full_bw * 1.25 {
            self.reset_full();
            self.full_bw = per_s;
            return;
        }
        self.full_count += 1;
        self.is_full_now = self.full_count >= 3;
        self.is_full |= self.is_full_now;
    }

    /// 5.3.1.3: start-up ends by a plateau, or by losses over a round trip of a recovery.
    pub(super) fn check_startup(&mut self, ack: &Ack, rate: &Rate) {
        if self.state == State::Startup && !self.is_full && self.loss_round_starts {
            let has_gaps = self.losses_in_round >= STARTUP_FULL_LOSS_COUNT;
            if self.is_recovering && has_gaps && is_too_high(rate) && ack.delivered > 0 {
                self.undo.state = Some(State::Startup);
                self.is_full = true;
                self.inflight_long = self.bdp(1.0).max(self.inflight_latest);
            }
        }
        if self.loss_round_starts {
            self.losses_in_round = 0;
        }
        if self.state == State::Startup && self.is_full {
            self.state = State::Drain;
            self.drain_round = self.rounds;
        }
    }

    pub(super) fn update_min_rtt(&mut self, ack: &Ack, path: &Path) {
        self.probe_expired = path.now_s > self.probe_min_at_s + PROBE_RTT_INTERVAL_S;
        if let Some(rtt_s) = ack.rtt_s
            && (rtt_s < self.probe_min_s || self.probe_expired)
        {
            (self.probe_min_s, self.probe_min_at_s) = (rtt_s, path.now_s);
        }
        let is_old = path.now_s > self.min_rtt_at_s + MIN_RTT_FILTER_S;
        if self.probe_min_s < self.min_rtt_s || is_old {
            (self.min_rtt_s, self.min_rtt_at_s) = (self.probe_min_s, self.probe_min_at_s);
        }
    }

    /// So many bandwidth-delay products.
    pub(super) fn bdp(&self, gain: f64) -> f64 {
        self.volume(self.bw, gain)
    }

    fn volume(&self, bw: f64, gain: f64) -> f64 {
        if self.min_rtt_s.is_finite() { gain * bw * self.min_rtt_s } else { self.initial_cwnd }
    }

    fn with_quanta(&self, volume: f64, path: &Path, window: &Window) -> f64 {
        let per_ms = window.pacing_per_s.unwrap_or(0.0) * 0.001;
        let quantum = per_ms.min(65_536.0 / path.mss_bytes).max(2.0);
        let more = if self.state == State::Up { 2.0 } else { 0.0 };
        volume.max(3.0 * quantum).max(MIN_PIPE_CWND) + more
    }

    /// 5.6.4.2.
    pub(super) fn inflight(&self, gain: f64, path: &Path, window: &Window) -> f64 {
        self.with_quanta(self.bdp(gain), path, window)
    }

    /// The same at the greatest bandwidth.
    pub(super) fn inflight_at_most(&self, path: &Path, window: &Window) -> f64 {
        self.with_quanta(self.volume(self.greatest_bw(), 1.0), path, window)
    }

    /// What congestion leaves of the bandwidth-delay product.
    pub(super) fn target(&self, window: &Window) -> f64 {
        self.bdp(1.0).min(window.cwnd)
    }

    pub(super) fn inflight_with_headroom(&self) -> f64 {
        if self.inflight_long == f64::INFINITY {
            return f64::INFINITY;
        }
        (self.inflight_long - (HEADROOM * self.inflight_long).max(1.0)).max(MIN_PIPE_CWND)
    }

    pub(super) fn probe_rtt_cwnd(&self) -> f64 {
        self.bdp(PROBE_RTT_CWND_GAIN).max(MIN_PIPE_CWND)
    }

    pub(super) fn set_rate(&self, gain: f64, window: &mut Window) {
        let per_s = gain * self.bw * PACING_MARGIN;
        if per_s > 0.0 && (self.is_full || window.pacing_per_s.is_none_or(|now| per_s > now)) {
            window.pacing_per_s = Some(per_s);
        }
    }

    /// 5.6.4.6 and 5.6.4.7.
    pub(super) fn set_cwnd(&self, ack: &Ack, path: &Path, window: &mut Window) {
        let delivered = f64::from(ack.delivered);
        let most = self.with_quanta(self.bdp(self.state.cwnd_gain()) + self.extra.get(), path, window);
        if self.is_full {
            window.cwnd = (window.cwnd + delivered).min(most);
        } else if window.cwnd < most || (path.delivered as f64) < self.initial_cwnd {
            window.cwnd += delivered;
        }
        window.cwnd = window.cwnd.max(MIN_PIPE_CWND);
        if self.state == State::ProbeRtt {
            window.cwnd = window.cwnd.min(self.probe_rtt_cwnd());
        }
        let cap = match self.state {
            State::Down | State::Refill | State::Up => self.inflight_long,
            State::Cruise | State::ProbeRtt => self.inflight_with_headroom(),
            State::Startup | State::Drain => f64::INFINITY,
        };
        window.cwnd = window.cwnd.min(cap.min(self.inflight_short).max(MIN_PIPE_CWND));
    }

    /// 5.5.10.2: a packet is lost; in a probe, by how much the volume was too high.
    pub(super) fn handle_lost(&mut self, sent: &Rate, path: &Path, window: &mut Window) {
        if !self.loss_in_round {
            self.loss_round_at = path.delivered;
            self.save_cwnd(window.cwnd);
            self.save_model();
        }
        self.loss_in_round = true;
        if !self.is_probe_sample || !is_too_high(sent) {
            return;
        }
        let before = f64::from(sent.in_flight) - 1.0;
        let lost_before = sent.lost as f64 - 1.0;
        let prefix = (LOSS_THRESH * before - lost_before) / (1.0 - LOSS_THRESH);
        self.was_too_high = true;
        self.is_probe_sample = false;
        if !sent.is_app_limited {
            self.inflight_long = (before + prefix).max(self.target(window) * BETA);
        }
        if self.state == State::Up {
            self.undo.state = Some(State::Up);
            self.start_down(path);
        }
    }

    pub(super) fn save_cwnd(&mut self, cwnd: f64) {
        let is_usual = !self.is_recovering && self.state != State::ProbeRtt;
        self.prior_cwnd = if is_usual { cwnd } else { self.prior_cwnd.max(cwnd) };
    }

    pub(super) fn save_model(&mut self) {
        self.undo = Undo {
            state: None,
            bw_short: self.bw_short,
            inflight_short: self.inflight_short,
            inflight_long: self.inflight_long,
        };
    }

    /// 5.5.11.2: the losses were none.
    pub(super) fn take_back(&mut self, path: &Path, window: &mut Window) {
        window.cwnd = window.cwnd.max(self.prior_cwnd);
        self.loss_in_round = false;
        self.reset_full();
        self.bw_short = self.bw_short.max(self.undo.bw_short);
        self.inflight_short = self.inflight_short.max(self.undo.inflight_short);
        self.inflight_long = self.inflight_long.max(self.undo.inflight_long);
        match self.undo.state.take() {
            Some(State::Startup) if self.state != State::Startup => {
                self.is_full = false;
                if self.state != State::ProbeRtt {
                    self.state = State::Startup;
                }
            }
            Some(State::Up) if !matches!(self.state, State::Up | State::ProbeRtt) => self.start_refill(path),
            _ => {}
        }
    }
}
