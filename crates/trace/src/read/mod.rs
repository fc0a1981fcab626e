//! Readers for ns-2's packet traces.

pub mod fields;
pub mod gunzip;
pub mod known_packets;
pub mod ns2_trace;
pub mod packet_line;
#[cfg(feature = "arrow")]
pub mod packet_table;
pub mod text;
