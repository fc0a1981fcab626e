//! What the usual awk and perl scripts computed from a packet trace: figures of flows and links, and their course over time.
//!
//! Everything is done in one pass, in the order of the lines, with the additions and divisions that `docs/trace-tools.md`
//! names, so that a script that does the same arithmetic in doubles has the same digits. Memory grows with the number of
//! flows and links and the packets under way, not with the file.

pub mod fast_hash;
pub mod queue;
pub mod series;
pub mod stats;
pub mod throughput;

use std::io::Read;

use crate::names::Names;
use crate::read::ns2_trace::{PacketLine, Reader, TraceError};

/// Which lines count.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Only this flow id.
    pub flow: Option<i32>,
    /// Only packets that carry this.
    pub kind: Option<String>,
    /// Only flows from or to this node, and links that leave or enter it.
    pub node: Option<i32>,
    /// Only from this time on, s.
    pub start_s: Option<f64>,
    /// Only before this time, s.
    pub end_s: Option<f64>,
}

impl Filter {
    /// Whether a line counts by its flow id, what it carries and its time.
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

/// Reads to the end and shows each line that counts, by flow id, kind and time, to `visit`.
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

/// Who sends what to whom: what makes packets one flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FlowKey {
    /// The flow id.
    pub flow: i32,
    /// What the packets carry, by the reader's number.
    pub kind: u8,
    /// Node and port they come from.
    pub source: (i32, i32),
    /// Node and port they go to.
    pub destination: (i32, i32),
}

impl FlowKey {
    /// The flow of a line's packet.
    #[inline]
    pub fn of(line: &PacketLine) -> FlowKey {
        FlowKey { flow: line.flow, kind: line.kind, source: line.source, destination: line.destination }
    }

    /// Appends the columns that name a flow; `kind` is the word for what its packets carry.
    pub fn name(&self, rows: &mut crate::columns::Rows, kind: &str) {
        rows.integer("flow", self.flow).word("kind", kind);
        rows.integer("source_node", self.source.0).integer("source_port", self.source.1);
        rows.integer("destination_node", self.destination.0).integer("destination_port", self.destination.1);
    }
}

/// Whether a flow's packet sets out: it comes to the first queue of its way.
#[inline]
pub fn is_sent(line: &PacketLine) -> bool {
    line.event == crate::columns::PacketEvent::Enqueue && line.from_node == line.source.0
}

/// Whether a flow's packet arrives at its destination.
#[inline]
pub fn is_received(line: &PacketLine) -> bool {
    line.event == crate::columns::PacketEvent::Receive && line.to_node == line.destination.0
}
