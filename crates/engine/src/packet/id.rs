//! The index of a packet.

/// Index of a packet in its pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketId(pub u32);
