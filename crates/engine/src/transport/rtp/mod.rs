//! Media over RTP: data units at a rate that an encoder follows, and feedback by RTCP.
//!
//! The sender ([`sender`]) queues the data units of video frames, paces them and takes feedback. SCReAM ([`scream`])
//! decides about its window and its rate. The receiver ([`receiver`]) puts frames together again and sends RFC 8888's
//! feedback ([`feedback`]).

mod feedback;
pub mod overhead;
mod receiver;
mod scream;
mod sender;

use crate::transport::agent::Entry;

/// The agents of media over RTP.
pub const AGENTS: &[Entry] = &[
    Entry {
        id: "scream",
        about: "video over RTP at a rate by SCReAM version 2 (draft-ietf-ccwg-rfc8298bis-screamv2)",
        make: sender::Sender::make,
    },
    Entry {
        id: "rtp_receiver",
        about: "puts video frames together, and sends congestion control feedback by RTCP (RFC 8888)",
        make: receiver::Receiver::make,
    },
];
