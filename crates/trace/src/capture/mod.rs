//! Packet captures for Wireshark.

pub mod frames;
pub mod from_trace;
pub mod pcapng;
