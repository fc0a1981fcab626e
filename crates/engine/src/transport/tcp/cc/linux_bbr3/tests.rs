//! The kernel's numbers (google/bbr, v3), computed by hand.

use super::*;

fn path(now_s: f64, delivered: u64, in_flight: u32) -> Path {
    Path { now_s, delivered, in_flight, mss_bytes: 1448.0, srtt_s: 0.1, min_rtt_s: 0.1, ..Path::default() }
}

/// A sample of 100 packets at `per_s`.
fn rate(per_s: f64, prior_delivered: u64) -> Ack {
    let rate = Rate { per_s: Some(per_s), delivered: 100, prior_delivered, in_flight: 100, ..Rate::default() };
    Ack { delivered: 1, rtt_s: Some(0.1), rate: Some(rate), prior_in_flight: 10, ..Ack::default() }
}

fn started() -> (LinuxBbr3, Window) {
    let mut law = LinuxBbr3::default();
    let mut window = Window { cwnd: 10.0, ssthresh: f64::INFINITY, pacing_per_s: None, holds_back: false };
    law.start(&path(0.0, 0, 0), &mut window);
    (law, window)
}

/// In a phase of ProbeBW, with a bandwidth of 1000/s and a min RTT of 0.1 s.
fn in_phase(phase: Phase) -> (LinuxBbr3, Window) {
    let (mut law, mut window) = started();
    (law.mode, law.full_bw_reached, law.pacing_gain) = (Mode::ProbeBw(phase), true, UNIT);
    law.bw_hi = [16_777, 0];
    (law.probe_wait_us, window.cwnd, window.pacing_per_s) = (100_000_000, 200.0, Some(990.0));
    (law, window)
}

// The gains in 1/256: 277/100 + 1/256 = 710, 1000/2885 = 88 (0.34), 5/4 = 320, 91/100 = 232; windows of 2 and 2.25.
#[test]
fn the_gains_are_the_kernels() {
    let mut law = LinuxBbr3::default();
    let mut gains = |mode| {
        law.mode = mode;
        law.gains()
    };
    assert_eq!(gains(Mode::Startup), (710, 512));
    assert_eq!(gains(Mode::Drain), (88, 512));
    assert_eq!(gains(Mode::ProbeBw(Phase::Up)), (320, 576));
    assert_eq!(gains(Mode::ProbeBw(Phase::Down)), (232, 512));
    assert_eq!(gains(Mode::ProbeBw(Phase::Cruise)), (256, 512));
}

// bbr_init_pacing_rate_from_rtt: (1677 * 1448 * 710 >> 8) * 990000 >> 24 = 6734727 * 990000 >> 24 = 397406 bytes/s.
// Then a plateau of three rounds, and Drain at 88/256 of 1000/s less 1 %. The sample is rounded up, to 16778, and so is the BDP:
// 16778 * 100000 us / 2^24 = 100.005, so 101.
#[test]
fn start_up_drain_down() {
    let (mut law, mut window) = started();
    assert_eq!((window.pacing_per_s.unwrap() * 1448.0).floor(), 397_406.0);
    let mut delivered = 10;
    for per_s in [500.0, 1000.0, 1000.0, 1000.0] {
        law.on_ack(&rate(per_s, delivered), &path(0.1, delivered, 400), &mut window);
        assert_eq!(law.mode, Mode::Startup);
        delivered += 10;
    }
    law.on_ack(&rate(1000.0, delivered), &path(0.1, delivered, 400), &mut window);
    assert_eq!(law.mode, Mode::Drain);
    assert!((window.pacing_per_s.unwrap() - 1000.0 * (88.0 / 256.0) * 0.99).abs() < 1.0);
    law.on_ack(&rate(1000.0, delivered), &path(0.2, delivered + 1, 102), &mut window);
    assert_eq!(law.mode, Mode::Drain);
    law.on_ack(&rate(1000.0, delivered), &path(0.2, delivered + 2, 101), &mut window);
    assert_eq!(law.mode, Mode::ProbeBw(Phase::Cruise));
}

