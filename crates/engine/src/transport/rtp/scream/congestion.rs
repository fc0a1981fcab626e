//! The reference window: averages of marks and queue delays, reduction, increase.
//!
//! Source: SCReAM, "Network Congestion Control".

use super::Scream;

/// EWMA factors of `l4s_alpha`.
const L4S_AVG_G_UP: f64 = 1.0 / 8.0;
const L4S_AVG_G_DOWN: f64 = 1.0 / 128.0;
/// EWMA factor of `qdelay_avg`.
const QDELAY_AVG_G: f64 = 1.0 / 4.0;
/// Filter gain of `qdelay_min_avg` and `qdelay_max_avg`.
const QDELAY_MIN_MAX_AVG_G: f64 = 1.0 / 16.0;
/// EWMA factor of `qdelay_dev_avg`, and its threshold, s.
const QDELAY_DEV_AVG_G: f64 = 1.0 / 32.0;
const QDELAY_DEV_THRESHOLD: f64 = 0.01;

impl Scream {
    /// "Receiving ECN-CE for L4S".
    pub(super) fn update_l4s_alpha(&mut self, now_s: f64) {
        if now_s - self.last_update_l4s_alpha_time < self.s_rtt.min(0.01) || self.data_units_delivered_this_rtt == 0.0 {
            return;
        }
        let fraction_marked = self.data_units_marked_this_rtt / self.data_units_delivered_this_rtt;
        self.l4s_alpha = if fraction_marked >= self.l4s_alpha {
            L4S_AVG_G_UP * fraction_marked + (1.0 - L4S_AVG_G_UP) * self.l4s_alpha
        } else {
            (1.0 - L4S_AVG_G_DOWN) * self.l4s_alpha
        };
        self.last_update_l4s_alpha_time = now_s;
        self.data_units_delivered_this_rtt = 0.0;
        self.data_units_marked_this_rtt = 0.0;
    }

    /// "Detecting Increased Queue Delay".
    pub(super) fn update_qdelay_avg(&mut self, now_s: f64) {
        let reduce_jitter = self.constants.reduce_jitter;
        if reduce_jitter {
            self.qdelay_max_avg = self.qdelay.max(self.qdelay_max_avg).min(self.target.qdelay_target);
            self.qdelay_min_avg = self.qdelay.min(self.qdelay_min_avg);
        }
        if now_s - self.last_update_qdelay_avg_time < self.constants.virtual_rtt.min(self.s_rtt) {
            return;
        }
        self.qdelay_avg = if self.qdelay < self.qdelay_avg {
            self.qdelay
        } else {
            QDELAY_AVG_G * self.qdelay + (1.0 - QDELAY_AVG_G) * self.qdelay_avg
        };
        if reduce_jitter {
            self.calculate_ref_wnd_delay_scale();
        }
        self.last_update_qdelay_avg_time = now_s;
    }

    fn calculate_ref_wnd_delay_scale(&mut self) {
        let gain = QDELAY_MIN_MAX_AVG_G;
        self.qdelay_max_avg *= 1.0 - gain;
        self.qdelay_min_avg = self.qdelay_min_avg * (1.0 - gain) + self.qdelay_max_avg * gain;
        let deviation = self.qdelay_max_avg - self.qdelay_min_avg;
        self.qdelay_dev_avg = (1.0 - QDELAY_DEV_AVG_G) * self.qdelay_dev_avg + QDELAY_DEV_AVG_G * deviation;
        self.ref_wnd_delay_scale = (1.0 - self.qdelay_dev_avg / QDELAY_DEV_THRESHOLD).clamp(0.0, 1.0);
    }

    /// "Reference Window Reduction". Returns `scl_t`, which tells how far the window is from the last known maximum.
    pub(super) fn reduce_ref_wnd(&mut self, now_s: f64) -> f64 {
        let scl = ((self.ref_wnd - self.ref_wnd_i) / self.ref_wnd_i * 8.0).powi(2).clamp(0.1, 1.0);
        if now_s - self.last_reaction_to_congestion_time < self.constants.virtual_rtt.min(self.s_rtt) {
            return scl;
        }
        let half_target = self.target.qdelay_target / 2.0;
        let l4s_alpha_v = ((self.qdelay_avg - half_target) / half_target).clamp(0.0, 1.0);
        let factor = if self.loss_detected {
            self.constants.beta_loss
        } else if self.data_units_marked && self.constants.l4s {
            1.0 - self.backoff_by_marks(scl)
        } else if self.data_units_marked {
            self.constants.beta_ecn
        } else if l4s_alpha_v > 0.0 {
            1.0 - l4s_alpha_v / 2.0 / self.long_rtt()
        } else {
            return scl;
        };
        if self.ref_wnd_i_update_allowed {
            self.ref_wnd_i = self.ref_wnd;
            self.ref_wnd_i_update_allowed = false;
        }
        let is_late =
            now_s - self.last_reaction_to_congestion_time > 100.0 * self.constants.virtual_rtt.max(self.s_rtt);
        if !self.loss_detected && self.data_units_marked && self.constants.l4s && is_late {
            self.ref_wnd = self.ref_wnd.min(self.max_bytes_in_flight_prev);
        }
        self.ref_wnd = (self.ref_wnd * factor).max(self.constants.min_ref_wnd);
        self.loss_detected = false;
        self.data_units_marked = false;
        self.last_reaction_to_congestion_time = now_s;
        scl
    }

    /// By how much a backoff is scaled down when the RTT is above the virtual one.
    fn long_rtt(&self) -> f64 {
        (self.s_rtt / self.constants.virtual_rtt).max(1.0)
    }

    /// `backoff_t` for marks in L4S mode.
    fn backoff_by_marks(&self, scl: f64) -> f64 {
        let backoff = self.l4s_alpha / 2.0 / self.long_rtt();
        if self.qdelay >= self.target.qdelay_target * 0.25 {
            return backoff;
        }
        backoff * scl.max(0.25) * self.ref_wnd_delay_scale.max(0.25)
    }

    /// "Reference Window Increase".
    pub(super) fn increase_ref_wnd(&mut self, scl: f64, now_s: f64) {
        let constants = &self.constants;
        let since = now_s - self.last_congestion_detected_time;
        let cautious = constants.post_congestion_delay_rtts * constants.virtual_rtt.max(self.s_rtt);
        let post_congestion_scale = (since / cautious).clamp(0.0, 1.0);
        let mut increment = (self.bytes_newly_acked - self.bytes_newly_acked_ce) * self.ref_wnd_ratio();
        increment *= (self.s_rtt / constants.virtual_rtt).min(1.0);
        increment *= scl.max(0.25);
        increment *= self.ref_wnd_delay_scale.max(0.1);
        // ref_wnd_scale_factor_t - 1
        let multiplicative = constants.mul_increase_factor * self.ref_wnd / constants.mss;
        increment *= 1.0 + multiplicative * post_congestion_scale * scl;
        let most_in_flight = self.max_bytes_in_flight.max(self.max_bytes_in_flight_prev);
        let max_allowed = constants.mss + most_in_flight * constants.bytes_in_flight_head_room;
        let is_below_max = self.target_bitrate < constants.target_bitrate_max;
        if self.ref_wnd + increment <= max_allowed && is_below_max && increment > 0.0 {
            self.ref_wnd += increment;
            self.ref_wnd_i_update_allowed = true;
        }
        self.bytes_newly_acked = 0.0;
        self.bytes_newly_acked_ce = 0.0;
    }
}
