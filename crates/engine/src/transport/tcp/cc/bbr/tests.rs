//! Linux's numbers, computed by hand from net/ipv4/tcp_bbr.c (6.12).

use super::super::Rate;
use super::*;

/// A sample of `delivered` packets at `per_s`.
fn sample(per_s: f64, delivered: u64, prior_delivered: u64) -> Ack {
    let rate = Rate { per_s: Some(per_s), delivered, prior_delivered, ..Rate::default() };
    Ack { delivered: 1, rtt_s: Some(0.1), rate: Some(rate), prior_in_flight: 10, ..Ack::default() }
}

fn rate(per_s: f64, prior_delivered: u64) -> Ack {
    sample(per_s, 100, prior_delivered)
}

fn path(now_s: f64, delivered: u64, in_flight: u32) -> Path {
    Path { now_s, delivered, in_flight, mss_bytes: 1448.0, srtt_s: 0.1, min_rtt_s: 0.1, ..Path::default() }
}

fn started() -> (Bbr, Window) {
    let mut law = Bbr::default();
    let mut window = Window { cwnd: 10.0, ssthresh: f64::INFINITY, pacing_per_s: None, holds_back: false };
    law.start(&path(0.0, 0, 0), &mut window);
    (law, window)
}

/// A flow in ProbeBW with a bandwidth of 1000/s and a min RTT of 0.1 s.
fn cruising() -> (Bbr, Window) {
    let (mut law, mut window) = started();
    (law.mode, law.full_bw_reached, law.cycle_idx, law.pacing_gain) = (Mode::ProbeBw, true, 2, UNIT);
    law.bw.update(BW_RTTS, 0, (1000 * BW_UNIT / 1_000_000) as f64);
    window.pacing_per_s = Some(990.0);
    window.cwnd = 200.0;
    (law, window)
}

// bbr_init_pacing_rate_from_rtt: bw = 10 * 2^24 / 100000 us = 1677; the gain is 256 * 2885 / 1000 + 1 = 739. In bytes/s:
// (1677 * 1448 * 739 >> 8) * 990000 >> 24 = 7009807 * 990000 >> 24 = 413638.
// Three rounds without 25 % more end Startup. Drain lasts until the BDP is in flight: 1100/s is 18454 in packets/us
// times 2^24, times 0.1 s is ceil(109.99) = 110, with three bursts of two segments 116, which is even. The threshold is
// computed before the rate falls: 1100 * 1448 * 739 / 256 * 0.99 bytes/s are bursts of three segments, 119, so 120.
#[test]
fn a_plateau_ends_start_up() {
    let (mut law, mut window) = started();
    assert_eq!((window.pacing_per_s.unwrap() * 1448.0).floor(), 413_638.0);
    let mut delivered = 10;
    for per_s in [500.0, 1000.0, 1100.0, 1100.0] {
        law.on_ack(&rate(per_s, delivered), &path(0.1, delivered, 400), &mut window);
        assert_eq!(law.mode, Mode::Startup);
        delivered += 10;
    }
    law.on_ack(&rate(1100.0, delivered), &path(0.1, delivered, 400), &mut window);
    assert_eq!((law.mode, window.ssthresh), (Mode::Drain, 120.0));
    let drain_per_s = 1100.0 * (88.0 / 256.0) * 0.99;
    assert!((window.pacing_per_s.unwrap() - drain_per_s).abs() < 1.0);
    law.on_ack(&rate(1100.0, delivered), &path(0.2, delivered, 117), &mut window);
    assert_eq!(law.mode, Mode::Drain);
    law.on_ack(&rate(1100.0, delivered), &path(0.2, delivered, 116), &mut window);
    assert_eq!(law.mode, Mode::ProbeBw);
}

// bbr_set_pacing_rate: before the first RTT sample the rate is nominal, for 1 ms; the first sample replaces it.
#[test]
fn the_first_rtt_sample_replaces_the_nominal_rate() {
    let mut law = Bbr::default();
    let mut window = Window { cwnd: 10.0, ssthresh: f64::INFINITY, pacing_per_s: None, holds_back: false };
    let unknown = Path { srtt_s: 0.0, min_rtt_s: f64::INFINITY, ..path(0.0, 0, 0) };
    law.start(&unknown, &mut window);
    assert!((window.pacing_per_s.unwrap() - 28_578.0).abs() < 10.0);
    law.on_ack(&sample(10.0, 1, 0), &path(0.1, 1, 9), &mut window);
    assert!((window.pacing_per_s.unwrap() - 285.7).abs() < 1.0);
}

