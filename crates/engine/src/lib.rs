//! The ackclock engine: packet-level simulation of TCP congestion control and router queues.
//!
//! A [`sim::Simulation`] is a value. It has nodes, links, agents (transport endpoints) and applications (traffic
//! sources). The caller runs it, and gets control back at the times of its callbacks. The engine reads no file, clock
//! or environment, prints nothing, and starts no thread.
//!
//! # Modules, bottom up (ARCHITECTURE.md has the allowed dependencies; a test checks them)
//!
//! 1. [`time`], [`params`], [`registry`], [`packet`], [`random`]: times, named parameters, tables of variants, packets,
//!    random numbers.
//! 2. [`event`]: the event list and timers.
//! 3. [`queue`], [`loss`], [`measure`]: queue disciplines, error models, statistics and monitors.
//! 4. [`net`]: nodes, links, routing, LANs, and the path of a packet through them.
//! 5. [`transport`], [`app`]: TCP and other transports, traffic sources.
//! 6. [`invariants`]: run-time checks. [`sim`]: the whole simulation.
//!
//! # Order of events
//!
//! Events are handled in the order of (time, counter of insertion), as in ns-2. With equal links and drop-tail queues
//! the ties decide which packets are dropped. Many events are never inserted (see [`net::link`] and
//! [`event::timer`]), but they still take a counter.
//!
//! # Not modelled
//!
//! Payload bytes, checksums, fragmentation, medium access other than Ethernet.

// The derive macro of parameters names its types by the crate's full path.
extern crate self as ackclock_engine;

pub mod app;
pub mod event;
pub mod invariants;
pub mod loss;
pub mod math;
pub mod measure;
pub mod net;
pub mod packet;
pub mod params;
mod prefetch;
pub mod queue;
pub mod random;
pub mod registry;
pub mod sim;
pub mod time;
pub mod transport;
