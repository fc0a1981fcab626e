//! Hooks of a link: traces, monitors and error modules that see each packet at a point of the link.

use crate::measure::monitor::MonitorId;
use crate::measure::observe::TraceId;
use crate::net::ids::{ErrorsId, PartId};
use crate::net::quick_start::PortId;

/// A hook: sees each packet that passes a hook point of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hook {
    /// The observer traces the packet.
    Trace(TraceId),
    /// The caller is to hear that packets were traced.
    Tell,
    /// Nothing passes while the link is down.
    Gate,
    /// Packets wait here for the link's delayer. Only behind the queue ([`HookPoint::Dequeued`]), and once.
    Delayer,
    /// The link's statistics count the packet as offered at the head, as received at the far end.
    Count,
    /// A monitor counts an arrival.
    CountArrival(MonitorId),
    /// A monitor counts a departure.
    CountDeparture(MonitorId),
    /// A monitor counts a loss.
    CountDrop(MonitorId),
    /// A monitor counts a loss from a queue that was not full.
    CountEarlyDrop(MonitorId),
    /// A monitor counts a drop by the policer of a flow.
    CountPolicedDrop(MonitorId),
    /// An error module may take the packet out, hold it back or mark it.
    Errors(ErrorsId),
    /// A Quick-Start router processes rate requests, and measures the utilisation of the link.
    QuickStart(PortId),
    /// Multicast: the packet arrives over the interface with this label.
    Interface(i32),
    /// The link was taken apart: this part gets the packet ([`crate::net::link::parts`]).
    Part(PartId),
}

/// The points of a link where hooks can be, in the order in which a packet passes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookPoint {
    /// At the head, in front of the queue.
    Head,
    /// Between the queue and the transmitter.
    Dequeued,
    /// At the far end of the wire, before the TTL check.
    WireEnd,
    /// After the TTL check.
    Received,
    /// Sees lost packets.
    Dropped,
    /// Sees packets that the queue dropped before it was full. Without hooks here they pass [`HookPoint::Dropped`].
    DroppedEarly,
    /// Sees packets that the policer of their flow dropped. Without hooks here they are not reported.
    Policed,
    /// Where a node hands a packet to its port of a LAN, before the port's delay.
    Entry,
    /// Sees packets that a port of a LAN loses on the medium. Without hooks here they pass [`HookPoint::Dropped`].
    Collided,
}
