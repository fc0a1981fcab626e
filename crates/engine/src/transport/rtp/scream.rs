//! SCReAM version 2: the reference window, the send window and the target bitrate of a media sender.
//!
//! Source: I. Johansson, M. Westerlund, M. Kühlewind, "Self-Clocked Rate Adaptation for Multimedia",
//! draft-ietf-ccwg-rfc8298bis-screamv2-01, which obsoletes RFC 8298; sections 4 (the algorithm) and 5 (its receiver).
//! Names are the draft's.
//! What it decides: how many bytes may be in flight, at which interval data units leave, and the encoder's bitrate.
//! Departures: none known. Where the draft leaves a choice: the reference window grows once per `s_rtt`, as its text says.
//! `qdelay_target` is adjusted once per `s_rtt`, and `loss_event_rate` is the fraction of the last 200 of them with a
//! loss. The first reordering window is 0, and it does not become shorter.
//! Not implemented: the optional functions of clock drift, link layer losses and policers, and undershoot; several
//! streams.
//! Checked against: the draft's equations by hand.

mod congestion;
mod qdelay_target;
mod units;

use super::feedback::Report;
use crate::params::Params;
use crate::transport::base_delay::BaseDelay;
use qdelay_target::QdelayTarget;
use units::{Acked, Units};

/// Headroom for packet pacing.
const PACKET_PACING_HEADROOM: f64 = 1.5;
/// Minimum pacing rate, bit/s.
const RATE_PACE_MIN: f64 = 50_000.0;
/// Max extra packet pacing when the media coder reaches the max bitrate.
const MAX_RELAXED_PACING_FACTOR: f64 = 4.0;
/// Fraction of the max bitrate at which the pacing is increasingly relaxed.
const RELAXED_PACING_LIMIT_LOW: f64 = 0.8;
/// How much bytes in flight may exceed the reference window.
const REF_WND_OVERHEAD_MIN: f64 = 1.5;
const REF_WND_OVERHEAD_MAX: f64 = 3.0;
/// Estimated packetization overhead, bytes.
const PACKET_OVERHEAD: f64 = 20.0;
/// Gain of the rate adjustment that compensates for media queue build-up.
const RATE_ADJUST_GAIN: f64 = 1.0 / 16.0;
/// Time constant of the compensation for varying frame sizes.
const FRAME_SIZE_DEV_ALPHA: f64 = 1.0 / 64.0;
/// RFC 6298, section 2: the weight of a new sample.
const RTT_ALPHA: f64 = 1.0 / 8.0;

/// The draft's constants that scenarios may set.
#[derive(Clone, Debug, Params)]
pub(super) struct Constants {
    /// `MSS`: the largest data unit, bytes.
    #[param(state)]
    pub mss: f64,
    /// `QDELAY_TARGET_LO`, s.
    #[param(state)]
    pub qdelay_target_lo: f64,
    /// `QDELAY_TARGET_HI`, s.
    #[param(state)]
    pub qdelay_target_hi: f64,
    /// Whether `qdelay_target` is raised beside flows that fill queues ("Competing Flows Compensation").
    #[param(state)]
    pub competing_flows_compensation: bool,
    /// `MIN_REF_WND`, bytes.
    #[param(state)]
    pub min_ref_wnd: f64,
    /// `BYTES_IN_FLIGHT_HEAD_ROOM`.
    #[param(state)]
    pub bytes_in_flight_head_room: f64,
    /// `BETA_LOSS`.
    #[param(state)]
    pub beta_loss: f64,
    /// `BETA_ECN`.
    #[param(state)]
    pub beta_ecn: f64,
    /// `POST_CONGESTION_DELAY_RTT`.
    #[param(state)]
    pub post_congestion_delay_rtts: f64,
    /// `MUL_INCREASE_FACTOR`.
    #[param(state)]
    pub mul_increase_factor: f64,
    /// `IS_L4S`.
    #[param(state)]
    pub l4s: bool,
    /// `VIRTUAL_RTT`, s.
    #[param(state)]
    pub virtual_rtt: f64,
    /// `REDUCE_JITTER`.
    #[param(state)]
    pub reduce_jitter: bool,
    /// `TARGET_BITRATE_MIN`, bit/s.
    #[param(state)]
    pub target_bitrate_min: f64,
    /// `TARGET_BITRATE_MAX`, bit/s.
    #[param(state)]
    pub target_bitrate_max: f64,
}

impl Default for Constants {
    fn default() -> Constants {
        Constants {
            mss: 1000.0,
            qdelay_target_lo: 0.06,
            qdelay_target_hi: 0.4,
            competing_flows_compensation: true,
            min_ref_wnd: 3000.0,
            bytes_in_flight_head_room: 1.5,
            beta_loss: 0.7,
            beta_ecn: 0.8,
            post_congestion_delay_rtts: 100.0,
            mul_increase_factor: 0.02,
            l4s: false,
            virtual_rtt: 0.025,
            reduce_jitter: false,
            target_bitrate_min: 150_000.0,
            target_bitrate_max: 1_500_000.0,
        }
    }
}

