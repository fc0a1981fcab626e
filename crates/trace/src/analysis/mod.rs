//! Trace analysis: the statistics that awk and perl scripts usually compute from a packet trace, per flow and link, in
//! total and over time.
//!
//! One pass processes the lines in order, with the additions and divisions that `docs/trace-tools.md` names. A script
//! with the same arithmetic in doubles gives the same digits. Memory grows with the number of flows, links and packets
//! in flight, not with the file size.

pub mod fast_hash;
#[cfg(feature = "arrow")]
pub mod queue;
#[cfg(feature = "arrow")]
pub mod series;
#[cfg(feature = "arrow")]
pub mod stats;
#[cfg(feature = "arrow")]
pub mod throughput;

use std::io::Read;

use crate::names::Names;
use crate::read::ns2_trace::{Reader, TraceError};
use crate::read::packet_line::PacketLine;

/// Selects the lines to analyse.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Only this flow id.
    pub flow: Option<i32>,
    /// Only packets of this type.
    pub kind: Option<String>,
    /// Only flows from or to this node, and links from or to it.
    pub node: Option<i32>,
    /// Only from this time on, s.
    pub start_s: Option<f64>,
    /// Only before this time, s.
    pub end_s: Option<f64>,
}

impl Filter {
    /// Whether a line is selected by flow id, packet type and time.
    #[inline]
    pub fn admits(&self, line: &PacketLine, kinds: &Names) -> bool {
        self.flow.is_none_or(|flow| line.flow == flow)
            && self.start_s.is_none_or(|start_s| line.time_s >= start_s)
            && self.end_s.is_none_or(|end_s| line.time_s < end_s)
            && self.kind.as_deref().is_none_or(|kind| kinds.word(line.kind) == kind)
    }

    /// Whether the packet's flow starts or ends at the node.
    #[inline]
    pub fn admits_flow(&self, line: &PacketLine) -> bool {
        self.node.is_none_or(|node| line.source.0 == node || line.destination.0 == node)
    }

    /// Whether the link leaves or enters the node.
    #[inline]
    pub fn admits_link(&self, line: &PacketLine) -> bool {
        self.node.is_none_or(|node| line.from_node == node || line.to_node == node)
    }
}

/// Reads to the end and calls `visit` for each line that the filter selects by flow id, packet type and time.
///
/// # Errors
/// Those of the reader.
pub fn each_line<R: Read>(
    reader: &mut Reader<R>,
    filter: &Filter,
    mut visit: impl FnMut(&PacketLine),
) -> Result<(), TraceError> {
    while let Some(line) = reader.next_line()? {
        if filter.admits(&line, reader.kinds()) {
            visit(&line);
        }
    }
    reader.expect_node_numbers()
}

/// Identifies a flow: the fields that its packets have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FlowKey {
    /// The flow id.
    pub flow: i32,
    /// Packet type, as the reader's number.
    pub kind: u8,
    /// Source node and port.
    pub source: (i32, i32),
    /// Destination node and port.
    pub destination: (i32, i32),
}

impl FlowKey {
    /// The flow of a line's packet.
    #[inline]
    pub fn of(line: &PacketLine) -> FlowKey {
        FlowKey { flow: line.flow, kind: line.kind, source: line.source, destination: line.destination }
    }

    /// Appends the columns that identify a flow; `kind` is the name of its packet type.
    pub fn name(&self, rows: &mut crate::columns::Rows, kind: &str) {
        rows.integer("flow", self.flow).word("kind", kind);
        rows.integer("source_node", self.source.0).integer("source_port", self.source.1);
        rows.integer("destination_node", self.destination.0).integer("destination_port", self.destination.1);
    }
}

/// Whether the line shows the sending of a packet: it enters the first queue of its path.
#[inline]
pub fn is_sent(line: &PacketLine) -> bool {
    line.event == crate::columns::PacketEvent::Enqueue && line.from_node == line.source.0
}

/// Whether a flow's packet arrives at its destination.
#[inline]
pub fn is_received(line: &PacketLine) -> bool {
    line.event == crate::columns::PacketEvent::Receive && line.to_node == line.destination.0
}
