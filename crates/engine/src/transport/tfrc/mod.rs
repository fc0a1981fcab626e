//! TFRC, TCP-Friendly Rate Control: datagrams at a rate that is fair to TCP.
//!
//! The sender ([`sender`], parameters in [`config`]) sets the rate. The receiver ([`receiver`]) detects loss events
//! from its packet history ([`history`]) and averages the intervals between them ([`intervals`]). TCP's throughput
//! equation ([`equation`]) computes the rate from the loss event rate and the RTT ([`round_trip`]).

mod config;
mod equation;
mod history;
mod intervals;
mod receiver;
mod round_trip;
mod sender;

use crate::transport::agent::Entry;

/// TFRC's agents of the registry.
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