// bbr_pacing_gain; bbr_reset_probe_bw_mode: a cycle never begins with 3/4.
#[test]
fn a_cycle_has_eight_phases() {
    assert_eq!(PACING_GAIN, [320, 192, 256, 256, 256, 256, 256, 256]);
    let (mut law, _) = started();
    let begun: std::collections::BTreeSet<usize> = (0..200)
        .map(|_| {
            law.reset_probe_bw_mode();
            law.cycle_idx
        })
        .collect();
    assert_eq!(begun.into_iter().collect::<Vec<_>>(), [0, 2, 3, 4, 5, 6, 7]);
}

// bbr_quantization_budget: three bursts, then up to the next even number; two more in the phase of 5/4. At 990/s a burst is
// 1433520 >> 10 = 1399 bytes, so the min of two segments. 1000/s is 16777; times 0.101 s is ceil(100.9) = 101.
#[test]
fn the_window_is_even() {
    let (mut law, window) = cruising();
    (law.min_rtt_us, law.cycle_idx) = (101_000, 2);
    assert_eq!(law.inflight(law.max_bw(), UNIT, &path(0.0, 0, 0), &window), 108);
    law.cycle_idx = 0;
    assert_eq!(law.inflight(law.max_bw(), UNIT, &path(0.0, 0, 0), &window), 110);
}

// bbr_packets_in_net_at_edt: 10 ms before the next departure, 10 of 118 packets in flight will have left the network.
#[test]
fn pacing_counts_for_what_is_in_the_network() {
    let (law, window) = cruising();
    let path = Path { next_send_s: 1.010, ..path(1.0, 0, 0) };
    assert_eq!(law.packets_in_net_at_edt(118, &path, &window), 118 - 10 + 1);
}

// bbr_update_min_rtt: after 10 s without a shorter RTT, four packets for 200 ms and a round trip; then the window is restored.
// An equal sample does not renew the estimate. The mode changes before the window is saved, so the larger one is kept.
#[test]
fn the_round_trip_is_probed_every_ten_seconds() {
    let (mut law, mut window) = cruising();
    law.prior_cwnd = 250;
    law.on_ack(&rate(1000.0, 1), &path(9.9, 1000, 100), &mut window);
    assert_eq!(law.mode, Mode::ProbeBw);
    law.on_ack(&rate(1000.0, 1), &path(10.1, 1000, 100), &mut window);
    assert_eq!((law.mode, window.cwnd, window.holds_back), (Mode::ProbeRtt, 4.0, true));
    assert_eq!(law.prior_cwnd, 250);
    law.on_ack(&rate(1000.0, 1), &path(10.2, 1096, 4), &mut window);
    law.on_ack(&rate(1000.0, 1096), &path(10.3, 1100, 4), &mut window);
    assert_eq!(law.mode, Mode::ProbeRtt);
    law.on_ack(&rate(1000.0, 1100), &path(10.41, 1104, 4), &mut window);
    // The ACK that ends it still marks what is in flight as application-limited.
    assert_eq!((law.mode, window.holds_back), (Mode::ProbeBw, true));
    law.on_ack(&rate(1000.0, 1100), &path(10.42, 1105, 4), &mut window);
    assert!(!window.holds_back);
}

