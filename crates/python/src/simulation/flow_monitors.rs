//! Monitors of single flows.

use ackclock_engine::measure::flow::FlowTable;
use ackclock_engine::measure::monitor::MonitorId;
use ackclock_engine::measure::monitor::{Monitor, TableId};
use ackclock_engine::measure::tagger::Tagger;
use ackclock_engine::packet::flow_key::Key;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert::no_such;
use crate::simulation::Simulation;

impl Simulation {
    fn flow_table(&mut self, table: u32) -> PyResult<&mut FlowTable> {
        self.engine.net.flow_tables.get_mut(table as usize).ok_or_else(|| no_such("flow table", table))
    }

    fn counted(&mut self, monitor: u32) -> PyResult<&mut Monitor> {
        self.engine.net.monitors.get_mut(monitor as usize).ok_or_else(|| no_such("monitor", monitor))
    }
}

#[pymethods]
impl Simulation {
    /// A new table of flows, told apart by fid, dest, src_dest or src_dest_fid; its number.
    fn add_flow_table(&mut self, key: &str) -> PyResult<u32> {
        let key = Key::named(key).ok_or_else(|| PyValueError::new_err(format!("unknown flow key {key}")))?;
        self.engine.net.flow_tables.push(FlowTable::new(key));
        Ok(self.engine.net.flow_tables.len() as u32 - 1)
    }

    /// What a monitor counts is counted for each flow of a table too.
    fn set_monitor_flows(&mut self, monitor: u32, table: u32) -> PyResult<()> {
        self.flow_table(table)?;
        self.counted(monitor)?.flows = Some(TableId(table));
        Ok(())
    }

    /// Source, destination, flow id and monitor of each flow that a table has met since the last call.
    fn take_fresh_flows(&mut self, table: u32) -> PyResult<Vec<(i32, i32, i32, u32)>> {
        let fresh = self.flow_table(table)?.take_fresh();
        Ok(fresh.into_iter().map(|(flow, monitor)| (flow.src, flow.dst, flow.fid, monitor.0)).collect())
    }

    /// From now on a monitor counts a flow of a table. The one that did so far is returned.
    fn assign_flow(&mut self, table: u32, src: i32, dst: i32, fid: i32, monitor: u32) -> PyResult<Option<u32>> {
        self.counted(monitor)?;
        let former = self.flow_table(table)?.assign(src, dst, fid, MonitorId(monitor));
        Ok(former.map(|former| former.0))
    }

    /// From now on nobody counts a flow of a table. The monitor that did so far is returned.
    fn remove_flow(&mut self, table: u32, src: i32, dst: i32, fid: i32) -> PyResult<Option<u32>> {
        Ok(self.flow_table(table)?.remove(src, dst, fid).map(|former| former.0))
    }

    /// A monitor takes over what another has counted.
    fn copy_monitor(&mut self, source: u32, target: u32) -> PyResult<()> {
        let copy = self.counted(source)?.clone();
        *self.counted(target)? = copy;
        Ok(())
    }

    /// Source, destination and flow id of the last packet that a monitor of one flow has counted, and what it carried.
    fn monitored_flow(&mut self, monitor: u32) -> PyResult<Option<(i32, i32, i32, &'static str)>> {
        Ok(self.counted(monitor)?.flow.map(|flow| (flow.src, flow.dst, flow.fid, flow.kind.name())))
    }

    /// A monitor tags the packets of its flow, or those of flows that nobody knew (`fresh`), by a token bucket.
    fn set_tagger(&mut self, monitor: u32, fresh: bool, rate_bps: f64, depth: f64, tokens: f64) -> PyResult<()> {
        let monitor = self.counted(monitor)?;
        let place = if fresh { &mut monitor.fresh_tagger } else { &mut monitor.tagger };
        let tagger = place.get_or_insert_with(|| Tagger::new(rate_bps, depth, tokens));
        (tagger.rate_bps, tagger.depth, tagger.tokens) = (rate_bps, depth, tokens);
        Ok(())
    }

    /// Rate in bit/s, depth and content in bytes of the token bucket by which a monitor tags the packets of its flow.
    fn tagger(&mut self, monitor: u32) -> PyResult<Option<(f64, f64, f64)>> {
        Ok(self.counted(monitor)?.tagger.map(|tagger| (tagger.rate_bps, tagger.depth, tagger.tokens)))
    }

    /// A monitor samples queueing delays no longer.
    fn drop_delay_samples(&mut self, monitor: u32) -> PyResult<()> {
        self.counted(monitor)?.delay = None;
        Ok(())
    }
}
