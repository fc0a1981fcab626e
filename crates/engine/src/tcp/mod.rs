//! One-way TCP: what senders and receivers share, and the tables of variants.
//!
//! A sender is a [`connection::Connection`] (state and books), a [`crate::recovery::Recovery`] (what to send) and a
//! [`crate::cc::Law`] (how much).

pub mod acc_ecn;
pub mod ack;
pub mod config;
pub mod connection;
pub mod frto;
pub mod idle;
pub mod loss_board;
pub mod outside;
pub mod quick_start;
pub mod receive_window;
pub mod report;
pub mod rtt;
pub mod scoreboard;
pub mod segment;
pub mod segment_board;
pub mod sender;
pub mod sink;
pub mod sink_modern;
pub mod sink_sack;
pub mod timeout;
pub mod traced;
pub mod window;
pub mod xcp;

use crate::agent::Entry;
use crate::recovery::linux::Linux;
use crate::recovery::modern::Modern;
use crate::recovery::ns3::Ns3;
use crate::recovery::paced::Paced;
use crate::recovery::sack_rh::SackRh;
use crate::recovery::vegas::Vegas;
use crate::recovery::{
    fack::Fack, new_reno::NewReno, reno::Reno, reno::xcp::Xcp, rfc793edu::Rfc793Edu, sack::Sack, tahoe::Tahoe,
};
use sender::Sender;

pub use sink::SINKS;

/// Every TCP sender.
pub const VARIANTS: &[Entry] = &[
    Entry { id: "tahoe", about: "a loss starts slow start anew (Jacobson 1988)", make: Sender::<Tahoe>::make },
    Entry {
        id: "reno",
        about: "fast retransmit, fast recovery until the next new ACK (RFC 2001)",
        make: Sender::<Reno>::make,
    },
    Entry { id: "new_reno", about: "fast recovery through partial ACKs (RFC 3782)", make: Sender::<NewReno>::make },
    Entry {
        id: "sack",
        about: "fast recovery by SACK blocks and a pipe estimate (Fall and Floyd 1996, RFC 2018)",
        make: Sender::<Sack>::make,
    },
    Entry {
        id: "fack",
        about: "the most forward SACK block says what is in flight (Mathis and Mahdavi 1996)",
        make: Sender::<Fack>::make,
    },
    Entry {
        id: "reno_rbp",
        about: "Reno, which paces its first window after an idle time (Visweswaraiah and Heidemann 1997)",
        make: Sender::<Paced<Reno>>::make,
    },
    Entry {
        id: "vegas_rbp",
        about: "Vegas, which paces its first window after an idle time (Visweswaraiah and Heidemann 1997)",
        make: Sender::<Paced<Vegas>>::make,
    },
    Entry {
        id: "sack_rh",
        about: "halves its rate over a round trip (Mathis and others 1999)",
        make: Sender::<SackRh>::make,
    },
    Entry {
        id: "vegas",
        about: "a window that follows the delay (Brakmo and Peterson 1995)",
        make: Sender::<Vegas>::make,
    },
    Entry {
        id: "linux",
        about: "Linux's sender, with a congestion control by name (Linux 2.6.22)",
        make: Sender::<Linux>::make,
    },
    Entry {
        id: "modern",
        about: "today's sender: RACK-TLP, PRR, pacing, with a congestion control by name (RFC 8985, RFC 9937)",
        make: Sender::<Modern>::make,
    },
    Entry { id: "ns3", about: "a sender with a congestion control by name (ns-3.25)", make: Sender::<Ns3>::make },
    Entry {
        id: "rfc793edu",
        about: "RFC 793, with later inventions as options (Cela Diaz's teaching agent)",
        make: Sender::<Rfc793Edu>::make,
    },
    Entry {
        id: "xcp",
        about: "routers say by how much the rate changes (Katabi, Handley and Rohrs 2002)",
        make: Sender::<Xcp>::make,
    },
];