// bbr_set_cwnd_to_recover_or_restore: packet conservation in the first round of a recovery; afterwards the window is
// restored, up to the target of 2 * 100 + 6 = 206.
#[test]
fn a_recovery_conserves_packets_and_gives_the_window_back() {
    let (mut law, mut window) = cruising();
    assert_eq!(law.on_congestion_event(CongestionEvent::Loss, &path(1.0, 1000, 60), &mut window), Response::Own);
    law.on_state(CaState::Recovery, &path(1.0, 1000, 60), &mut window);
    assert_eq!(window.cwnd, 200.0);
    law.on_ack(&rate(1000.0, 900), &path(1.0, 1001, 60), &mut window);
    assert_eq!(window.cwnd, 61.0);
    law.on_state(CaState::Open, &path(1.2, 1100, 60), &mut window);
    law.on_ack(&rate(1000.0, 1001), &path(1.2, 1100, 60), &mut window);
    assert_eq!(window.cwnd, 201.0);
    law.on_congestion_event(CongestionEvent::Timeout, &path(2.0, 1100, 0), &mut window);
    assert_eq!(window.cwnd, 1.0);
}

// bbr_save_cwnd is not called for a timeout in a recovery: the window from before the recovery comes back.
#[test]
fn a_timeout_in_a_recovery_keeps_the_saved_window() {
    let (mut law, mut window) = cruising();
    law.on_congestion_event(CongestionEvent::Loss, &path(1.0, 1000, 60), &mut window);
    law.on_state(CaState::Recovery, &path(1.0, 1000, 60), &mut window);
    law.on_ack(&rate(1000.0, 900), &path(1.0, 1001, 60), &mut window);
    law.on_timeout_in_recovery(&path(1.5, 1001, 0), &mut window);
    law.on_state(CaState::Loss, &path(1.5, 1001, 0), &mut window);
    assert_eq!((law.prior_cwnd, law.full_bw, window.cwnd), (200, 0, 1.0));
    law.on_state(CaState::Open, &path(1.6, 1002, 0), &mut window);
    law.on_ack(&rate(1000.0, 900), &path(1.6, 1002, 0), &mut window);
    assert_eq!(window.cwnd, 201.0);
}

// bbr_update_ack_aggregation: at 1000/s (16777), 16777 * 10000 us >> 24 = 9 packets are expected in 10 ms. After 11 and 30
// in that time the excess is 32. It counts in the window once the pipe is full: 200 + 32 + 6 = 238.
#[test]
fn aggregated_acks_enlarge_the_window() {
    let (mut law, mut window) = cruising();
    window.cwnd = 300.0;
    law.aggregation.restart(1_000_000);
    law.aggregation.update(11, 1_000_000, law.max_bw(), 300, false, AckAggregation::WIN_RTTS);
    let many = Ack { delivered: 30, ..rate(1000.0, 1) };
    law.next_rtt_delivered = 2;
    law.on_ack(&many, &path(1.010, 1000, 100), &mut window);
    assert_eq!(law.aggregation.get(), 11 + 30 - 9);
    assert_eq!(window.cwnd, 238.0);
}

// bbr_lt_bw_sampling: two intervals of four round trips, each begun and ended by a loss, with 30 of 100 packets lost (at
// least 50/256) at 1000/s. Then that rate is used, at a pacing gain of 1, for 48 round trips.
#[test]
fn two_lossy_intervals_of_the_same_rate_mean_a_policer() {
    let (mut law, mut window) = cruising();
    law.bw.update(BW_RTTS, 0, (5000 * BW_UNIT / 1_000_000) as f64);
    let (mut now_s, mut delivered, mut lost) = (1.0, 1000, 0);
    let mut step = |law: &mut Bbr, window: &mut Window, losses: u32| {
        (now_s, delivered, lost) = (now_s + 0.1, delivered + 100, lost + u64::from(losses));
        let ack = Ack { lost: losses, ..rate(1000.0, delivered - 100) };
        law.on_ack(&ack, &Path { lost, ..path(now_s, delivered, 100) }, window);
    };
    step(&mut law, &mut window, 30);
    for _ in 0..2 {
        assert_eq!(law.lt_bw.get(), None);
        for _ in 0..3 {
            step(&mut law, &mut window, 0);
        }
        step(&mut law, &mut window, 120);
    }
    assert_eq!(law.lt_bw.get().map(|bw| kernel::per_s(bw).round()), Some(1000.0));
    assert_eq!(law.pacing_gain, UNIT);
    for round in 1..=48 {
        assert!(law.lt_bw.get().is_some(), "round {round}");
        step(&mut law, &mut window, 0);
    }
    assert_eq!(law.lt_bw.get(), None);
}
