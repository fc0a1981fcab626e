//! SCTP, as ns-2.35's `Agent/SCTP`: both ends of an association, with one or several addresses each.
//!
//! Source: RFC 4960 (RFC 2960 with its implementer's guide), RFC 3758 for unreliable streams; `Agent/SCTP` of ns-2.35 by
//! A. Caro and J. Iyengar, and its extensions.
//! What it decides: the handshake, the contents of each packet, when SACKs are sent, the congestion window of each
//! destination, retransmissions and the destination that they go to, heartbeats, the failure of destinations.
//! Departures: none from ns-2. From the RFCs as there: TSNs begin at 1, chunks have no verification tags, data and SACKs
//! are not bundled, the association ends without SHUTDOWN, and messages are cut instead of fragmented.
//! Not implemented: `debugMask_`'s messages.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

mod agent;
mod association;
mod cmt;
mod cmt_state;
mod delivery;
mod destination;
mod gap_blocks;
mod handshake;
mod heartbeat;
mod input;
mod lines;
mod output;
mod paths;
mod receiver;
mod retransmit;
mod sack;
mod send_buffer;
mod settings;
mod timeout;
mod traced;
mod unacknowledged;

use crate::transport::agent::Entry;
use association::{Extensions, Sctp};

/// The SCTP agents of the registry.
pub const AGENTS: &[Entry] = &[
    Entry {
        id: "sctp",
        about: "SCTP, one-homed or multi-homed (RFC 4960)",
        make: |id, net| Sctp::make(Extensions::default(), id, net),
    },
    Entry {
        id: "sctp_hb_after_rto",
        about: "SCTP; a heartbeat follows each timeout (Caro and others 2004)",
        make: |id, net| Sctp::make(Extensions { heartbeats_after_timeout: true, ..Extensions::default() }, id, net),
    },
    Entry {
        id: "sctp_multiple_fast_rtx",
        about: "SCTP; a chunk may be fast retransmitted more than once (Caro and others 2004)",
        make: |id, net| Sctp::make(Extensions { retransmits_again: true, ..Extensions::default() }, id, net),
    },
    Entry {
        id: "sctp_mfr_hb_after_rto",
        about: "SCTP; as sctp_multiple_fast_rtx and sctp_hb_after_rto",
        make: |id, net| {
            let both = Extensions { retransmits_again: true, heartbeats_after_timeout: true, ..Extensions::default() };
            Sctp::make(both, id, net)
        },
    },
    Entry {
        id: "sctp_timestamp",
        about: "SCTP; packets carry timestamps for round-trip samples (Caro and others 2004)",
        make: |id, net| Sctp::make(Extensions { has_timestamps: true, ..Extensions::default() }, id, net),
    },
    Entry {
        id: "sctp_cmt",
        about: "SCTP over all paths at once (Iyengar, Amer and Stewart 2006)",
        make: |id, net| Sctp::make(Extensions { is_multipath: true, ..Extensions::default() }, id, net),
    },
    Entry {
        id: "sctp_mfr_timestamp",
        about: "SCTP; as sctp_multiple_fast_rtx and sctp_timestamp",
        make: |id, net| {
            let both = Extensions { retransmits_again: true, has_timestamps: true, ..Extensions::default() };
            Sctp::make(both, id, net)
        },
    },
];
