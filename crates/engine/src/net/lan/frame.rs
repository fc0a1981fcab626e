//! Frames: packets on a shared medium.

use crate::net::ids::LinkId;
use crate::packet::PacketId;

/// The addressed receiver of a packet on a medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiver {
    /// Every port.
    All,
    /// One port.
    Port(LinkId),
}

/// A packet on the medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The packet.
    pub packet: PacketId,
    /// Its receiver.
    pub to: Receiver,
    /// Padding up to the minimum frame size, bytes.
    pub padding: i32,
}
