//! One-way TCP, as in ns-2: data in one direction, ACKs in the other, sequence numbers that count packets.
//!
//! A [`sender::Sender`] is a [`connection::Connection`] (state and accounting) and a [`recovery::Recovery`] (what to
//! send).
//! Behaviour and parameters are those of ns-2's one-way senders; the variants differ in their recovery.

pub mod ack;
mod cold_state;
pub mod config;
pub mod connection;
pub mod external;
pub mod frto;
pub mod idle;
pub mod quick_start;
pub mod received;
pub mod recovery;
pub mod report;
pub mod rtt;
pub mod sack_history;
pub mod segment;
pub mod sender;
pub mod timeout;
pub mod traced;
pub mod window;
pub mod window_law;
