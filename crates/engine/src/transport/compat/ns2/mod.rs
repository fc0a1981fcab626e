//! The TCP of ns-2.35: one-way senders (one file per variant), their window rules, their receivers, and two-way TCP
//! ([`full`]).

pub mod fack;
pub mod full;
pub mod new_reno;
pub mod paced;
pub mod reno;
pub mod rfc793edu;
pub mod sack;
pub mod sack_rh;
pub mod scoreboard;
pub mod sctp;
pub mod segment_scoreboard;
pub mod simple_tcp;
pub mod sink;
pub mod tahoe;
pub mod vegas;
pub mod window_law;
pub mod xcp;
