//! The draft's values, computed by hand.

use super::*;

fn path(now_s: f64, delivered: u64, in_flight: u32) -> Path {
    Path { now_s, delivered, in_flight, mss_bytes: 1448.0, srtt_s: 0.1, min_rtt_s: 0.1, ..Path::default() }
}

fn rate(per_s: f64, prior_delivered: u64) -> Ack {
    let rate = Rate { per_s: Some(per_s), prior_delivered, delivered: 1, in_flight: 100, ..Rate::default() };
    Ack { delivered: 1, rtt_s: Some(0.1), rate: Some(rate), prior_in_flight: 10, ..Ack::default() }
}

fn started() -> (Bbr3, Window) {
    let mut law = Bbr3::default();
    let mut window = Window { cwnd: 10.0, ssthresh: f64::INFINITY, pacing_per_s: None, holds_back: false };
    law.start(&path(0.0, 0, 0), &mut window);
    (law, window)
}

// 5.6.2: StartupPacingGain * InitialCwnd / SRTT. 5.3.1.2: three rounds with less than 25 % growth. 5.3.2: Drain at half
// the bandwidth, less 1 %, until at most the BDP of 1000/s * 0.1 s is in flight. That also ends DOWN (5.3.3.1), so
// CRUISE begins.
#[test]
fn start_up_drain_cruise() {
    let (mut law, mut window) = started();
    assert!((window.pacing_per_s.unwrap() - 277.0).abs() < 1e-9);
    let mut delivered = 10;
    for per_s in [500.0, 1000.0, 1000.0, 1000.0] {
        law.on_ack(&rate(per_s, delivered), &path(0.1, delivered, 400), &mut window);
        assert_eq!(law.state, State::Startup);
        delivered += 10;
    }
    law.on_ack(&rate(1000.0, delivered), &path(0.1, delivered, 400), &mut window);
    assert_eq!(law.state, State::Drain);
    assert!((window.pacing_per_s.unwrap() - 495.0).abs() < 1e-9);
    law.on_ack(&rate(1000.0, delivered), &path(0.2, delivered + 1, 101), &mut window);
    assert_eq!(law.state, State::Drain);
    law.on_ack(&rate(1000.0, delivered), &path(0.2, delivered + 2, 100), &mut window);
    assert_eq!(law.state, State::ProbeBwCruise);
    assert!((window.pacing_per_s.unwrap() - 990.0).abs() < 1e-9);
    assert!((2.0..3.0).contains(&law.bw_probe_wait) && law.rounds_since_probe_up <= 1);
}

// 5.5.10.2: 200 in flight, five of them lost. The loss ratio crossed 2 % at 199 + (0.02 * 199 - 4) / 0.98.
#[test]
fn a_probe_that_loses_too_much_bounds_the_volume() {
    let (mut law, mut window) = started();
    (law.state, law.full_bw_reached, law.is_bw_probe_sample, law.bw) = (State::ProbeBwUp, true, true, 1000.0);
    let sent = |lost| Rate { lost, in_flight: 200, ..Rate::default() };
    window.cwnd = 200.0;
    law.on_loss(&sent(4), &path(1.0, 500, 200), &mut window);
    assert_eq!((law.state, law.inflight_longterm), (State::ProbeBwUp, f64::INFINITY));
    law.on_loss(&sent(5), &path(1.0, 500, 200), &mut window);
    assert_eq!(law.state, State::ProbeBwDown);
    assert!((law.inflight_longterm - (199.0 - 0.02 / 0.98)).abs() < 1e-6, "{}", law.inflight_longterm);
    assert!((law.inflight_with_headroom() - 0.85 * law.inflight_longterm).abs() < 1e-9);
}

// 5.5.10.3: a loss elsewhere bounds bandwidth and window by 0.7 of their values, or by what was delivered.
#[test]
fn a_loss_while_cruising_bounds_the_rest_of_the_cycle() {
    let (mut law, mut window) = started();
    (law.state, law.full_bw_reached, law.bw) = (State::ProbeBwCruise, true, 1000.0);
    law.max_bw_filter.update(1000.0);
    (law.bw_probe_wait, window.cwnd) = (10.0, 200.0);
    law.on_loss(&Rate { lost: 1, in_flight: 100, ..Rate::default() }, &path(1.0, 500, 100), &mut window);
    law.on_ack(&rate(600.0, 500), &path(1.1, 600, 100), &mut window);
    assert_eq!((law.bw_shortterm, law.inflight_shortterm), (700.0, 140.0));
    assert!((window.pacing_per_s.unwrap() - 693.0).abs() < 1e-9);
    assert_eq!(window.cwnd, 140.0);
    law.start_probe_bw_refill(&path(2.0, 700, 100));
    assert_eq!(law.bw_shortterm, f64::INFINITY);
}

