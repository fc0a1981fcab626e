//! The path model (bandwidth, RTT, volumes) and the control parameters (sections 5.5 and 5.6).

use super::{
    Ack, BETA, Bbr3, EXTRA_ACKED_FILTER_LEN, HEADROOM, LOSS_THRESH, MIN_PIPE_CWND, MIN_RTT_FILTER_LEN,
    PACING_MARGIN_PERCENT, PROBE_RTT_CWND_GAIN, PROBE_RTT_INTERVAL, Path, Rate, STARTUP_FULL_LOSS_CNT, State, Window,
};

/// 5.5.10.2, IsInflightTooHigh.
pub(super) fn is_inflight_too_high(rs: &Rate, path: &Path) -> bool {
    rs.lost as f64 > f64::from(rs.in_flight) * LOSS_THRESH || (rs.lost > 0 && path.lacks_sack)
}

/// Resolution of RTT samples, s. Equal RTTs differ by the rounding of sums, which must not postpone ProbeRTT for ever.
const CLOCK_S: f64 = 1e-9;

impl Bbr3 {
    /// BBR.max_bw (5.5.2), packets/s.
    pub(super) fn max_bw(&self) -> f64 {
        self.max_bw_filter.get()
    }

    /// 5.5.1, StartRound.
    pub(super) fn start_round(&mut self, path: &Path) {
        self.next_round_delivered = path.delivered;
    }

    /// 5.5.10.3, UpdateLatestDeliverySignals.
    pub(super) fn update_latest_delivery_signals(&mut self, rs: &Rate, path: &Path) {
        self.bw_latest = self.bw_latest.max(rs.per_s.unwrap_or(0.0));
        self.inflight_latest = self.inflight_latest.max(rs.delivered as f64);
        self.loss_round_start = rs.delivered > 0 && rs.prior_delivered >= self.loss_round_delivered;
        if self.loss_round_start {
            self.loss_round_delivered = path.delivered;
        }
    }

    /// 5.5.10.3, UpdateCongestionSignals, with AdaptLowerBoundsFromCongestion, InitLowerBounds and LossLowerBounds.
    pub(super) fn update_congestion_signals(&mut self, ack: &Ack, rs: &Rate, path: &Path, window: &Window) {
        self.update_max_bw(ack, rs, path);
        if !self.loss_round_start {
            return;
        }
        if !self.state.is_probing_bw() && self.is_loss_in_round {
            if self.bw_shortterm == f64::INFINITY {
                self.bw_shortterm = self.max_bw();
            }
            if self.inflight_shortterm == f64::INFINITY {
                self.inflight_shortterm = window.cwnd;
            }
            self.bw_shortterm = self.bw_latest.max(BETA * self.bw_shortterm);
            self.inflight_shortterm = self.inflight_latest.max(BETA * self.inflight_shortterm);
        }
        self.is_loss_in_round = false;
    }

    /// 5.5.5, UpdateMaxBw, with 5.5.1, UpdateRound.
    fn update_max_bw(&mut self, ack: &Ack, rs: &Rate, path: &Path) {
        self.round_start = ack.rate.is_some() && rs.prior_delivered >= self.next_round_delivered;
        if self.round_start {
            self.start_round(path);
            self.round_count += 1;
            self.rounds_since_probe_up += 1;
        }
        if let Some(delivery_rate) = rs.per_s
            && (delivery_rate >= self.max_bw() || !rs.is_app_limited)
        {
            self.max_bw_filter.update(delivery_rate);
        }
    }

