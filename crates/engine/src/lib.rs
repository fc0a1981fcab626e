//! The ackclock engine: packet-level simulation of TCP congestion control and router queues.
//!
//! A [`sim::Simulation`] is a value. It has nodes, links, agents (the ends of conversations) and applications (who feed
//! them); it is run, and whoever drives it is called back at instants it asked for. Nothing here reads a file, a clock or
//! the environment, prints, or starts a thread.
//!
//! # Layers, roughly from below (ARCHITECTURE.md has the arrows, and a test holds them)
//!
//! 1. [`units`], [`params`], [`packet`], [`header`], [`rng`], [`random_variable`]: instants, named parameters, packets, random
//!    numbers.
//! 2. [`event`], [`timer`]: what happens next.
//! 3. [`queue`], [`loss`], [`monitor`], [`flow`], [`tagger`]: which packet waits, goes or is lost; what is counted.
//! 4. [`link`], [`node`], [`routing`], [`hierarchy`], [`network`], [`counting`], [`delayer`], [`delays`], [`delay_box`],
//!    [`dynamics`], [`lan`], [`ethernet`], [`quick_start`]: the way of a packet, what is counted on it, links and nodes that
//!    hold packets back, links that fail, shared media, routers that agree to rates.
//! 5. [`agent`], [`tcp`], [`tcp_full`], [`tfrc`], [`rap`], [`datagram`], [`message`], [`courier`], [`reservation`],
//!    [`gateway`], [`app`], [`token_bucket`]: who sends and receives, and why, and how fast.
//! 6. [`invariants`]: what must hold. [`sim`]: all of it.
//!
//! # Order of events
//!
//! Events happen in the order of (time, counter of insertion), as in ns-2; with equal links and drop-tail queues it is
//! the ties that decide who is dropped. Many events are never inserted (see [`link`] and [`timer`]), but their counters
//! are taken all the same.
//!
//! # What is not modelled
//!
//! Bytes of payload, checksums, fragmentation, medium access other than Ethernet's.

pub mod agent;
pub mod app;
pub mod cc;
pub mod counting;
pub mod courier;
pub mod datagram;
pub mod delay_box;
pub mod delayer;
pub mod delays;
pub mod deliveries;
pub mod dynamics;
pub mod ethernet;
pub mod event;
pub mod exchange;
mod fetch;
pub mod flow;
pub mod flow_key;
pub mod gateway;
pub mod header;
pub mod hierarchy;
pub mod histogram;
pub mod invariants;
pub mod lan;
pub mod link;
pub mod loss;
pub mod message;
pub mod monitor;
pub mod network;
pub mod node;
pub mod observe;
pub mod opportunities;
pub mod pack_mime;
pub mod packet;
pub mod params;
pub mod queue;
pub mod quick_start;
pub mod random_variable;
pub mod rap;
pub mod recovery;
pub mod reservation;
pub mod rng;
pub mod routing;
pub mod shared;
pub mod sim;
pub mod tagger;
pub mod tcp;
pub mod tcp_full;
pub mod tfrc;
pub mod timer;
pub mod token_bucket;
pub mod units;
mod ways;
mod wire;
