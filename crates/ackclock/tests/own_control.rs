//! Congestion controls of a program: what is of no use ends the simulation with an error that names the flow.

use std::time::Duration;

use ackclock::engine::transport::tcp::cc::{Ack, CongestionEvent, Path, Response, Window};
use ackclock::{Control, Error, Flow, Link, Network};

/// Sets what it is given, once an ACK comes.
struct Sets {
    cwnd: f64,
    ssthresh: f64,
    pacing_per_s: Option<f64>,
}

impl Control for Sets {
    fn on_ack(&mut self, _: &Ack, _: &Path, window: &mut Window) {
        (window.cwnd, window.ssthresh, window.pacing_per_s) = (self.cwnd, self.ssthresh, self.pacing_per_s);
    }

    fn on_congestion_event(&mut self, _: CongestionEvent, _: &Path, _: &mut Window) -> Response {
        Response::Own
    }
}

fn control(cwnd: f64, ssthresh: f64, pacing_per_s: Option<f64>) -> Box<dyn Control> {
    Box::new(Sets { cwnd, ssthresh, pacing_per_s })
}

type Make = fn() -> Box<dyn Control>;

/// Half a second of it.
fn run(make: Make) -> (Result<Duration, Error>, u64) {
    let mut network = Network::new();
    let (left, right) = (network.node("left"), network.node("right"));
    network.duplex(left, right, Link::new(10e6, Duration::from_millis(10)));
    let flow = network.flow(Flow::tcp(left, right).own_control(make));
    let mut simulation = network.build().unwrap();
    let end = Duration::from_millis(500);
    let result = simulation.advance(end);
    if result.is_err() {
        assert_eq!(simulation.advance(end), result, "the error is the same for ever");
    }
    (result, simulation.flow_report(flow).delivered_bytes)
}

#[test]
fn what_is_no_window_ends_the_simulation() {
    let cases: [(Make, &str); 5] = [
        (|| control(f64::NAN, 10.0, None), "the window is NaN packets; expected a positive number, at most 2^30"),
        (|| control(0.0, 10.0, None), "the window is 0 packets; expected a positive number, at most 2^30"),
        (|| control(f64::INFINITY, 10.0, None), "the window is inf packets; expected a positive number, at most 2^30"),
        (|| control(10.0, -1.0, None), "the threshold is -1 packets; expected a number that is not negative"),
        (|| control(10.0, 10.0, Some(0.0)), "the pacing rate is 0 packets/s; expected a positive number"),
    ];
    for (make, expected) in cases {
        let (result, _) = run(make);
        let Err(Error::Failed(message)) = result else { panic!("{result:?}") };
        let (place, what) = message.split_once(" s: ").unwrap();
        assert_eq!(what, expected);
        assert!(place.starts_with("flow 0, left -> right: its congestion control: on_ack at 0."), "{place}");
    }
}

// Ten segments of 1448 bytes in each round trip of 20 ms, the serialisation of ten packets aside: at most 24 of them.
#[test]
fn a_window_that_is_one_is_taken() {
    let (result, delivered_bytes) = run(|| control(10.0, 10.0, None));
    assert_eq!(result, Ok(Duration::from_millis(500)));
    assert!((200 * 1448..=240 * 1448).contains(&delivered_bytes), "{delivered_bytes}");
}