/// The state of a sender. Times are in s, sizes in bytes.
#[derive(Clone, Debug)]
pub(super) struct Scream {
    /// The draft's constants.
    pub constants: Constants,
    units: Units,
    base_delay: BaseDelay,
    target: QdelayTarget,
    /// `ref_wnd`.
    ref_wnd: f64,
    /// `ref_wnd_i`.
    ref_wnd_i: f64,
    ref_wnd_i_update_allowed: bool,
    ref_wnd_delay_scale: f64,
    /// `s_rtt`; 0 before the first feedback.
    s_rtt: f64,
    qdelay: f64,
    qdelay_avg: f64,
    qdelay_min_avg: f64,
    qdelay_max_avg: f64,
    qdelay_dev_avg: f64,
    last_update_qdelay_avg_time: f64,
    l4s_alpha: f64,
    last_update_l4s_alpha_time: f64,
    data_units_delivered_this_rtt: f64,
    data_units_marked_this_rtt: f64,
    bytes_newly_acked: f64,
    bytes_newly_acked_ce: f64,
    max_bytes_in_flight: f64,
    max_bytes_in_flight_prev: f64,
    /// Whether data units are lost or marked since the last reaction to congestion.
    loss_detected: bool,
    data_units_marked: bool,
    last_congestion_detected_time: f64,
    last_reaction_to_congestion_time: f64,
    /// When the present round trip began.
    round_began: f64,
    had_loss_this_round: bool,
    rate_adjust_factor: f64,
    frame_size_dev: f64,
    /// `target_bitrate`, bit/s.
    target_bitrate: f64,
}

impl Scream {
    /// A sender that has not sent anything.
    pub fn new(constants: Constants) -> Scream {
        Scream {
            units: Units::default(),
            base_delay: BaseDelay::default(),
            target: QdelayTarget::new(constants.qdelay_target_lo),
            ref_wnd: constants.min_ref_wnd,
            ref_wnd_i: 1.0,
            ref_wnd_i_update_allowed: true,
            ref_wnd_delay_scale: 1.0,
            s_rtt: 0.0,
            qdelay: 0.0,
            qdelay_avg: 0.0,
            qdelay_min_avg: 0.0,
            qdelay_max_avg: constants.qdelay_target_lo,
            qdelay_dev_avg: 0.0,
            last_update_qdelay_avg_time: 0.0,
            l4s_alpha: 0.0,
            last_update_l4s_alpha_time: 0.0,
            data_units_delivered_this_rtt: 0.0,
            data_units_marked_this_rtt: 0.0,
            bytes_newly_acked: 0.0,
            bytes_newly_acked_ce: 0.0,
            max_bytes_in_flight: 0.0,
            max_bytes_in_flight_prev: 0.0,
            loss_detected: false,
            data_units_marked: false,
            last_congestion_detected_time: 0.0,
            last_reaction_to_congestion_time: 0.0,
            round_began: 0.0,
            had_loss_this_round: false,
            rate_adjust_factor: 0.0,
            frame_size_dev: 0.0,
            target_bitrate: constants.target_bitrate_min,
            constants,
        }
    }

    /// `target_bitrate`, bit/s.
    pub fn target_bitrate(&self) -> f64 {
        self.target_bitrate
    }

    /// `ref_wnd`, bytes.
    pub fn ref_wnd(&self) -> f64 {
        self.ref_wnd
    }

    /// `s_rtt`, s; 0 before the first feedback.
    pub fn s_rtt(&self) -> f64 {
        self.s_rtt
    }

    /// `qdelay_avg`, s.
    pub fn qdelay_avg(&self) -> f64 {
        self.qdelay_avg
    }

    /// `qdelay_target`, s.
    pub fn qdelay_target(&self) -> f64 {
        self.target.qdelay_target
    }

    /// `bytes_in_flight`.
    pub fn bytes_in_flight(&self) -> f64 {
        self.units.bytes_in_flight()
    }

    /// "Send Window Calculation": how many bytes may be sent now.
    pub fn send_wnd(&self) -> f64 {
        let ref_wnd_overhead =
            REF_WND_OVERHEAD_MIN + (REF_WND_OVERHEAD_MAX - REF_WND_OVERHEAD_MIN) * self.ref_wnd_delay_scale;
        self.ref_wnd * ref_wnd_overhead - self.bytes_in_flight()
    }