// 5.3.4: after 5 s without a shorter RTT, half of the BDP for 200 ms, then CRUISE.
#[test]
fn the_round_trip_is_probed_every_five_seconds() {
    let (mut law, mut window) = started();
    (law.state, law.full_bw_reached, law.bw) = (State::ProbeBwCruise, true, 1000.0);
    law.max_bw_filter.update(1000.0);
    law.bw_probe_wait = 100.0;
    window.cwnd = 200.0;
    law.on_ack(&rate(1000.0, 1), &path(0.1, 100, 100), &mut window);
    law.on_ack(&rate(1000.0, 1), &path(5.0, 1000, 100), &mut window);
    assert_eq!(law.state, State::ProbeBwCruise);
    law.on_ack(&rate(1000.0, 1), &path(5.2, 1000, 100), &mut window);
    assert_eq!((law.state, window.cwnd, window.holds_back), (State::ProbeRtt, 50.0, true));
    law.on_ack(&rate(1000.0, 1), &path(5.3, 1050, 50), &mut window);
    law.on_ack(&rate(1000.0, 1050), &path(5.4, 1100, 50), &mut window);
    assert_eq!(law.state, State::ProbeRtt);
    law.on_ack(&rate(1000.0, 1100), &path(5.51, 1150, 50), &mut window);
    assert_eq!((law.state, window.holds_back), (State::ProbeBwCruise, false));
}

/// In UP with a bound of 200 packets, at 1000/s.
fn probing() -> (Bbr3, Window) {
    let (mut law, mut window) = started();
    (law.state, law.full_bw_reached, law.is_bw_probe_sample, law.bw) = (State::ProbeBwUp, true, true, 1000.0);
    law.max_bw_filter.update(1000.0);
    (law.bw_probe_wait, window.cwnd) = (100.0, 200.0);
    (law, window)
}

// 2.2: C.is_cwnd_limited needs a window that was fully utilized. With half of it used, the plateau ends UP (5.3.3.9,
// IsTimeToGoDown); with all of it used, the bound may hide more bandwidth, and UP goes on.
#[test]
fn a_window_that_is_half_used_does_not_prolong_the_probe() {
    for (is_cwnd_full, state) in [(false, State::ProbeBwDown), (true, State::ProbeBwUp)] {
        let (mut law, mut window) = probing();
        (law.full_bw_now, law.inflight_longterm) = (true, 200.0);
        let path = Path { is_limited: true, is_cwnd_full, ..path(1.0, 500, 100) };
        law.on_ack(&rate(1000.0, 0), &path, &mut window);
        assert_eq!(law.state, state);
    }
}

// 5.5.11: a spurious recovery that had ended UP returns to REFILL, and to the bound from before it. Two losses are noted before
// the sender enters the recovery, and the first one has ended UP.
#[test]
fn a_spurious_recovery_resumes_the_probe() {
    let (mut law, mut window) = probing();
    let sent = |lost| Rate { lost, in_flight: 200, ..Rate::default() };
    law.on_loss(&sent(5), &path(1.0, 500, 195), &mut window);
    assert_eq!(law.state, State::ProbeBwDown);
    assert!(law.inflight_longterm < 200.0);
    law.on_loss(&sent(6), &path(1.0, 500, 194), &mut window);
    law.on_congestion_event(CongestionEvent::Loss, &path(1.0, 500, 194), &mut window);
    law.on_spurious_loss(&path(1.1, 600, 100), &mut window);
    assert_eq!((law.state, law.inflight_longterm), (State::ProbeBwRefill, f64::INFINITY));
    assert_eq!((law.saves, law.undos), (1, 1));
}

// 5.6.4.4, OnEnterRTO: the state is saved at every entry into RTO recovery, also from a fast recovery. A repeated timeout
// is no new entry.
#[test]
fn a_timeout_in_a_recovery_saves_the_state_again() {
    let (mut law, mut window) = probing();
    law.on_congestion_event(CongestionEvent::Loss, &path(1.0, 500, 100), &mut window);
    assert_eq!(law.undo_bw_shortterm, f64::INFINITY);
    (law.bw_shortterm, window.cwnd) = (700.0, 1.0);
    law.on_timeout_in_recovery(&path(2.0, 500, 0), &mut window);
    assert_eq!((law.undo_bw_shortterm, law.prior_cwnd), (700.0, 200.0));
    law.bw_shortterm = 490.0;
    law.on_timeout_in_recovery(&path(3.0, 500, 0), &mut window);
    assert_eq!(law.undo_bw_shortterm, 700.0);
}

// 5.5.6: the window covers the present cycle and the one before; time advances without samples too. The max is that of the
// last update.
#[test]
fn the_max_bandwidth_is_that_of_two_cycles() {
    let mut filter = MaxBwFilter::default();
    let mut next = |sample: Option<f64>| {
        if let Some(sample) = sample {
            filter.update(sample);
        }
        let max = filter.get();
        filter.advance();
        max
    };
    assert_eq!(next(Some(100.0)), 100.0);
    assert_eq!(next(Some(50.0)), 100.0);
    assert_eq!(next(Some(40.0)), 50.0);
    assert_eq!(next(None), 50.0);
    assert_eq!(next(Some(10.0)), 10.0);
}

