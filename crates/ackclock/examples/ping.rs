//! Two endpoints of one's own in a network with a competing TCP flow: a request every 100 ms, and a reply to each.
//!
//!     cargo run --example ping

use std::time::Duration;

use ackclock::{Datagram, Flow, Link, Network};

/// Runs for five seconds of the network's time.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut network = Network::new().ends(Duration::from_secs(5));
    let (left, right) = (network.node("left"), network.node("right"));
    let bottleneck = Link::new(10e6, Duration::from_millis(20)).queue("drop_tail").param("limit", 100);
    let [there, _] = network.duplex(left, right, bottleneck);
    let cubic = network.flow(Flow::tcp(left, right).starts(Duration::from_secs(2)));
    let (client, server) = (network.endpoint(left), network.endpoint(right));
    let mut simulation = network.build()?;

    // The client's timer: the only state that an endpoint has here.
    let mut next_request = Duration::ZERO;
    while let Ok(now) = simulation.advance(next_request) {
        let delivered: Vec<_> = simulation.deliveries().collect();
        for datagram in delivered {
            if datagram.at == server {
                simulation.send(server, now, Datagram::new(client, datagram.payload))?;
            } else {
                let sent = Duration::from_nanos(u64::from_le_bytes(datagram.payload.try_into().expect("eight bytes")));
                println!("{:.3} s: round trip of {:.1} ms", now.as_secs_f64(), (now - sent).as_secs_f64() * 1e3);
            }
        }
        if now == next_request {
            next_request += Duration::from_millis(100);
            let payload = (now.as_nanos() as u64).to_le_bytes();
            if simulation.send(client, now, Datagram::new(server, payload)).is_err() {
                break; // the end
            }
        }
    }
    println!("the queue there: {:?}", simulation.link_report(there).queueing_delay);
    println!("CUBIC beside: {:.1} Mb/s", simulation.flow_report(cubic).goodput_bps / 1e6);
    Ok(())
}
