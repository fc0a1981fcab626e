//! The ackclock engine: packet-level simulation of TCP congestion control and router queues.
//!
//! A [`sim::Simulation`] is a value. It has nodes, links, agents (the ends of conversations) and applications (who feed
//! them); it is run, and whoever drives it is called back at instants it asked for. Nothing here reads a file, a clock or
//! the environment, prints, or starts a thread.
//!
//! # Modules, from below (ARCHITECTURE.md has the allowed dependencies, and a test holds them)
//!
//! 1. [`time`], [`params`], [`packet`], [`random`]: instants, named parameters, packets, random numbers.
//! 2. [`event`]: the event list and timers.
//! 3. [`queue`], [`loss`], [`measure`]: which packet waits, goes on or is lost; what is counted.
//! 4. [`net`]: nodes, links, routing, LANs, and the path of a packet through them.
//! 5. [`transport`], [`app`]: who sends and receives, why, and how fast.
//! 6. [`invariants`]: what must hold. [`sim`]: all of it.
//!
//! # Order of events
//!
//! Events happen in the order of (time, counter of insertion), as in ns-2; with equal links and drop-tail queues it is
//! the ties that decide who is dropped. Many events are never inserted (see [`net::link`] and [`event::timer`]), but their
//! counters are taken all the same.
//!
//! # What is not modelled
//!
//! Bytes of payload, checksums, fragmentation, medium access other than Ethernet's.

pub mod app;
pub mod event;
pub mod invariants;
pub mod loss;
pub mod measure;
pub mod net;
pub mod packet;
pub mod params;
pub mod queue;
pub mod random;
pub mod sim;
pub mod time;
pub mod transport;
