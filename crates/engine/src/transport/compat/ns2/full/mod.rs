//! Two-way TCP, as ns-2.35's `Agent/TCP/FullTcp`: both ends send and receive, sequence numbers count bytes, and
//! connections are opened and closed.
//!
//! Source: K. Fall's `Agent/TCP/FullTcp` of ns-2.35 and its `Tahoe`, `Newreno` and `Sack`; it follows 4.4BSD's TCP.
//! What it decides: the handshake and its flags, the content of each segment (Nagle, delayed ACKs, FIN with the last
//! data), reassembly, and each variant's loss recovery.
//! Departures: the application is notified of data, of the empty buffer and of the end after the agent has processed
//! the packet, not during it.
//! Not implemented: `debug`'s messages.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).
//!
//! The parts shared with one-way TCP (window, RTT estimator, window cuts, traced variables) are in its
//! [`crate::transport::one_way::connection::Connection`]. Its sequence numbers count bytes here: `ack` is the first
//! byte not acknowledged, `maxseq` the first byte not sent.

mod acks;
mod agent;
mod dctcp;
mod exact_ecn;
mod input;
mod opening;
mod output;
mod reassembly;
mod recovery;
mod sack;
mod segment;
mod socket;

use crate::packet::PacketKind;
use crate::transport::agent::Entry;
use socket::{FullTcp, Variant};

/// All two-way TCP variants.
pub const VARIANTS: &[Entry] = &[
    Entry {
        id: "full",
        about: "two-way TCP with Reno's recovery",
        make: |id, net| FullTcp::make(Variant::Reno, id, net),
    },
    Entry {
        id: "full_tahoe",
        about: "two-way TCP; every loss restarts slow start",
        make: |id, net| FullTcp::make(Variant::Tahoe, id, net),
    },
    Entry {
        id: "full_new_reno",
        about: "two-way TCP; fast recovery through partial ACKs",
        make: |id, net| FullTcp::make(Variant::NewReno, id, net),
    },
    Entry {
        id: "full_xcp",
        about: "two-way TCP; as full_new_reno, and routers say by how much the rate changes (Katabi, Handley and Rohrs 2002)",
        make: |id, net| {
            let mut full = FullTcp::new(Variant::NewReno, id, net);
            full.tcp.end.kind = PacketKind::Xcp;
            full.xcp = Some(Box::default());
            Box::new(full)
        },
    },
    Entry {
        id: "full_sack",
        about: "two-way TCP; fast recovery by SACK blocks and a pipe estimate",
        make: |id, net| FullTcp::make(Variant::Sack, id, net),
    },
];
