//! The bounds of the model: long-term (`inflight_hi`) and short-term (`bw_lo`, `inflight_lo`), from losses and marks.

use super::super::kernel::{self, UNIT, UNSET};
use super::{
    Ack, BETA, CWND_MIN_TARGET, CaState, ECN_ALPHA_GAIN, ECN_FACTOR, ECN_MAX_RTT_US, ECN_THRESH, FULL_ECN_CNT,
    FULL_LOSS_CNT, INFLIGHT_HEADROOM, LOSS_THRESH, LinuxBbr3, Mode, Model, Path, Phase, Rate, Window,
};

/// At which packets in flight the losses before this lost packet crossed the threshold.
pub(super) fn inflight_hi_from_lost_skb(sent: &Rate) -> u64 {
    let Some(inflight_prev) = u64::from(sent.in_flight).checked_sub(1) else { return UNSET };
    let Some(lost_prev) = sent.lost.checked_sub(1) else { return UNSET };
    let loss_budget = (inflight_prev * LOSS_THRESH).div_ceil(UNIT);
    inflight_prev + loss_budget.saturating_sub(lost_prev) * UNIT / (UNIT - LOSS_THRESH)
}

impl LinuxBbr3 {
    /// Updates the average fraction of marked packets, once per round trip.
    pub(super) fn update_ecn_alpha(&mut self, path: &Path, window: &Window) {
        self.ecn_eligible |= self.ecn_low && self.min_rtt_us <= ECN_MAX_RTT_US;
        let delivered = path.delivered - self.alpha_last_delivered;
        if !self.ecn_eligible || delivered == 0 {
            return;
        }
        let ce_ratio = (self.delivered_ce - self.alpha_last_delivered_ce) * UNIT / delivered;
        let kept = (UNIT - ECN_ALPHA_GAIN) * self.ecn_alpha / UNIT;
        self.ecn_alpha = (kept + ECN_ALPHA_GAIN * ce_ratio / UNIT).min(UNIT);
        (self.alpha_last_delivered, self.alpha_last_delivered_ce) = (path.delivered, self.delivered_ce);
        // Round trips with many marks, one after the other, end Startup.
        if !self.full_bw_reached {
            self.startup_ecn_rounds = if ce_ratio >= ECN_THRESH { self.startup_ecn_rounds + 1 } else { 0 };
            if self.startup_ecn_rounds >= FULL_ECN_CNT {
                self.handle_queue_too_high_in_startup(path, window);
            }
        }
    }

    fn handle_queue_too_high_in_startup(&mut self, path: &Path, window: &Window) {
        self.full_bw_reached = true;
        self.inflight_hi = self.inflight(self.max_bw(), UNIT, path, window).max(self.inflight_latest);
    }

    /// ACKs with losses are counted; at the end of a round trip in Recovery with many of them, Startup ends.
    pub(super) fn check_loss_too_high_in_startup(&mut self, ack: &Ack, rs: &Rate, path: &Path, window: &Window) {
        if self.full_bw_reached {
            return;
        }
        self.loss_events_in_round = (self.loss_events_in_round + u32::from(ack.lost > 0)).min(15);
        if !self.loss_round_start {
            return;
        }
        if self.ca_state == CaState::Recovery
            && self.loss_events_in_round >= FULL_LOSS_CNT
            && self.is_inflight_too_high(rs)
        {
            self.handle_queue_too_high_in_startup(path, window);
            return;
        }
        self.loss_events_in_round = 0;
    }

    /// Whether the losses or the marks of a sample mean too much data in flight.
    pub(super) fn is_inflight_too_high(&self, rs: &Rate) -> bool {
        let loss_thresh = u64::from(rs.in_flight) * LOSS_THRESH / UNIT;
        let loses = rs.lost > 0 && rs.in_flight > 0 && rs.lost > loss_thresh;
        let ecn_thresh = rs.delivered * ECN_THRESH / UNIT;
        loses || (self.ecn_eligible && rs.delivered > 0 && rs.marked > ecn_thresh)
    }

    /// The round trip has a loss; its first loss begins it.
    pub(super) fn note_loss(&mut self, path: &Path) {
        if !self.loss_in_round {
            self.loss_round_delivered = path.delivered;
        }
        (self.loss_in_round, self.loss_in_cycle) = (true, true);
    }

    /// A probe went too high: lowers `inflight_hi`, once per probe, and ends UP.
    pub(super) fn handle_inflight_too_high(
        &mut self,
        tx_in_flight: u64,
        is_app_limited: bool,
        path: &Path,
        window: &Window,
    ) {
        self.prev_probe_too_high = true;
        self.bw_probe_samples = false;
        if !is_app_limited {
            let least = self.target_inflight(path, window) * (UNIT - BETA) / UNIT;
            self.inflight_hi = tx_in_flight.max(least);
        }
        if self.mode == Mode::ProbeBw(Phase::Up) {
            self.start_bw_probe_down(path);
        }
    }

    /// `inflight_hi` less what is left for other flows.
    pub(super) fn inflight_with_headroom(&self) -> u64 {
        if self.inflight_hi == UNSET {
            return UNSET;
        }
        let headroom = (self.inflight_hi * INFLIGHT_HEADROOM / UNIT).max(1);
        self.inflight_hi.saturating_sub(headroom).max(CWND_MIN_TARGET)
    }