// bbr_check_full_bw_reached: a sample that is 25 % higher resets the count at any ACK, not only at the end of a round trip.
#[test]
fn a_higher_sample_resets_the_plateau_within_a_round_trip() {
    let (mut law, mut window) = started();
    (law.full_bw, law.full_bw_cnt, law.next_rtt_delivered) = (10_000, 2, 1000);
    law.on_ack(&rate(1000.0, 10), &path(0.1, 100, 50), &mut window);
    assert_eq!((law.full_bw, law.full_bw_cnt), (16_778, 0));
}

// bbr_inflight_hi_from_lost_skb: 200 in flight, the fifth lost. Of 199 the budget is (199 * 5 + 255) >> 8 = 4 packets, and 4 were
// lost before. Had 2 been lost before, 2 * 256 / 251 = 2 more would have fitted.
#[test]
fn a_probe_that_loses_too_much_bounds_the_volume() {
    let sent = |lost| Rate { lost, in_flight: 200, ..Rate::default() };
    assert_eq!(bounds::inflight_hi_from_lost_skb(&sent(5)), 199);
    assert_eq!(bounds::inflight_hi_from_lost_skb(&sent(3)), 201);
    let (mut law, mut window) = in_phase(Phase::Up);
    law.bw_probe_samples = true;
    // 200 * 5 >> 8 = 3 may be lost.
    law.on_loss(&sent(3), &path(1.0, 500, 200), &mut window);
    assert_eq!(law.mode, Mode::ProbeBw(Phase::Up));
    law.on_loss(&sent(5), &path(1.0, 500, 200), &mut window);
    assert_eq!((law.mode, law.inflight_hi), (Mode::ProbeBw(Phase::Down), 199));
    // 199 * 38 >> 8 = 29 are left for others.
    assert_eq!(law.inflight_with_headroom(), 170);
}

// bbr_adapt_lower_bounds: a loss while cruising leaves 180/256 of both bounds, or what was delivered: 16777 * 180 >> 8 =
// 11796, 200 * 180 >> 8 = 140.
#[test]
fn a_loss_while_cruising_bounds_the_rest_of_the_cycle() {
    let (mut law, mut window) = in_phase(Phase::Cruise);
    law.on_loss(&Rate { lost: 1, in_flight: 100, ..Rate::default() }, &path(1.0, 500, 100), &mut window);
    law.on_ack(&rate(600.0, 500), &path(1.1, 600, 100), &mut window);
    assert_eq!((law.bw_lo, law.inflight_lo), (11_796, 140));
    assert_eq!(window.cwnd, 140.0);
}

/// In CRUISE at 5 ms, where marks count.
fn low_latency() -> (LinuxBbr3, Window) {
    let (mut law, window) = in_phase(Phase::Cruise);
    (law.ecn_low, law.min_rtt_us, law.probe_rtt_min_us) = (true, 5000, 5000);
    (law, window)
}

// bbr_update_ecn_alpha: 240/256 of the average and 16/256 of the sample. From 1 with none of 100 marked: 240. Then
// bbr_ecn_lower_bounds: 256 - (240 * 85 >> 8) = 177; of a window of 200: 200 * 177 >> 8 = 138.
#[test]
fn marks_lower_the_volume_in_proportion() {
    let (mut law, mut window) = low_latency();
    law.loss_round_delivered = 1000;
    law.on_ack(&rate(1000.0, 0), &path(0.1, 100, 100), &mut window);
    assert_eq!((law.ecn_eligible, law.ecn_alpha), (true, 240));
    (law.loss_round_delivered, law.next_rtt_delivered) = (100, 1000);
    window.cwnd = 200.0;
    let marked = Ack { marked: 1, echoes_mark: true, ..rate(1000.0, 100) };
    law.on_ack(&marked, &path(0.2, 200, 100), &mut window);
    assert_eq!((law.inflight_lo, law.bw_lo), (138, UNSET));
}

