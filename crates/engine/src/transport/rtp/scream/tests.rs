//! The draft's equations, computed by hand.

use super::*;
use crate::packet::segment::EcnCodepoint;
use crate::transport::rtp::feedback::Arrival;

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "expected {expected}, actual {found}");
}

/// A report of one data unit that arrived at this time.
fn report(seq: u64, at_s: f64, ecn: EcnCodepoint) -> Report {
    Report { begin_seq: seq as u16, units: vec![Some(Arrival { at_s, ecn })], timestamp_s: at_s }
}

/// After a round trip of 100 ms, half of it there, with a window of this size.
fn started(constants: Constants, ref_wnd: f64) -> Scream {
    let mut scream = Scream::new(constants);
    let seq = scream.on_sent(1000.0, 0.0);
    scream.on_feedback(&report(seq, 0.05, EcnCodepoint::NotEct), 0.1);
    scream.ref_wnd = ref_wnd;
    scream
}

/// 8 * ref_wnd / s_rtt = 1.6 Mb/s, times MSS / (MSS + 20), by 1.2; `ref_wnd_ratio` is 0.05, below 0.1.
#[test]
fn the_target_bitrate_is_the_window_by_the_rtt() {
    let mut scream = started(Constants { target_bitrate_max: 1e7, ..Constants::default() }, 20_000.0);
    scream.update_target_bitrate();
    close(scream.target_bitrate(), 1.6e6 * 1000.0 / 1020.0 / 1.2);
}

/// A window of 4 MSS: `ref_wnd_ratio` of 0.25 takes off 0.15.
#[test]
fn a_small_window_scales_the_target_down() {
    let mut scream = started(Constants { target_bitrate_min: 1e4, ..Constants::default() }, 4_000.0);
    scream.update_target_bitrate();
    close(scream.target_bitrate(), 0.85 * 1000.0 / 1020.0 / 1.2 * 8.0 * 4_000.0 / 0.1);
}

/// A queue of one frame period: (1 - 1/4) / 16 is added to the divisor of 1.2.
#[test]
fn a_media_queue_lowers_the_target() {
    let mut scream = started(Constants { target_bitrate_max: 1e7, ..Constants::default() }, 20_000.0);
    scream.update_target_bitrate();
    let nominal = scream.target_bitrate() * 0.04 / 8.0;
    scream.on_frame(nominal, 0.04, 0.04);
    close(scream.target_bitrate(), 1.6e6 * 1000.0 / 1020.0 / (1.2 + 0.75 / 16.0));
}

#[test]
fn the_send_window_has_the_overhead() {
    let mut scream = started(Constants::default(), 10_000.0);
    scream.on_sent(1000.0, 0.2);
    close(scream.send_wnd(), 29_000.0);
    scream.ref_wnd_delay_scale = 0.0;
    close(scream.send_wnd(), 14_000.0);
}

/// At half of the max bitrate the pacing has its headroom of 1.5 alone; at the max it is four times as fast.
#[test]
fn pacing_relaxes_near_the_max_bitrate() {
    let mut scream = started(Constants::default(), 10_000.0);
    scream.target_bitrate = 750_000.0;
    close(scream.t_pace(1000.0), 8000.0 / (750_000.0 * 1.5));
    scream.target_bitrate = 1_500_000.0;
    close(scream.t_pace(1000.0), 8000.0 / (1_500_000.0 * 1.5 * 4.0));
    scream.target_bitrate = 0.9 * 1_500_000.0;
    close(scream.t_pace(1000.0), 8000.0 * 0.5 / (0.9 * 1_500_000.0 * 1.5));
}

/// Two round trips of which the first data unit is missing: BETA_LOSS once, and not again within min(VIRTUAL_RTT, s_rtt).
#[test]
fn a_loss_takes_beta_loss_once_per_round_trip() {
    let mut scream = started(Constants::default(), 20_000.0);
    scream.loss_detected = true;
    scream.reduce_ref_wnd(0.5);
    close(scream.ref_wnd(), 14_000.0);
    scream.loss_detected = true;
    scream.reduce_ref_wnd(0.51);
    close(scream.ref_wnd(), 14_000.0);
    scream.reduce_ref_wnd(0.525);
    close(scream.ref_wnd(), 9_800.0);
}