    /// 5.5.9, UpdateACKAggregation: data acknowledged beyond the estimated bandwidth.
    pub(super) fn update_ack_aggregation(&mut self, ack: &Ack, path: &Path, window: &Window) {
        let mut expected_delivered = self.bw * (path.now_s - self.extra_acked_interval_start);
        if self.extra_acked_delivered <= expected_delivered {
            (self.extra_acked_delivered, self.extra_acked_interval_start) = (0.0, path.now_s);
            expected_delivered = 0.0;
        }
        self.extra_acked_delivered += f64::from(ack.delivered);
        let extra = (self.extra_acked_delivered - expected_delivered).min(window.cwnd);
        let filter_len = if self.full_bw_reached { EXTRA_ACKED_FILTER_LEN } else { 1 };
        self.extra_acked_filter.update(filter_len, self.round_count, extra);
    }

    /// 5.3.1.2, ResetFullBW.
    pub(super) fn reset_full_bw(&mut self) {
        (self.full_bw, self.full_bw_count, self.full_bw_now) = (0.0, 0, false);
    }

    /// 5.3.1.2, CheckFullBWReached: three round trips with less than 25 % growth.
    pub(super) fn check_full_bw_reached(&mut self, rs: &Rate) {
        if self.full_bw_now || !self.round_start || rs.is_app_limited {
            return;
        }
        let delivery_rate = rs.per_s.unwrap_or(0.0);
        if delivery_rate >= self.full_bw * 1.25 {
            self.reset_full_bw();
            self.full_bw = delivery_rate;
            return;
        }
        self.full_bw_count += 1;
        self.full_bw_now = self.full_bw_count >= 3;
        self.full_bw_reached |= self.full_bw_now;
    }

    /// 5.3.1.1, CheckStartupDone, with 5.3.2, EnterDrain: Startup ends at a bandwidth plateau, or after high loss in a
    /// round trip of fast recovery.
    pub(super) fn check_startup_done(&mut self, rs: &Rate, path: &Path) {
        if self.state == State::Startup && !self.full_bw_reached && self.is_startup_loss_high(rs, path) {
            self.undo_state = Some(State::Startup);
            self.full_bw_reached = true;
            self.inflight_longterm = self.bdp_multiple(self.bw, 1.0).max(self.inflight_latest);
        }
        if self.loss_round_start {
            self.loss_ranges_in_round = 0;
        }
        if self.state == State::Startup && self.full_bw_reached {
            self.state = State::Drain;
            self.drain_start_round = self.round_count;
        }
    }

    /// 5.3.1.3, CheckStartupHighLoss. A loss starts a round trip of losses, so that round trip ends a full one after the fast
    /// recovery began. Without SACK any loss in fast recovery is enough.
    fn is_startup_loss_high(&self, rs: &Rate, path: &Path) -> bool {
        if !self.in_fast_recovery {
            return false;
        }
        if path.lacks_sack {
            return self.loss_ranges_in_round > 0;
        }
        self.loss_round_start && self.loss_ranges_in_round >= STARTUP_FULL_LOSS_CNT && is_inflight_too_high(rs, path)
    }

    /// 5.3.4.3, UpdateMinRTT.
    pub(super) fn update_min_rtt(&mut self, ack: &Ack, path: &Path) {
        self.probe_rtt_expired = path.now_s > self.probe_rtt_min_stamp + PROBE_RTT_INTERVAL;
        if let Some(rtt_s) = ack.rtt_s
            && (rtt_s < self.probe_rtt_min_delay - CLOCK_S || self.probe_rtt_expired)
        {
            (self.probe_rtt_min_delay, self.probe_rtt_min_stamp) = (rtt_s, path.now_s);
        }
        let min_rtt_expired = path.now_s > self.min_rtt_stamp + MIN_RTT_FILTER_LEN;
        if self.probe_rtt_min_delay < self.min_rtt || min_rtt_expired {
            (self.min_rtt, self.min_rtt_stamp) = (self.probe_rtt_min_delay, self.probe_rtt_min_stamp);
        }
    }

    /// 5.6.4.2, BDPMultiple: `gain` times the BDP, packets.
    pub(super) fn bdp_multiple(&self, bw: f64, gain: f64) -> f64 {
        if self.min_rtt.is_finite() { gain * bw * self.min_rtt } else { self.initial_cwnd }
    }

