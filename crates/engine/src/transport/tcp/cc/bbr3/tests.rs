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
    (law.state, law.full_bw_reached, law.bw, law.max_bw_filter) =
        (State::ProbeBwCruise, true, 1000.0, [1000.0, 1000.0]);
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
    (law.state, law.full_bw_reached, law.bw, law.max_bw_filter) =
        (State::ProbeBwCruise, true, 1000.0, [1000.0, 1000.0]);
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
