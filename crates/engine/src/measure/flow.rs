//! Per-flow monitors, updated by the monitor of a queue.
//!
//! Source: ns-2.35's `QueueMonitor/ED/Flowmon`, `QueueMonitor/ED/Flow` and `Classifier/Hash`, which maps packets to
//! flows.
//! What it decides: the monitor that counts a packet. The first packet of a new flow creates a monitor. The caller of
//! the simulation is notified, and may replace it by its own.

use std::collections::HashMap;

use crate::measure::monitor::{Flow, MonitorId};
use crate::packet::flow_key::Key;

/// An event of a packet at a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// It arrives.
    Arrival,
    /// It leaves.
    Departure,
    /// It is lost.
    Drop,
    /// It is dropped although the queue is not full.
    EarlyDrop,
    /// The policer of its flow drops it.
    PolicedDrop,
}

/// The monitors of flows.
#[derive(Debug, Default)]
pub struct FlowTable {
    /// Which packets belong to the same flow.
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

    /// Sets the monitor of a flow; returns the one before, if any.
    pub fn assign(&mut self, src: i32, dst: i32, fid: i32, monitor: MonitorId) -> Option<MonitorId> {
        self.flows.insert(self.key.of(src, dst, fid), monitor)
    }

    /// Removes the monitor of a flow and returns it, if any.
    pub fn remove(&mut self, src: i32, dst: i32, fid: i32) -> Option<MonitorId> {
        self.flows.remove(&self.key.of(src, dst, fid))
    }

    /// Adds a new flow and its monitor.
    pub fn meet(&mut self, flow: Flow, monitor: MonitorId) {
        self.assign(flow.src, flow.dst, flow.fid, monitor);
        self.fresh.push((flow, monitor));
    }

    /// The new flows since the last call, in order, each with its monitor.
    pub fn take_fresh(&mut self) -> Vec<(Flow, MonitorId)> {
        std::mem::take(&mut self.fresh)
    }
}