    /// 5.6.4.2, QuantizationBudget, with 5.6.3, SetSendQuantum, and 5.5.8.1, UpdateOffloadBudget.
    fn quantization_budget(&self, inflight_cap: f64, path: &Path, window: &Window) -> f64 {
        let per_ms = window.pacing_per_s.unwrap_or(0.0) * 0.001;
        let send_quantum = per_ms.min(65_536.0 / path.mss_bytes).max(2.0);
        let offload_budget = 3.0 * send_quantum;
        let more = if self.state == State::ProbeBwUp { 2.0 } else { 0.0 };
        inflight_cap.max(offload_budget).max(MIN_PIPE_CWND) + more
    }

    /// 5.6.4.2, Inflight.
    pub(super) fn inflight(&self, bw: f64, gain: f64, path: &Path, window: &Window) -> f64 {
        self.quantization_budget(self.bdp_multiple(bw, gain), path, window)
    }

    /// 5.3.3.8.3, TargetInflight: the BDP, limited by the window.
    pub(super) fn target_inflight(&self, window: &Window) -> f64 {
        self.bdp_multiple(self.bw, 1.0).min(window.cwnd)
    }

    /// 5.3.3.9, InflightWithHeadroom.
    pub(super) fn inflight_with_headroom(&self) -> f64 {
        if self.inflight_longterm == f64::INFINITY {
            return f64::INFINITY;
        }
        let headroom = (HEADROOM * self.inflight_longterm).max(1.0);
        (self.inflight_longterm - headroom).max(MIN_PIPE_CWND)
    }

    /// 5.6.4.5, ProbeRTTCwnd.
    pub(super) fn probe_rtt_cwnd(&self) -> f64 {
        self.bdp_multiple(self.bw, PROBE_RTT_CWND_GAIN).max(MIN_PIPE_CWND)
    }

    /// 5.6.2, SetPacingRateWithGain.
    pub(super) fn set_pacing_rate_with_gain(&self, pacing_gain: f64, window: &mut Window) {
        let rate = pacing_gain * self.bw * ((100.0 - PACING_MARGIN_PERCENT) / 100.0);
        if rate > 0.0 && (self.full_bw_reached || window.pacing_per_s.is_none_or(|now| rate > now)) {
            window.pacing_per_s = Some(rate);
        }
    }

    /// 5.6.4.6, SetCwnd, with 5.6.4.2, UpdateMaxInflight, 5.6.4.5, BoundCwndForProbeRTT, and 5.6.4.7, BoundCwndForModel.
    pub(super) fn set_cwnd(&self, ack: &Ack, path: &Path, window: &mut Window) {
        let newly_acked = f64::from(ack.delivered);
        let inflight_cap = self.bdp_multiple(self.bw, self.state.cwnd_gain()) + self.extra_acked_filter.get();
        let max_inflight = self.quantization_budget(inflight_cap, path, window);
        if self.full_bw_reached {
            window.cwnd = (window.cwnd + newly_acked).min(max_inflight);
        } else if window.cwnd < max_inflight || (path.delivered as f64) < self.initial_cwnd {
            window.cwnd += newly_acked;
        }
        window.cwnd = window.cwnd.max(MIN_PIPE_CWND);
        if self.state == State::ProbeRtt {
            window.cwnd = window.cwnd.min(self.probe_rtt_cwnd());
        }
        let cap = match self.state {
            State::ProbeBwDown | State::ProbeBwRefill | State::ProbeBwUp => self.inflight_longterm,
            State::ProbeBwCruise | State::ProbeRtt => self.inflight_with_headroom(),
            State::Startup | State::Drain => f64::INFINITY,
        };
        window.cwnd = window.cwnd.min(cap.min(self.inflight_shortterm).max(MIN_PIPE_CWND));
    }