// Without the route's feature, or above 5 ms, marks do not count (bbr_can_use_ecn, bbr_ecn_max_rtt_us).
#[test]
fn marks_count_only_at_low_latency() {
    for (ecn_low, min_rtt_us) in [(false, 5000), (true, 5001)] {
        let (mut law, mut window) = low_latency();
        (law.ecn_low, law.min_rtt_us, law.probe_rtt_min_us) = (ecn_low, min_rtt_us, min_rtt_us);
        let marked = Ack { marked: 1, echoes_mark: true, ..rate(1000.0, 100) };
        law.on_ack(&marked, &path(0.2, 200, 100), &mut window);
        assert_eq!((law.ecn_eligible, law.inflight_lo), (false, UNSET));
    }
}

// bbr_is_inflight_too_high: more than 100 * 128 >> 8 = 50 of 100 packets marked end UP; inflight_hi is what was in flight.
#[test]
fn many_marks_end_a_probe() {
    for (marked, phase) in [(50, Phase::Up), (51, Phase::Down)] {
        let (mut law, mut window) = low_latency();
        (law.mode, law.bw_probe_samples, law.ecn_eligible) = (Mode::ProbeBw(Phase::Up), true, true);
        law.next_rtt_delivered = 1000;
        let mut ack = rate(1000.0, 100);
        ack.rate = ack.rate.map(|rate| Rate { marked, ..rate });
        law.on_ack(&ack, &path(0.2, 200, 100), &mut window);
        assert_eq!(law.mode, Mode::ProbeBw(phase));
        assert_eq!(law.inflight_hi, if phase == Phase::Down { 100 } else { UNSET });
    }
}

// bbr_check_ecn_too_high_in_startup: two round trips in sequence with at least half of the packets marked.
#[test]
fn two_marked_round_trips_end_start_up() {
    let (mut law, mut window) = low_latency();
    (law.mode, law.full_bw_reached) = (Mode::Startup, false);
    let marked = Ack { marked: 50, echoes_mark: true, ..rate(1000.0, 0) };
    law.on_ack(&marked, &path(0.1, 100, 100), &mut window);
    assert!(!law.full_bw_reached);
    let marked = Ack { marked: 50, echoes_mark: true, ..rate(1500.0, 100) };
    law.on_ack(&marked, &path(0.2, 200, 100), &mut window);
    assert!(law.full_bw_reached);
}

// bbr_check_time_to_probe_bw: marks and no losses in the cycle; the next probe starts at half of inflight_hi, 2^6 of 200.
#[test]
fn a_probe_follows_when_marks_cease() {
    let (mut law, mut window) = low_latency();
    (law.ecn_eligible, law.ecn_in_cycle, law.inflight_hi) = (true, true, 200);
    law.next_rtt_delivered = 1000;
    law.on_ack(&rate(1000.0, 100), &path(0.2, 200, 100), &mut window);
    assert_eq!((law.mode, law.bw_probe_up_rounds), (Mode::ProbeBw(Phase::Refill), 6));
}

// bbr_undo_cwnd; bbr_set_state: after a timeout the window is restored when the recovery is over, after a fast recovery it
// was never cut.
#[test]
fn bounds_and_window_come_back() {
    let (mut law, mut window) = in_phase(Phase::Cruise);
    law.on_congestion_event(CongestionEvent::Loss, &path(1.0, 500, 100), &mut window);
    (law.bw_lo, law.inflight_lo) = (100, 50);
    law.on_spurious_loss(&path(1.1, 600, 100), &mut window);
    assert_eq!((law.bw_lo, law.inflight_lo, window.cwnd), (UNSET, UNSET, 200.0));
    law.on_congestion_event(CongestionEvent::Timeout, &path(2.0, 700, 0), &mut window);
    assert_eq!((window.cwnd, law.inflight_lo), (1.0, 200));
    law.on_recovery_exit(&path(2.1, 701, 0), &mut window);
    assert_eq!(window.cwnd, 200.0);
}
