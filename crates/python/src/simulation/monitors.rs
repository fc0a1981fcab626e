//! Monitors of queues and of single flows.

use ackclock_engine::measure::flow::FlowTable as Flows;
use ackclock_engine::measure::histogram::Histogram;
use ackclock_engine::measure::monitor::{DelaySamples, Integrator, Monitor as Counts, MonitorId, TableId};
use ackclock_engine::measure::tagger::Tagger;
use ackclock_engine::packet::flow_key::Key;
use ackclock_trace::recorder::LengthPlace;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert::{unknown_parameter, value_from_python, value_to_python};
use crate::run::channels::Channel;
use crate::simulation::Simulation;
use crate::simulation::handle::Handle;

/// Counts what passes a queue, or one flow's packets.
#[pyclass(frozen, module = "ackclock._native")]
pub struct Monitor(pub Handle<MonitorId>);

/// The integral over time of a monitored queue's length, in bytes or packets.
#[pyclass(frozen, module = "ackclock._native")]
pub struct Integral {
    monitor: Handle<MonitorId>,
    is_of_bytes: bool,
}

/// Flows, each with its monitor.
#[pyclass(frozen, module = "ackclock._native")]
pub struct FlowTable(pub Handle<TableId>);

impl Simulation {
    fn monitor(&mut self, id: MonitorId) -> &mut Counts {
        &mut self.engine.net.monitors[id.0 as usize]
    }

    fn flow_table(&mut self, id: TableId) -> &mut Flows {
        &mut self.engine.net.flow_tables[id.0 as usize]
    }

    fn integral(&mut self, integral: &Integral) -> &mut Option<Integrator> {
        let monitor = self.monitor(integral.monitor.id);
        if integral.is_of_bytes { &mut monitor.bytes_integral } else { &mut monitor.packets_integral }
    }

    fn histogram(&mut self, id: MonitorId, which: &str) -> PyResult<&mut Option<Histogram>> {
        let monitor = self.monitor(id);
        match which {
            "rtts" => Ok(&mut monitor.rtts),
            "seqnos" => Ok(&mut monitor.seqnos),
            _ => Err(PyValueError::new_err(format!("a monitor has no histogram of {which}; it has rtts and seqnos"))),
        }
    }
}

