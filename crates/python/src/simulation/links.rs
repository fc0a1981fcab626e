//! Links: their parameters, what hooks into them, how they fail and hold packets back.

use ackclock_engine::net::link::delayer::Spells;
use ackclock_engine::net::link::{Hook, HookPoint, LinkId};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert::{simulation_error, unknown_parameter, value_from_python};
use crate::run::tracing::TracePlace;
use crate::simulation::handle::Handle;
use crate::simulation::loss::ErrorModule;
use crate::simulation::monitors::Monitor;
use crate::simulation::queues::Queue;
use crate::simulation::random_variables::RandomVariable;

/// A link from one node to another. A hook's `point` is head, dequeued, wire_end, received, dropped, dropped_early, policed, entry
/// or collided; `ValueError` for another.
#[pyclass(frozen, module = "ackclock._native")]
pub struct Link(pub Handle<LinkId>);

fn point_named(name: &str) -> PyResult<HookPoint> {
    Ok(match name {
        "head" => HookPoint::Head,
        "dequeued" => HookPoint::Dequeued,
        "wire_end" => HookPoint::WireEnd,
        "received" => HookPoint::Received,
        "dropped" => HookPoint::Dropped,
        "dropped_early" => HookPoint::DroppedEarly,
        "policed" => HookPoint::Policed,
        "entry" => HookPoint::Entry,
        "collided" => HookPoint::Collided,
        _ => {
            return Err(PyValueError::new_err(format!(
                "a link has no place {name}; it has head, dequeued, wire_end, received, dropped, dropped_early, policed, entry, collided"
            )));
        }
    })
}

impl Link {
    fn hook(&self, py: Python, point: &str, hook: Hook, at_front: bool) -> PyResult<()> {
        let point = point_named(point)?;
        let mut simulation = self.0.simulation(py)?;
        simulation.engine.net.links[self.0.id.0 as usize].add_hook(point, at_front.then_some(0), hook);
        Ok(())
    }

    fn spells(&self, interval: &RandomVariable, length: &RandomVariable) -> PyResult<Spells> {
        Ok(Spells { interval: self.0.other(&interval.0)?, length: self.0.other(&length.0)? })
    }
}

#[pymethods]
impl Link {
    /// Its number: links are numbered from 0 in the order in which they are added.
    #[getter]
    fn number(&self) -> u32 {
        self.0.id.0
    }

    /// Its queue discipline.
    #[getter]
    fn queue(&self, py: Python) -> Queue {
        Queue(self.0.beside(py, self.0.id))
    }