    /// 5.5.10.2, NoteLoss.
    pub(super) fn note_loss(&mut self, path: &Path, window: &Window) {
        if !self.is_loss_in_round {
            self.loss_round_delivered = path.delivered;
            self.begin_loss_episode(window.cwnd);
        }
        self.is_loss_in_round = true;
    }

    /// 5.5.10.2, HandleLostPacket, with InflightAtLoss and HandleInflightTooHigh; `rs` belongs to the lost
    /// packet.
    pub(super) fn handle_lost_packet(&mut self, rs: &Rate, path: &Path, window: &mut Window) {
        self.note_loss(path, window);
        // 5.3.1.3: a lost packet right behind the last one belongs to the same sequence range.
        let is_adjacent = self.loss_ranges_in_round > 0 && rs.seqno == self.lost_range_end;
        self.loss_ranges_in_round += u32::from(!is_adjacent);
        self.lost_range_end = rs.end_seqno;
        if !self.is_bw_probe_sample || !is_inflight_too_high(rs, path) {
            return;
        }
        let inflight_prev = f64::from(rs.in_flight) - 1.0;
        let lost_prev = rs.lost as f64 - 1.0;
        let lost_prefix = (LOSS_THRESH * inflight_prev - lost_prev) / (1.0 - LOSS_THRESH);
        self.prev_probe_too_high = true;
        self.is_bw_probe_sample = false;
        if !rs.is_app_limited {
            self.inflight_longterm = (inflight_prev + lost_prefix).max(self.target_inflight(window) * BETA);
        }
        if self.state == State::ProbeBwUp {
            self.undo_state = Some(State::ProbeBwUp);
            self.start_probe_bw_down(path);
        }
    }

    /// 5.5.11.1: saves the state when a loss recovery episode starts, once for each. The first loss of an episode is noted
    /// before the recovery starts, and may cut the model and leave UP at once: to save the state again then would forget
    /// what to restore.
    pub(super) fn begin_loss_episode(&mut self, cwnd: f64) {
        if !self.has_saved_state {
            self.save_state_upon_loss(cwnd);
        }
    }

    /// 5.6.4.4, SaveCwnd.
    pub(super) fn save_cwnd(&mut self, cwnd: f64) {
        let is_usual = !self.in_loss_recovery && self.state != State::ProbeRtt;
        self.prior_cwnd = if is_usual { cwnd } else { self.prior_cwnd.max(cwnd) };
    }

    /// 5.5.11.1, SaveStateUponLoss.
    pub(super) fn save_state_upon_loss(&mut self, cwnd: f64) {
        self.save_cwnd(cwnd);
        self.has_saved_state = true;
        self.saves += 1;
        self.undo_state = None;
        self.undo_bw_shortterm = self.bw_shortterm;
        self.undo_inflight_shortterm = self.inflight_shortterm;
        self.undo_inflight_longterm = self.inflight_longterm;
    }

    /// 5.5.11.2, HandleSpuriousLossDetection, with 5.6.4.4, RestoreCwnd.
    pub(super) fn handle_spurious_loss_detection(&mut self, path: &Path, window: &mut Window) {
        window.cwnd = window.cwnd.max(self.prior_cwnd);
        self.undos += 1;
        self.is_loss_in_round = false;
        self.reset_full_bw();
        self.bw_shortterm = self.bw_shortterm.max(self.undo_bw_shortterm);
        self.inflight_shortterm = self.inflight_shortterm.max(self.undo_inflight_shortterm);
        self.inflight_longterm = self.inflight_longterm.max(self.undo_inflight_longterm);
        match self.undo_state.take() {
            Some(State::Startup) if self.state != State::Startup => {
                self.full_bw_reached = false;
                if self.state != State::ProbeRtt {
                    self.state = State::Startup;
                }
            }
            Some(State::ProbeBwUp) if !matches!(self.state, State::ProbeBwUp | State::ProbeRtt) => {
                self.start_probe_bw_refill(path);
            }
            _ => {}
        }
    }
}
