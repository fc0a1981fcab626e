//! Trace points: where lines go, and what they name.

use ackclock_engine::packet::Address;

use crate::ns2::nam::{self, NamVariable};
use crate::ns2::packet_trace;
use crate::qlog::Qlog;
use crate::tables::Spot;

/// Index of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelId(pub u32);

/// A trace point for packets on a link.
#[derive(Clone, Copy, Debug, Default)]
pub struct PacketPlace {
    /// The event letter.
    pub op: u8,
    /// The start node of the link in its lines.
    pub from: i32,
    /// The end node of the link in its lines.
    pub to: i32,
    /// Output of ns-2's packet trace.
    pub trace: Option<ChannelId>,
    /// Output of nam's events.
    pub nam: Option<ChannelId>,
    /// Whether lines end with TCP header fields.
    pub shows_tcp_header: bool,
    /// Whether packets of SCTP have a line for each chunk.
    pub shows_chunks: bool,
    /// Whether the packet trace has the tagged format, which is nam's.
    pub is_tagged: bool,
    /// Whether the caller is told its lines in the packet trace's format ([`take_told`](crate::recorder::Recorder::take_told)).
    pub is_told: bool,
}

/// A trace point for an agent's variables.
#[derive(Clone, Debug)]
pub struct AgentPlace {
    /// Output channel.
    pub channel: ChannelId,
    /// Name of the variable in its lines.
    pub name: String,
    /// The agent's node and port.
    pub here: Address,
    /// The peer's node and port.
    pub peer: Address,
    /// Set for lines in nam's format.
    pub nam: Option<NamVariable>,
}

/// A trace point for a variable that ns-2's `Trace/Var` writes.
#[derive(Clone, Debug)]
pub struct VariablePlace {
    /// Output channel.
    pub channel: Option<ChannelId>,
    /// The object that has the variable.
    pub owner: String,
    /// Name of the variable.
    pub name: String,
}

/// A trace point for an agent's events.
#[derive(Clone, Copy, Debug)]
pub struct HappeningsPlace {
    /// Output of ns-2's event trace.
    pub trace: Option<ChannelId>,
    /// Output of nam's trace.
    pub nam: Option<ChannelId>,
    /// The agent's node and port.
    pub here: Address,
    /// The peer's node and port.
    pub peer: Address,
}

/// A trace point for a queue's length.
#[derive(Clone, Copy, Debug)]
pub struct LengthPlace {
    /// Output channel.
    pub channel: ChannelId,
    /// The start node of the link.
    pub from: i32,
    /// The end node of the link.
    pub to: i32,
}

/// A trace point.
pub(super) enum Place {
    Length(LengthPlace),
    Packets(PacketPlace, Option<Ends>),
    Agent(AgentPlace),
    Variable(VariablePlace),
    Queue(ChannelId),
    Happenings(HappeningsPlace),
    Remarks(ChannelId),
    Table(Spot),
    Capture(usize, u32),
    Connection(ChannelId, Box<Qlog>),
}

/// The nodes of a trace point, formatted for ns-2's packet trace and for nam.
pub(super) type Ends = (packet_trace::Ends, nam::Ends);