#[test]
fn a_mark_takes_beta_ecn() {
    let mut scream = started(Constants::default(), 20_000.0);
    let seq = scream.on_sent(1000.0, 0.2);
    scream.round_began = 0.3;
    scream.on_feedback(&report(seq, 0.25, EcnCodepoint::Ce), 0.3);
    close(scream.ref_wnd(), 16_000.0);
}

/// L4S: a fraction of 1/2 gives alpha = 1/16, a backoff of 1/32, divided by s_rtt / VIRTUAL_RTT = 4. The window is far from
/// its last maximum (`scl_t` of 1), and the queue is empty.
#[test]
fn marks_in_l4s_mode_count_by_their_fraction() {
    let mut scream = started(Constants { l4s: true, ..Constants::default() }, 20_000.0);
    (scream.data_units_delivered_this_rtt, scream.data_units_marked_this_rtt) = (10.0, 5.0);
    scream.update_l4s_alpha(0.4);
    close(scream.l4s_alpha, 1.0 / 16.0);
    scream.data_units_marked = true;
    scream.reduce_ref_wnd(0.4);
    close(scream.ref_wnd(), 20_000.0 * (1.0 - 1.0 / 32.0 / 4.0));
    (scream.data_units_delivered_this_rtt, scream.data_units_marked_this_rtt) = (10.0, 0.0);
    scream.update_l4s_alpha(0.5);
    close(scream.l4s_alpha, 127.0 / 128.0 / 16.0);
}

/// A queue of 45 ms is half-way between half of the target of 60 ms and the target: a backoff of 1/4, by 4 for the RTT.
#[test]
fn a_queue_above_half_of_the_target_counts_as_marks() {
    let mut scream = started(Constants::default(), 20_000.0);
    scream.qdelay_avg = 0.045;
    scream.reduce_ref_wnd(0.5);
    close(scream.ref_wnd(), 20_000.0 * (1.0 - 0.25 / 4.0));
    scream.qdelay_avg = 0.029;
    scream.reduce_ref_wnd(0.6);
    close(scream.ref_wnd(), 20_000.0 * (1.0 - 0.25 / 4.0));
}

#[test]
fn the_queue_delay_rises_by_quarters_and_falls_at_once() {
    let mut scream = started(Constants::default(), 20_000.0);
    scream.qdelay = 0.04;
    scream.update_qdelay_avg(0.2);
    close(scream.qdelay_avg(), 0.01);
    scream.update_qdelay_avg(0.21);
    close(scream.qdelay_avg(), 0.01);
    scream.qdelay = 0.002;
    scream.update_qdelay_avg(0.3);
    close(scream.qdelay_avg(), 0.002);
}

/// A window of 20 MSS is acknowledged in an RTT of 100 ms, without congestion so far: one MSS, times 1 + 0.02 * 20 *
/// 5 s / (100 * 100 ms).
#[test]
fn a_round_trip_without_congestion_adds_an_mss_and_a_part_that_grows() {
    let mut scream = started(Constants { target_bitrate_max: 1e7, ..Constants::default() }, 20_000.0);
    (scream.bytes_newly_acked, scream.bytes_newly_acked_ce) = (20_000.0, 0.0);
    scream.max_bytes_in_flight = 20_000.0;
    scream.increase_ref_wnd(1.0, 5.0);
    close(scream.ref_wnd(), 20_000.0 + 1000.0 * 1.2);
    // Little in flight: at most MSS + 1.5 * 12 kB.
    (scream.max_bytes_in_flight, scream.max_bytes_in_flight_prev) = (12_000.0, 11_000.0);
    scream.bytes_newly_acked = 20_000.0;
    scream.increase_ref_wnd(1.0, 5.0);
    close(scream.ref_wnd(), 20_000.0 + 1000.0 * 1.2);
}

/// Near the last maximum: `scl_t` is (8 * 0.05)^2 = 0.16, and the growth at least a quarter.
#[test]
fn growth_is_slow_near_the_last_maximum() {
    let mut scream = started(Constants::default(), 21_000.0);
    scream.ref_wnd_i = 20_000.0;
    close(scream.reduce_ref_wnd(0.2), 0.16);
    scream.target_bitrate = 1e5;
    scream.bytes_newly_acked = 21_000.0;
    scream.max_bytes_in_flight = 30_000.0;
    scream.last_congestion_detected_time = 0.2;
    scream.increase_ref_wnd(0.16, 0.2);
    close(scream.ref_wnd(), 21_250.0);
}