#[pymethods]
impl Monitor {
    /// A counter or a parameter. `KeyError` for one that there is not.
    fn param<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let value = self.0.simulation(py)?.monitor(self.0.id).own_param(name);
        value_to_python(py, value.ok_or_else(|| unknown_parameter("a monitor", name))?)
    }

    /// Sets a counter or a parameter. `KeyError` for one that there is not.
    fn set_param(&self, py: Python, name: &str, value: &Bound<PyAny>) -> PyResult<()> {
        let known = self.0.simulation(py)?.monitor(self.0.id).set_own_param(name, value_from_python(value)?);
        if known { Ok(()) } else { Err(unknown_parameter("a monitor", name)) }
    }

    /// Sets the numbers of the nodes that its lines name.
    fn set_nodes(&self, py: Python, from_node: i32, to_node: i32) -> PyResult<()> {
        let mut simulation = self.0.simulation(py)?;
        let monitor = simulation.monitor(self.0.id);
        (monitor.from, monitor.to) = (from_node, to_node);
        if let Some(place) = monitor.trace {
            simulation.recorder().set_length_nodes(place, from_node, to_node);
        }
        Ok(())
    }

    /// Writes each change of the queue's length to a channel.
    fn trace(&self, py: Python, channel: &Channel) -> PyResult<()> {
        let channel = self.0.other(&channel.0)?;
        let mut simulation = self.0.simulation(py)?;
        let monitor = simulation.monitor(self.0.id);
        let (from, to) = (monitor.from, monitor.to);
        let place = simulation.recorder().add_length_place(LengthPlace { channel, from, to });
        simulation.monitor(self.0.id).trace = Some(place);
        Ok(())
    }

    /// Keeps the integral of the `bytes` or the `packets` queued; `ValueError` for something else.
    fn keep_integral(&self, py: Python, which: &str) -> PyResult<Integral> {
        let is_of_bytes = match which {
            "bytes" => true,
            "packets" => false,
            _ => {
                let has = "a monitor has no integral of";
                return Err(PyValueError::new_err(format!("{has} {which}; it has bytes and packets")));
            }
        };
        let integral = Integral { monitor: self.0.beside(py, self.0.id), is_of_bytes };
        self.0.simulation(py)?.integral(&integral).get_or_insert_default();
        Ok(integral)
    }

    /// Keeps a histogram of the TCP segments that leave: `which` is rtts (ms) or seqnos, `ValueError` for something else. It
    /// has `bins` bins of `bin_width` each.
    fn keep_histogram(&self, py: Python, which: &str, bin_width: i32, bins: usize) -> PyResult<()> {
        *self.0.simulation(py)?.histogram(self.0.id, which)? = Some(Histogram::new(bin_width, bins));
        Ok(())
    }

    /// Counts in the bins of a histogram that is kept: `which` as in `keep_histogram`.
    fn histogram(&self, py: Python, which: &str) -> PyResult<Vec<u32>> {
        let mut simulation = self.0.simulation(py)?;
        let kept = simulation.histogram(self.0.id, which)?;
        Ok(kept.as_ref().map_or_else(Vec::new, |kept| kept.bins().to_vec()))
    }

    /// Keeps samples of the queueing delay.
    fn keep_delay_samples(&self, py: Python) -> PyResult<()> {
        self.0.simulation(py)?.monitor(self.0.id).delay.get_or_insert_default();
        Ok(())
    }

    /// Count, sum (s) and sum of squares (s²) of the delay samples.
    fn delay_samples(&self, py: Python) -> PyResult<(i32, f64, f64)> {
        let samples = self.0.simulation(py)?.monitor(self.0.id).delay.clone().unwrap_or_default();
        Ok((samples.count, samples.sum_s, samples.sum_of_squares))
    }

    /// Forgets the delay samples and keeps new ones.
    fn reset_delay_samples(&self, py: Python) -> PyResult<()> {
        self.0.simulation(py)?.monitor(self.0.id).delay = Some(DelaySamples::default());
        Ok(())
    }

    /// Keeps no delay samples any more.
    fn drop_delay_samples(&self, py: Python) -> PyResult<()> {
        self.0.simulation(py)?.monitor(self.0.id).delay = None;
        Ok(())
    }

    /// Counts for each flow of a table, too.
    fn set_flows(&self, py: Python, table: &FlowTable) -> PyResult<()> {
        let table = self.0.other(&table.0)?;
        self.0.simulation(py)?.monitor(self.0.id).flows = Some(table);
        Ok(())
    }

    /// Takes over what another monitor has counted.
    fn copy_from(&self, py: Python, source: &Monitor) -> PyResult<()> {
        let source = self.0.other(&source.0)?;
        let mut simulation = self.0.simulation(py)?;
        let copy = simulation.monitor(source).clone();
        *simulation.monitor(self.0.id) = copy;
        Ok(())
    }

    /// Source, destination and flow id of the last packet that a monitor of one flow has counted, and what it carried.
    fn flow(&self, py: Python) -> PyResult<Option<(i32, i32, i32, &'static str)>> {
        let flow = self.0.simulation(py)?.monitor(self.0.id).flow;
        Ok(flow.map(|flow| (flow.src, flow.dst, flow.fid, flow.kind.name())))
    }

    /// Tags the packets of its flow, or those of flows that nobody knew (`fresh`), by a token bucket: its rate in bit/s, its
    /// depth and its content, `tokens`, in bytes.
    fn set_tagger(&self, py: Python, fresh: bool, rate_bps: f64, depth: f64, tokens: f64) -> PyResult<()> {
        let mut simulation = self.0.simulation(py)?;
        let monitor = simulation.monitor(self.0.id);
        let place = if fresh { &mut monitor.fresh_tagger } else { &mut monitor.tagger };
        let tagger = place.get_or_insert_with(|| Tagger::new(rate_bps, depth, tokens));
        (tagger.rate_bps, tagger.depth, tagger.tokens) = (rate_bps, depth, tokens);
        Ok(())
    }

    /// Rate in bit/s, depth and content in bytes of the token bucket that tags the packets of its flow.
    fn tagger(&self, py: Python) -> PyResult<Option<(f64, f64, f64)>> {
        let mut simulation = self.0.simulation(py)?;
        let tagger = &simulation.monitor(self.0.id).tagger;
        Ok(tagger.as_ref().map(|tagger| (tagger.rate_bps, tagger.depth, tagger.tokens)))
    }
}