    /// The bound of the window (`bound_cwnd_for_inflight_model`).
    pub(super) fn model_cap(&self) -> u64 {
        let cap = match self.mode {
            Mode::ProbeBw(Phase::Cruise) | Mode::ProbeRtt => self.inflight_with_headroom(),
            Mode::ProbeBw(_) => self.inflight_hi,
            Mode::Startup | Mode::Drain => UNSET,
        };
        cap.min(self.inflight_lo).max(CWND_MIN_TARGET)
    }

    /// Rate and volume delivered in the last round trip.
    pub(super) fn update_latest_delivery_signals(&mut self, ack: &Ack, rs: &Rate, is_valid: bool, path: &Path) {
        self.loss_round_start = false;
        if !is_valid || ack.delivered == 0 {
            return;
        }
        self.bw_latest = self.bw_latest.max(self.sample_bw);
        self.inflight_latest = self.inflight_latest.max(rs.delivered);
        if rs.prior_delivered >= self.loss_round_delivered {
            self.loss_round_delivered = path.delivered;
            self.loss_round_start = true;
        }
    }

    /// The max bandwidth, and at the end of a round trip the short-term bounds.
    pub(super) fn update_congestion_signals(&mut self, ack: &Ack, rs: &Rate, window: &Window) {
        if !rs.is_app_limited || self.sample_bw >= self.max_bw() {
            self.bw_hi[1] = self.bw_hi[1].max(self.sample_bw);
        }
        self.loss_in_round |= ack.lost > 0;
        if self.loss_round_start {
            self.adapt_lower_bounds(window);
            (self.loss_in_round, self.ecn_in_round) = (false, false);
        }
    }

    /// Losses cut both bounds to 70 %, but not below what was delivered. Marks cut the volume by up to a third.
    fn adapt_lower_bounds(&mut self, window: &Window) {
        if self.is_probing_bandwidth() {
            return;
        }
        let mut ecn_inflight_lo = UNSET;
        if self.inflight_lo == UNSET && (self.ecn_in_round || self.loss_in_round) {
            self.inflight_lo = window.cwnd as u64;
        }
        if self.ecn_in_round {
            ecn_inflight_lo = self.inflight_lo * (UNIT - self.ecn_alpha * ECN_FACTOR / UNIT) / UNIT;
        }
        if self.loss_in_round {
            if self.bw_lo == UNSET {
                self.bw_lo = self.max_bw();
            }
            let loss_cut = UNIT - BETA;
            self.bw_lo = self.bw_latest.max(self.bw_lo * loss_cut / UNIT);
            self.inflight_lo = self.inflight_latest.max(self.inflight_lo * loss_cut / UNIT);
        }
        self.inflight_lo = self.inflight_lo.min(ecn_inflight_lo);
        self.bw_lo = self.bw_lo.max(1);
    }

    pub(super) fn reset_lower_bounds(&mut self) {
        (self.bw_lo, self.inflight_lo) = (UNSET, UNSET);
    }

    pub(super) fn reset_congestion_signals(&mut self) {
        (self.loss_in_round, self.ecn_in_round) = (false, false);
        (self.loss_in_cycle, self.ecn_in_cycle) = (false, false);
        (self.bw_latest, self.inflight_latest) = (0, 0);
    }

    /// The model for the table `model_changes`.
    pub(super) fn to_model(&self) -> Model {
        let state = match self.mode {
            Mode::Startup => "startup",
            Mode::Drain => "drain",
            Mode::ProbeBw(Phase::Up) => "probe_bw_up",
            Mode::ProbeBw(Phase::Down) => "probe_bw_down",
            Mode::ProbeBw(Phase::Cruise) => "probe_bw_cruise",
            Mode::ProbeBw(Phase::Refill) => "probe_bw_refill",
            Mode::ProbeRtt => "probe_rtt",
        };
        let (pacing_gain, cwnd_gain) = self.gains();
        // In ProbeRTT the kernel bounds the window by its own gain of a half.
        let cwnd_gain = if self.mode == Mode::ProbeRtt { UNIT / 2 } else { cwnd_gain };
        Model {
            state,
            round_count: self.round_count,
            pacing_gain: pacing_gain as f64 / UNIT as f64,
            cwnd_gain: cwnd_gain as f64 / UNIT as f64,
            max_bw_per_s: kernel::per_s(self.max_bw()),
            bw_shortterm_per_s: kernel::per_s(self.bw_lo),
            min_rtt_s: kernel::packets(self.min_rtt_us) / 1e6,
            extra_acked: self.aggregation.get() as f64,
            inflight_longterm: kernel::packets(self.inflight_hi),
            inflight_shortterm: kernel::packets(self.inflight_lo),
            inflight_with_headroom: kernel::packets(self.inflight_with_headroom()),
            inflight_target: self.bdp(self.bw(), UNIT) as f64,
            full_bw_count: self.full_bw_cnt,
            full_bw_now: self.full_bw_now,
            full_bw_reached: self.full_bw_reached,
            idle_restart: self.idle_restart,
            saves: self.saves,
            undos: self.undos,
        }
    }
}
