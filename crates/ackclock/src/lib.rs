//! A packet network in virtual time, as a library.
//!
//! You bring the endpoints: a QUIC stack, a TCP of your own, a game protocol, anything that takes and gives datagrams and
//! knows timers. The [`Simulation`] is the network between them: links with a rate, a delay and a queue discipline, losses,
//! ECN marks, and other flows that compete. It has no thread, no socket and no clock. The same program gives the same bytes
//! each time, and seconds of network time take milliseconds.
//!
//! # A first program
//!
//! Two endpoints, 10 Mb/s and 20 ms apart. A datagram of 1222 bytes has 1250 bytes on the wire, with its headers of IPv4
//! and UDP: it is sent in 1 ms and arrives 20 ms later.
//!
//! ```
//! use std::time::Duration;
//! use ackclock::{Datagram, Ecn, Link, Network};
//!
//! let mut network = Network::new();
//! let (client, server) = (network.node("client"), network.node("server"));
//! network.duplex(client, server, Link::new(10e6, Duration::from_millis(20)));
//! let (here, there) = (network.endpoint(client), network.endpoint(server));
//!
//! let mut simulation = network.build()?;
//! simulation.send(here, Duration::ZERO, Datagram::new(there, vec![0; 1222]).ecn(Ecn::Ect0))?;
//! let now = simulation.advance(Duration::from_secs(1))?;
//! assert_eq!(now, Duration::from_millis(21));
//! let arrived: Vec<_> = simulation.deliveries().collect();
//! assert_eq!((arrived[0].at, arrived[0].from, arrived[0].payload.len()), (there, here, 1222));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The loop
//!
//! [`Simulation::advance`] runs to the time that you give, or to the first delivery before it. So a program is a loop:
//! advance to the next timer of your endpoints, hand over what was delivered, let the timers expire that are due, and send
//! what the endpoints have to send. `examples/ping.rs` is such a loop, and the [guide] has QUIC stacks as
//! endpoints.
//!
//! # What competes
//!
//! [`Network::flow`] adds flows of the engine: today's TCP with any congestion control of the [registry](controls), or UDP
//! at a constant rate. [`Link::queue`] takes any queue discipline of the [registry](queues).
//!
//! ```
//! use std::time::Duration;
//! use ackclock::{Flow, Link, Network};
//!
//! let mut network = Network::new().seed(7);
//! let (left, right) = (network.node("left"), network.node("right"));
//! let bottleneck = Link::new(10e6, Duration::from_millis(10)).queue("fq_codel");
//! let [there, _] = network.duplex(left, right, bottleneck);
//! let cubic = network.flow(Flow::tcp(left, right).control("cubic"));
//! let mut simulation = network.build()?;
//! simulation.advance(Duration::from_secs(5))?;
//! assert!(simulation.flow_report(cubic).goodput_bps > 8e6);
//! assert!(simulation.link_report(there).queueing_delay.mean < Duration::from_millis(10));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A congestion control or a queue discipline of your own is a value of a type that implements [`Control`] or
//! [`Discipline`]; [`Flow::own_control`] and [`Link::own_queue`] take it.
//!
//! # Scenario files
//!
//! [`Network::from_scenario`] makes the network of a [scenario file] with all that it describes: topology, queues, flows,
//! changes. Your endpoints join it. [`Simulation::take_tables`] has the tables of `ackclock run`, and
//! [`Simulation::capture`] writes what an endpoint sends and gets for Wireshark.
//!
//! # Not modelled
//!
//! Fragmentation (a datagram above the MTU is an [`Error::TooLarge`]), checksums, Wi-Fi. Payload bytes are carried, not
//! changed.
//!
//! [scenario file]: https://github.com/ackclock/ackclock/blob/main/docs/guide/scenarios.md
//! [guide]: https://github.com/ackclock/ackclock/blob/main/docs/guide/library.md

mod assembly;
mod base;
mod capture;
mod datagram;
mod described;
mod error;
mod flow;
mod ids;
mod link;
mod network;
mod own_control;
mod report;
mod simulation;
mod times;

pub use ackclock_engine::packet::segment::EcnCodepoint as Ecn;
pub use ackclock_engine::params::Value;
pub use ackclock_engine::queue::Discipline;
pub use ackclock_engine::transport::tcp::cc::Control;
pub use ackclock_scenario::{Scenario, ScenarioError};
pub use ackclock_trace::columns::{Column, Table};
pub use datagram::{Datagram, Delivery};
pub use error::{BuildError, Error};
pub use flow::Flow;
pub use ids::{Endpoint, ExternalFlow, FlowId, LinkId, NodeId};
pub use link::{Link, Loss};
pub use network::Network;
pub use report::{Delays, EndpointReport, FlowReport, LinkReport};
pub use simulation::Simulation;

/// The engine: what [`Control`] and [`Discipline`] are written with.
pub use ackclock_engine as engine;

/// Ids and descriptions of the congestion controls.
pub fn controls() -> impl Iterator<Item = (&'static str, &'static str)> {
    ackclock_engine::transport::tcp::controls::entries()
}

/// Ids and descriptions of the queue disciplines.
pub fn queues() -> impl Iterator<Item = (&'static str, &'static str)> {
    ackclock_engine::queue::DISCIPLINES.iter().map(|entry| (entry.id, entry.about))
}

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