#[pymethods]
impl Integral {
    /// A value: `last_s`, `last_value` or `sum`. `KeyError` for another `name`.
    fn param<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let integral = self.monitor.simulation(py)?.integral(self).clone().unwrap_or_default();
        value_to_python(py, integral.own_param(name).ok_or_else(|| unknown_parameter("an integral", name))?)
    }

    /// Sets a value by `name`, as in `param`.
    fn set_param(&self, py: Python, name: &str, value: &Bound<PyAny>) -> PyResult<()> {
        let mut simulation = self.monitor.simulation(py)?;
        let integral = simulation.integral(self).get_or_insert_default();
        let known = integral.set_own_param(name, value_from_python(value)?);
        if known { Ok(()) } else { Err(unknown_parameter("an integral", name)) }
    }

    /// Adds a point: the function is `value` from `at_s` on.
    fn add_point(&self, py: Python, at_s: f64, value: f64) -> PyResult<()> {
        let mut simulation = self.monitor.simulation(py)?;
        simulation.integral(self).get_or_insert_default().new_point(ackclock_engine::time::Time(at_s), value);
        Ok(())
    }
}

#[pymethods]
impl FlowTable {
    /// Source, destination, flow id and monitor of each flow that was met since the last call.
    fn take_fresh_flows(&self, py: Python) -> PyResult<Vec<(i32, i32, i32, Monitor)>> {
        let fresh = self.0.simulation(py)?.flow_table(self.0.id).take_fresh();
        let flows = fresh.into_iter();
        Ok(flows.map(|(flow, id)| (flow.src, flow.dst, flow.fid, Monitor(self.0.beside(py, id)))).collect())
    }

    /// Lets a monitor count a flow.
    fn assign(&self, py: Python, src: i32, dst: i32, fid: i32, monitor: &Monitor) -> PyResult<()> {
        let monitor = self.0.other(&monitor.0)?;
        self.0.simulation(py)?.flow_table(self.0.id).assign(src, dst, fid, monitor);
        Ok(())
    }

    /// Lets nobody count a flow any more.
    fn remove(&self, py: Python, src: i32, dst: i32, fid: i32) -> PyResult<()> {
        self.0.simulation(py)?.flow_table(self.0.id).remove(src, dst, fid);
        Ok(())
    }
}

#[pymethods]
impl Simulation {
    /// A new monitor.
    fn add_monitor(this: &Bound<Simulation>) -> PyResult<Monitor> {
        let made = Handle::made(this, |simulation| {
            simulation.engine.net.monitors.push(Counts::default());
            Ok(MonitorId(simulation.engine.net.monitors.len() as u32 - 1))
        });
        made.map(Monitor)
    }

    /// A new table of flows, told apart by fid, dest, src_dest or src_dest_fid; `ValueError` for another `key`.
    fn add_flow_table(this: &Bound<Simulation>, key: &str) -> PyResult<FlowTable> {
        let key = Key::named(key).ok_or_else(|| PyValueError::new_err(format!("unknown flow key {key}")))?;
        let made = Handle::made(this, |simulation| {
            simulation.engine.net.flow_tables.push(Flows::new(key));
            Ok(TableId(simulation.engine.net.flow_tables.len() as u32 - 1))
        });
        made.map(FlowTable)
    }
}