    /// A parameter: `rate_bps`, `delay_s`, `is_up`, `keeps_order`; or a count: `bytes_sent`, `queue_packets`, `queue_bytes`.
    /// `KeyError` for another `name`.
    fn param<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let simulation = self.0.simulation(py)?;
        let link = &simulation.engine.net.links[self.0.id.0 as usize];
        Ok(match name {
            "rate_bps" => link.rate_bps().into_pyobject(py)?.into_any(),
            "delay_s" => link.delay_s().into_pyobject(py)?.into_any(),
            "is_up" => link.is_up.into_pyobject(py)?.to_owned().into_any(),
            "keeps_order" => link.keeps_order().into_pyobject(py)?.to_owned().into_any(),
            "bytes_sent" => link.bytes_sent.into_pyobject(py)?.into_any(),
            "queue_packets" => link.queue().len_packets().into_pyobject(py)?.into_any(),
            "queue_bytes" => link.queue().len_bytes().into_pyobject(py)?.into_any(),
            _ => return Err(unknown_parameter("a link", name)),
        })
    }

    /// Sets `rate_bps`, `delay_s`, `keeps_order` or `can_fail`. `KeyError` for another `name`, `SimulationError` for a `value` that a link
    /// cannot have.
    fn set_param(&self, py: Python, name: &str, value: &Bound<PyAny>) -> PyResult<()> {
        let mut simulation = self.0.simulation(py)?;
        let link = &mut simulation.engine.net.links[self.0.id.0 as usize];
        match name {
            "rate_bps" => {
                let rate_bps: f64 = value.extract()?;
                if rate_bps.is_nan() || rate_bps <= 0.0 {
                    return Err(simulation_error(format!("a link's rate is {rate_bps} bit/s; it must be positive")));
                }
                link.set_rate_bps(rate_bps);
            }
            "delay_s" => {
                let delay_s: f64 = value.extract()?;
                if delay_s.is_nan() || delay_s < 0.0 {
                    return Err(simulation_error(format!("a link's delay is {delay_s} s; it must not be negative")));
                }
                simulation.engine.net.set_delay_s(self.0.id, delay_s);
            }
            "keeps_order" => link.set_keeps_order(value_from_python(value)?.flag()),
            "can_fail" => link.set_can_fail(value_from_python(value)?.flag()),
            _ => return Err(unknown_parameter("a link", name)),
        }
        Ok(())
    }

    /// Writes what passes a point to the channels of a trace. Packets pass it before the hooks already there.
    fn add_trace(&self, py: Python, point: &str, trace: &TracePlace) -> PyResult<()> {
        self.hook(py, point, Hook::Trace(self.0.other(&trace.0)?), true)
    }

    /// Stops the run after each event in which a packet passes a point, so that the lines of its trace can be told.
    fn tell_lines(&self, py: Python, point: &str) -> PyResult<()> {
        self.hook(py, point, Hook::Tell, true)
    }

    /// Counts what passes a point in a monitor; `what` is arrivals, departures, drops, early_drops or policed_drops, and
    /// `ValueError` for another. Packets pass it before the hooks already there.
    fn add_monitor(&self, py: Python, point: &str, what: &str, monitor: &Monitor) -> PyResult<()> {
        let monitor = self.0.other(&monitor.0)?;
        let hook = match what {
            "arrivals" => Hook::CountArrival(monitor),
            "departures" => Hook::CountDeparture(monitor),
            "drops" => Hook::CountDrop(monitor),
            "policed_drops" => Hook::CountPolicedDrop(monitor),
            "early_drops" => Hook::CountEarlyDrop(monitor),
            _ => return Err(PyValueError::new_err(format!("a monitor counts no {what}"))),
        };
        self.hook(py, point, hook, true)
    }

    /// Loses or marks packets at a point as a module says. `at_front`: packets pass it before the hooks already there.
    #[pyo3(signature = (point, module, at_front = true))]
    fn add_error_module(&self, py: Python, point: &str, module: &ErrorModule, at_front: bool) -> PyResult<()> {
        self.hook(py, point, Hook::Errors(self.0.other(&module.0)?), at_front)
    }

    /// Lets packets pass the head of the link only while it is up.
    fn add_gate(&self, py: Python) -> PyResult<()> {
        self.hook(py, "head", Hook::Gate, true)
    }

    /// Opens or closes the link's gate.
    fn set_up(&self, py: Python, is_up: bool) -> PyResult<()> {
        self.0.simulation(py)?.engine.net.links[self.0.id.0 as usize].is_up = is_up;
        Ok(())
    }

    /// Sets whether what the gate refuses goes the way of lost packets.
    fn set_reports_refused(&self, py: Python, reports: bool) -> PyResult<()> {
        self.0.simulation(py)?.engine.net.links[self.0.id.0 as usize].reports_refused = reports;
        Ok(())
    }

    /// Loses every packet on the wire.
    fn cut_wire(&self, py: Python) -> PyResult<()> {
        self.0.simulation(py)?.engine.net.cut_wire(self.0.id);
        Ok(())
    }

    /// Puts a delayer behind the queue, unless there is one.
    fn insert_delayer(&self, py: Python) -> PyResult<()> {
        self.0.simulation(py)?.engine.net.insert_delayer(self.0.id);
        Ok(())
    }

    /// Lets the delayer's channel, when it was not used for `interval` s, take `length` s to be allocated.
    fn set_allocation(&self, py: Python, interval: &RandomVariable, length: &RandomVariable) -> PyResult<()> {
        let spells = self.spells(interval, length)?;
        self.0.simulation(py)?.engine.net.set_allocation(self.0.id, spells);
        Ok(())
    }

    /// Lets delay spikes of `length` s come after `interval` s.
    fn set_spikes(&self, py: Python, interval: &RandomVariable, length: &RandomVariable) -> PyResult<()> {
        let spells = self.spells(interval, length)?;
        self.0.simulation(py)?.engine.net.set_spikes(self.0.id, spells);
        Ok(())
    }

    /// Begins or ends a delay spike.
    fn set_spike(&self, py: Python, begins: bool) -> PyResult<()> {
        self.0.simulation(py)?.engine.net.set_spike(self.0.id, begins);
        Ok(())
    }
}