    /// "Packet Pacing": `t_pace`, the time from a data unit of this size to the next one, s.
    pub fn t_pace(&self, data_unit_size: f64) -> f64 {
        let pace_bitrate = self.target_bitrate.max(RATE_PACE_MIN) * PACKET_PACING_HEADROOM;
        let nominal_rate = self.target_bitrate / self.constants.target_bitrate_max;
        let relaxed = ((nominal_rate - RELAXED_PACING_LIMIT_LOW) / (1.0 - RELAXED_PACING_LIMIT_LOW)).min(1.0);
        let pace_rate_scale = (1.0 - relaxed).clamp(1.0 / MAX_RELAXED_PACING_FACTOR, 1.0);
        data_unit_size * 8.0 * pace_rate_scale / pace_bitrate
    }

    /// A data unit of this size is sent; returns its sequence number.
    pub fn on_sent(&mut self, data_unit_size: f64, now_s: f64) -> u64 {
        let seq = self.units.send(data_unit_size, now_s);
        self.max_bytes_in_flight = self.max_bytes_in_flight.max(self.bytes_in_flight());
        seq
    }

    /// "Media Rate Control", for each new frame: it has `frame_size` bytes, and the oldest data unit in the queue has been
    /// there for `media_qdelay` seconds.
    pub fn on_frame(&mut self, frame_size: f64, media_qdelay: f64, frame_period: f64) {
        let error = (media_qdelay - frame_period / 4.0) / frame_period;
        self.rate_adjust_factor = (self.rate_adjust_factor + error * RATE_ADJUST_GAIN).clamp(0.0, 0.5);
        let frame_size_nom = self.target_bitrate * frame_period / 8.0;
        let deviation = ((frame_size - frame_size_nom) / frame_size_nom).max(0.0);
        self.frame_size_dev =
            ((1.0 - FRAME_SIZE_DEV_ALPHA) * self.frame_size_dev + FRAME_SIZE_DEV_ALPHA * deviation).min(0.2);
        self.update_target_bitrate();
    }

    /// "Media Rate Control": from the reference window and the RTT.
    fn update_target_bitrate(&mut self) {
        if self.s_rtt <= 0.0 {
            return;
        }
        let Constants { mss, target_bitrate_min, target_bitrate_max, .. } = self.constants;
        let ref_wnd_ratio = self.ref_wnd_ratio();
        let mut scale = 1.0 - (ref_wnd_ratio - 0.1).clamp(0.0, 0.2);
        scale *= mss / (mss + PACKET_OVERHEAD);
        scale /= 1.2 + self.rate_adjust_factor + self.frame_size_dev;
        let target_bitrate = scale * 8.0 * self.ref_wnd / self.s_rtt;
        self.target_bitrate = target_bitrate.max(target_bitrate_min).min(target_bitrate_max);
    }

    /// `ref_wnd_ratio`: MSS by the reference window, at most 1.
    fn ref_wnd_ratio(&self) -> f64 {
        (self.constants.mss / self.ref_wnd).min(1.0)
    }

    /// A report arrives.
    pub fn on_feedback(&mut self, report: &Report, now_s: f64) {
        let acked = self.units.take(report, now_s);
        self.count(&acked, now_s);
        if acked.newest.is_some() {
            self.update_l4s_alpha(now_s);
            self.update_qdelay_avg(now_s);
        }
        let scl = self.reduce_ref_wnd(now_s);
        if now_s - self.round_began >= self.s_rtt {
            self.increase_ref_wnd(scl, now_s);
            self.end_round(now_s);
        }
        self.update_target_bitrate();
    }

    /// "Status Update on Receiving Feedback".
    fn count(&mut self, acked: &Acked, now_s: f64) {
        if let Some(newest) = &acked.newest {
            self.s_rtt = match self.s_rtt {
                0.0 => newest.rtt_s,
                s_rtt => (1.0 - RTT_ALPHA) * s_rtt + RTT_ALPHA * newest.rtt_s,
            };
            self.base_delay.update(newest.delay_s, now_s);
            self.qdelay = newest.delay_s - self.base_delay.get();
        }
        self.bytes_newly_acked += acked.bytes;
        self.bytes_newly_acked_ce += acked.ce_bytes;
        self.data_units_delivered_this_rtt += acked.units;
        self.data_units_marked_this_rtt += acked.ce_units;
        self.loss_detected |= acked.has_loss;
        self.had_loss_this_round |= acked.has_loss;
        self.data_units_marked |= acked.ce_units > 0.0;
        if acked.has_loss || acked.ce_units > 0.0 {
            self.last_congestion_detected_time = now_s;
        }
    }

    fn end_round(&mut self, now_s: f64) {
        self.round_began = now_s;
        self.max_bytes_in_flight_prev = self.max_bytes_in_flight;
        self.max_bytes_in_flight = self.bytes_in_flight();
        if self.constants.competing_flows_compensation {
            let bounds = (self.constants.qdelay_target_lo, self.constants.qdelay_target_hi);
            self.target.adjust(self.qdelay, self.had_loss_this_round, bounds);
        }
        self.had_loss_this_round = false;
    }
}

#[cfg(test)]
mod tests;
