//! The parts of links that were taken apart: connectors that each name the part that follows.
//!
//! Source: ns-2.35's `Connector` (`target`, `drop-target`) and the classes derived from it, of which it makes a link.
//! A link that nobody takes apart has no parts here; its hooks ([`super::Hook`]) do the same at less cost.

use crate::measure::flow::Count;
use crate::measure::monitor::MonitorId;
use crate::measure::observe::TraceId;
use crate::net::ids::{AgentId, ErrorsId, LinkId, NodeId, PartId};

/// What a part does with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Passes it on.
    Connector,
    /// Traces it. Without a part behind it, the packet ends here.
    Trace(TraceId),
    /// Counts it in a monitor.
    Count(Count, MonitorId),
    /// Drops it while the link is down.
    Gate(LinkId),
    /// Drops it: a gate on no link, which is closed.
    ClosedGate,
    /// An error model drops it, holds it back or marks it. Without a part behind it, the packet ends here.
    ErrorModel(ErrorsId),
    /// Likewise for an error module of several models.
    ErrorModule(ErrorsId),
    /// The link's queue.
    Queue(LinkId),
    /// The link's transmitter and wire.
    Wire(LinkId),
    /// Counts hops down, and drops packets that may make none.
    HopLimit,
    /// A node.
    Node(NodeId),
    /// An agent, whatever the packet's address.
    Agent(AgentId),
    /// Discards it.
    Discard,
}

impl Part {
    /// ns-2's class.
    pub(in crate::net) fn class_name(self) -> &'static str {
        match self {
            Part::Connector => "Connector",
            Part::Trace(_) => "Trace",
            Part::Count(..) => "SnoopQueue",
            Part::Gate(_) | Part::ClosedGate => "DynamicLink",
            Part::ErrorModel(_) => "ErrorModel",
            Part::ErrorModule(_) => "ErrorModule",
            Part::Queue(_) => "Queue",
            Part::Wire(_) => "DelayLink",
            Part::HopLimit => "TTLChecker",
            Part::Node(_) => "Node",
            Part::Agent(_) | Part::Discard => "Agent",
        }
    }

    /// Whether ns-2 goes on with a packet that leaves the part and has no part to go to.
    pub(in crate::net) fn may_be_last(self) -> bool {
        matches!(self, Part::Trace(_) | Part::ErrorModel(_))
    }
}

/// A part and its neighbours.
#[derive(Clone, Copy, Debug)]
pub struct Connected {
    /// What it does.
    pub part: Part,
    /// The part that gets the packets.
    pub target: Option<PartId>,
    /// The part that gets the packets that are dropped here. Without one they are freed.
    pub drop_target: Option<PartId>,
}

/// All parts by number.
#[derive(Debug, Default)]
pub struct Parts {
    parts: Vec<Connected>,
    /// What followed a wire earlier, for packets sent then: the part, the last counter of that time, what followed.
    former: Vec<(PartId, u64, Option<PartId>)>,
    /// How many walks of packets through parts have begun inside one another and not ended.
    pub(in crate::net) nested: u32,
}

impl Parts {
    /// Adds a part without neighbours.
    pub fn add(&mut self, part: Part) -> PartId {
        self.parts.push(Connected { part, target: None, drop_target: None });
        PartId(self.parts.len() as u32 - 1)
    }

    /// Whether there is such a part.
    pub fn has(&self, part: PartId) -> bool {
        (part.0 as usize) < self.parts.len()
    }

    /// A part and its neighbours.
    pub fn get(&self, part: PartId) -> Connected {
        self.parts[part.0 as usize]
    }

    /// Sets what a part does.
    pub fn replace(&mut self, part: PartId, with: Part) {
        self.parts[part.0 as usize].part = with;
    }

    /// Sets the part that gets the packets. `counter`: the last counter taken, if packets on the wire stay on their path.
    pub(in crate::net) fn set_target(&mut self, part: PartId, target: Option<PartId>, counter: Option<u64>) {
        let connected = &mut self.parts[part.0 as usize];
        // Before the link was taken apart, packets on the wire had the same path.
        if let Some(counter) = counter
            && connected.target.is_some()
        {
            self.former.push((part, counter, connected.target));
        }
        connected.target = target;
    }

    /// Sets the part that gets the dropped packets.
    pub fn set_drop_target(&mut self, part: PartId, target: Option<PartId>) {
        self.parts[part.0 as usize].drop_target = target;
    }

    /// The part behind a wire for a packet whose arrival has this counter.
    pub(in crate::net) fn behind_wire(&self, wire: PartId, counter: u64) -> Option<PartId> {
        let known = self.former.iter().find(|(part, last, _)| *part == wire && counter <= *last);
        known.map_or(self.get(wire).target, |(_, _, target)| *target)
    }
}
