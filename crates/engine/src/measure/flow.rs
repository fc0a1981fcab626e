//! Monitors of single flows, fed by a monitor of them all.
//!
//! Source: ns-2.35's `QueueMonitor/ED/Flowmon`, `QueueMonitor/ED/Flow` and the `Classifier/Hash` that tells flows apart.
//! What it decides: which monitor a packet counts for. A flow that nobody knows gets a monitor at its first packet, and
//! whoever drives the simulation is told of it and may put a monitor of its own in its place.

use std::collections::HashMap;

use crate::measure::monitor::{Flow, MonitorId};
use crate::packet::flow_key::Key;

/// What happens to a packet at a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// It arrives.
    Arrival,
    /// It leaves.
    Departure,
    /// It is lost.
    Drop,
    /// It is lost though the queue was not full.
    EarlyDrop,
    /// The police of its flow dropped it.
    PolicedDrop,
}

/// The monitors of single flows.
#[derive(Debug, Default)]
pub struct FlowTable {
    /// What makes packets one flow.
    pub key: Key,
    flows: HashMap<(i32, i32, i32), MonitorId>,
    fresh: Vec<(Flow, MonitorId)>,
}

impl FlowTable {
    /// An empty table.
    pub fn new(key: Key) -> FlowTable {
        FlowTable { key, ..FlowTable::default() }
    }

    /// The monitor of a flow.
    pub fn find(&self, src: i32, dst: i32, fid: i32) -> Option<MonitorId> {
        self.flows.get(&self.key.of(src, dst, fid)).copied()
    }

    /// From now on this monitor counts the flow; the one that did so far, if any.
    pub fn assign(&mut self, src: i32, dst: i32, fid: i32, monitor: MonitorId) -> Option<MonitorId> {
        self.flows.insert(self.key.of(src, dst, fid), monitor)
    }

    /// From now on nobody counts the flow; the monitor that did so far, if any.
    pub fn remove(&mut self, src: i32, dst: i32, fid: i32) -> Option<MonitorId> {
        self.flows.remove(&self.key.of(src, dst, fid))
    }

    /// A flow that nobody knew is met; this monitor counts it.
    pub fn meet(&mut self, flow: Flow, monitor: MonitorId) {
        self.assign(flow.src, flow.dst, flow.fid, monitor);
        self.fresh.push((flow, monitor));
    }

    /// Flows that were met first since the last call, in order, each with its monitor.
    pub fn take_fresh(&mut self) -> Vec<(Flow, MonitorId)> {
        std::mem::take(&mut self.fresh)
    }
}