// 5.3.4.3: EnterProbeRTT changes the state before SaveCwnd, which then keeps the larger window (5.6.4.4).
#[test]
fn probe_rtt_keeps_the_larger_saved_window() {
    let (mut law, mut window) = probing();
    law.state = State::ProbeBwCruise;
    (law.prior_cwnd, law.min_rtt) = (250.0, 0.1);
    law.on_ack(&rate(1000.0, 0), &path(5.2, 1000, 100), &mut window);
    assert_eq!((law.state, law.prior_cwnd), (State::ProbeRtt, 250.0));
}

// 5.3.4.3: only a shorter RTT postpones ProbeRTT. One that differs by rounding is not shorter.
#[test]
fn rounding_does_not_postpone_probe_rtt() {
    let (mut law, mut window) = probing();
    law.state = State::ProbeBwCruise;
    for (now_s, rtt_s) in [(0.1, 0.1), (3.0, 0.1 - 1e-15), (5.2, 0.1)] {
        let ack = Ack { rtt_s: Some(rtt_s), ..rate(1000.0, 0) };
        law.on_ack(&ack, &path(now_s, 1000, 100), &mut window);
    }
    assert_eq!(law.state, State::ProbeRtt);
}

/// Whether Startup ends after a round trip of recovery in which these packets of 100 were lost.
fn startup_ends(lost: &[u64], lacks_sack: bool) -> bool {
    startup_ends_after_segments(lost, 1, lacks_sack)
}

/// The same, where each lost segment has this many packets.
fn startup_ends_after_segments(lost: &[u64], packets: u64, lacks_sack: bool) -> bool {
    let (mut law, mut window) = started();
    let at = |now_s, delivered| Path { lacks_sack, ..path(now_s, delivered, 100) };
    for (number, &seqno) in lost.iter().enumerate() {
        let lost = packets * (number as u64 + 1);
        let sent = Rate { lost, in_flight: 100, seqno, end_seqno: seqno + packets, ..Rate::default() };
        law.on_loss(&sent, &at(1.0, 500), &mut window);
    }
    law.on_congestion_event(CongestionEvent::Loss, &at(1.0, 500), &mut window);
    let mut ack = rate(1000.0, 500);
    ack.rate = ack.rate.map(|rate| Rate { lost: packets * lost.len() as u64, ..rate });
    law.on_ack(&ack, &at(1.1, 600), &mut window);
    law.state != State::Startup
}

// 5.3.1.3: six discontiguous sequence ranges, and more than 2 % lost; without SACK any loss in fast recovery.
#[test]
fn startup_ends_after_six_lost_ranges() {
    assert!(startup_ends(&[10, 12, 14, 16, 18, 20], false));
    assert!(!startup_ends(&[10, 11, 12, 13, 14, 15, 16, 17], false));
    assert!(!startup_ends(&[10, 12, 14, 16, 18], false));
    assert!(startup_ends(&[10], true) && !startup_ends(&[], true));
    // Segments of two packets, one behind the other, are one range; with gaps they are six.
    assert!(!startup_ends_after_segments(&[10, 12, 14, 16, 18, 20, 22], 2, false));
    assert!(startup_ends_after_segments(&[10, 13, 16, 19, 22, 25], 2, false));
}

// 5.5.10.2: without SACK, any loss in a probe means too much data in flight.
#[test]
fn without_sack_one_loss_ends_the_probe() {
    let (mut law, mut window) = probing();
    let path = Path { lacks_sack: true, ..path(1.0, 500, 199) };
    law.on_loss(&Rate { lost: 1, in_flight: 200, ..Rate::default() }, &path, &mut window);
    assert_eq!(law.state, State::ProbeBwDown);
}

// 5.6.2: the initial rate is that of the initial window in the first RTT sample, 277/s for ten packets in 0.1 s.
#[test]
fn the_first_rtt_sample_replaces_the_nominal_rate() {
    let mut law = Bbr3::default();
    let mut window = Window { cwnd: 10.0, ssthresh: f64::INFINITY, pacing_per_s: None, holds_back: false };
    law.start(&Path { srtt_s: 0.0, ..path(0.0, 0, 0) }, &mut window);
    assert!((window.pacing_per_s.unwrap() - 27_700.0).abs() < 1e-6);
    law.on_ack(&rate(10.0, 0), &path(0.1, 1, 9), &mut window);
    assert!((window.pacing_per_s.unwrap() - 277.0).abs() < 1e-9);
}

// 3.7: a sender of ECT must treat CE as congestion. The draft defines no response, so ECN is refused.
#[test]
fn marks_are_not_answered() {
    assert!(!started().0.answers_marks());
}
