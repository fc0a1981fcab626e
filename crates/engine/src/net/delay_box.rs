//! The DelayBox of ns-2: a box at a node's ingress gives each flow its own delay, loss ratio and rate.
//!
//! Source: ns-2.35's `DelayBox` and `Tmix_DelayBox`, after dummynet (L. Rizzo, "Dummynet: a simple approach to the
//! evaluation of network protocols", CCR 27(1), 1997; ns-2's manual, "DelayBox").
//! What it decides: the delay, loss ratio and rate of a flow, drawn once when its SYN passes, and when each packet
//! leaves. A packet waits for its delay and for the transmission time of the packet before it at the flow's rate.
//! Departures: none. As in ns-2, a SYN is a packet of 40 bytes with number 0, and packets that the box loses appear
//! in no trace. A FIN that leaves the box ends the flow, and the packets that wait behind it are lost.
//! Not implemented: messages about single packets (`set-debug`).
//! Checked against: ns-2.35 (tests/oracle/ns2; its own suites delaybox, packmime and tmix).

use std::collections::{BTreeMap, VecDeque};

use crate::event::timer::TimerId;
pub use crate::net::ids::BoxId;
use crate::net::ids::NodeId;
use crate::packet::PacketId;
use crate::random::random_variable::VariableId;

/// The node a flow comes from, the node it goes to, and its flow id.
pub type FlowEnds = (i32, i32, i32);

/// The random variables for the flows between two nodes.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The delay, ms.
    pub delay_ms: VariableId,
    /// The loss ratio; `None` for no loss.
    pub loss: Option<VariableId>,
    /// The rate, Mbit/s; `None` for no limit.
    pub rate_mbps: Option<VariableId>,
}

/// The values that were drawn for a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Treatment {
    /// Delay of each packet, s.
    pub delay_s: f64,
    /// Loss ratio.
    pub loss: f64,
    /// Rate, bytes/s; 0 for no limit.
    pub bytes_per_s: f64,
}

/// A flow through a box.
pub(in crate::net) struct Flow {
    pub(in crate::net) place: BoxId,
    pub(in crate::net) ends: FlowEnds,
    pub(in crate::net) treatment: Treatment,
    /// Waiting packets, each with the time between the departure of the packet before it and its own, s.
    pub(in crate::net) waiting: VecDeque<(PacketId, f64)>,
    /// When the last waiting packet leaves, s; 0 if none waits.
    pub(in crate::net) last_goes_s: f64,
    pub(in crate::net) timer: TimerId,
}

/// A delay box.
pub struct DelayBox {
    pub(in crate::net) node: NodeId,
    pub(in crate::net) rules: BTreeMap<(i32, i32), Rule>,
    pub(in crate::net) flows: BTreeMap<FlowEnds, u32>,
    /// ACKs get the same treatment as the data of the opposite direction.
    pub is_symmetric: bool,
    /// No packet is lost, whatever loss ratio was drawn.
    pub is_lossless: bool,
    /// New flows are added to `met`.
    pub keeps_record: bool,
    /// New flows since the last read, with their delays, s.
    pub met: Vec<(FlowEnds, f64)>,
}

/// All delay boxes of a network.
#[derive(Default)]
pub struct DelayBoxes {
    pub(in crate::net) boxes: Vec<DelayBox>,
    pub(in crate::net) flows: Vec<Flow>,
    pub(in crate::net) free_flows: Vec<u32>,
}

impl DelayBoxes {
    /// Number of waiting packets.
    pub fn holds_packets(&self) -> usize {
        self.flows.iter().map(|flow| flow.waiting.len()).sum()
    }

    /// The box with this number, if it exists.
    pub fn get_mut(&mut self, id: BoxId) -> Option<&mut DelayBox> {
        self.boxes.get_mut(id.0 as usize)
    }

    /// The flows of a box and their treatments, sorted.
    pub fn flows_of(&self, id: BoxId) -> Vec<(FlowEnds, Treatment)> {
        let flows = self.boxes[id.0 as usize].flows.iter();
        flows.map(|(&ends, &flow)| (ends, self.flows[flow as usize].treatment)).collect()
    }
}

impl DelayBox {
    /// Sets the rule for later flows between two nodes.
    pub fn set_rule(&mut self, source: i32, destination: i32, rule: Rule) {
        self.rules.insert((source, destination), rule);
    }

    /// The pairs of nodes that have a rule, sorted.
    pub fn ruled(&self) -> Vec<(i32, i32)> {
        self.rules.keys().copied().collect()
    }

    pub(in crate::net) fn rule_for(&self, (source, destination, _): FlowEnds) -> Option<Rule> {
        let back = || self.rules.get(&(destination, source)).filter(|_| self.is_symmetric);
        self.rules.get(&(source, destination)).or_else(back).copied()
    }
}
