//! A line of a trace about a packet.

use crate::columns::PacketEvent;

/// A packet event on a link, from one line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PacketLine {
    /// The event.
    pub event: PacketEvent,
    /// Time, s.
    pub time_s: f64,
    /// The node at the link's start.
    pub from_node: i32,
    /// The node at the link's end.
    pub to_node: i32,
    /// Packet type, as an index of the reader's [`Reader::kinds`](crate::read::ns2_trace::Reader::kinds).
    pub kind: u8,
    /// Size, bytes.
    pub size_bytes: i32,
    /// ns-2's flag letters, as an index of the reader's [`Reader::flags`](crate::read::ns2_trace::Reader::flags).
    pub flags: u8,
    /// The flow id.
    pub flow: i32,
    /// Source node and port.
    pub source: (i32, i32),
    /// Destination node and port.
    pub destination: (i32, i32),
    /// Sequence number, or -1.
    pub sequence: i64,
    /// Packet id.
    pub packet: i64,
    /// The TCP header columns, if present.
    pub header: Option<HeaderColumns>,
}

/// The last columns of a trace with `show_tcphdr_`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderColumns {
    /// The acknowledgement number.
    pub acknowledgement: i64,
    /// The header's flags, 0 for one-way TCP.
    pub flags: u8,
    /// Header length, bytes.
    pub header_bytes: i32,
}
