//! TFRC: datagrams at a rate that is fair to TCP.
//!
//! The sender ([`sender`], told by [`config`]) has the rate, the receiver ([`receiver`]) estimates loss events from what it
//! remembers of packets ([`history`]) as the average interval between them ([`intervals`]); TCP's throughput equation
//! ([`equation`]) makes a rate of that and of round trips ([`round_trip`]).

mod config;
mod equation;
mod history;
mod intervals;
mod receiver;
mod round_trip;
mod sender;

use crate::transport::agent::Entry;

/// Its agents of the table.
pub const AGENTS: &[Entry] = &[
    Entry {
        id: "tfrc",
        about: "datagrams at a rate that is fair to TCP (RFC 5348; ns-2.35's Agent/TFRC)",
        make: sender::Sender::make,
    },
    Entry {
        id: "tfrc_sink",
        about: "reports loss events to a TFRC sender (ns-2.35's Agent/TFRCSink)",
        make: receiver::Receiver::make,
    },
];
