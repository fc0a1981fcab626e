//! The parts of links that a script takes apart.

use ackclock_engine::measure::flow::Count;
use ackclock_engine::net::link::PartId;
use ackclock_engine::net::link::parts::Part as EnginePart;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::run::tracing::TracePlace;
use crate::simulation::Simulation;
use crate::simulation::agents::Agent;
use crate::simulation::handle::Handle;
use crate::simulation::links::Link;
use crate::simulation::loss::ErrorModule;
use crate::simulation::monitors::Monitor;
use crate::simulation::nodes::Node;

/// A part of a link that was taken apart: it passes packets to the part that it is connected to.
#[pyclass(frozen, module = "ackclock._native")]
pub struct Part(pub Handle<PartId>);

/// What does the work of a part.
#[derive(FromPyObject)]
enum Worker<'py> {
    Trace(PyRef<'py, TracePlace>),
    Monitor(PyRef<'py, Monitor>),
    Link(PyRef<'py, Link>),
    Errors(PyRef<'py, ErrorModule>),
    Node(PyRef<'py, Node>),
    Agent(PyRef<'py, Agent>),
}

fn part_named(simulation: &Bound<Simulation>, kind: &str, worker: Option<Worker>) -> PyResult<EnginePart> {
    Ok(match (kind, worker) {
        ("connector", None) => EnginePart::Connector,
        ("hop_limit", None) => EnginePart::HopLimit,
        ("closed_gate", None) => EnginePart::ClosedGate,
        ("discard", None) => EnginePart::Discard,
        ("trace", Some(Worker::Trace(place))) => EnginePart::Trace(place.0.id_in(simulation)?),
        (_, Some(Worker::Monitor(monitor))) => {
            let count = match kind {
                "arrivals" => Count::Arrival,
                "departures" => Count::Departure,
                "drops" => Count::Drop,
                "early_drops" => Count::EarlyDrop,
                _ => return Err(PyValueError::new_err(format!("a monitor counts no {kind}"))),
            };
            EnginePart::Count(count, monitor.0.id_in(simulation)?)
        }
        ("gate", Some(Worker::Link(link))) => EnginePart::Gate(link.0.id_in(simulation)?),
        ("queue", Some(Worker::Link(link))) => EnginePart::Queue(link.0.id_in(simulation)?),
        ("wire", Some(Worker::Link(link))) => EnginePart::Wire(link.0.id_in(simulation)?),
        ("error_model", Some(Worker::Errors(module))) => EnginePart::ErrorModel(module.0.id_in(simulation)?),
        ("error_module", Some(Worker::Errors(module))) => EnginePart::ErrorModule(module.0.id_in(simulation)?),
        ("node", Some(Worker::Node(node))) => EnginePart::Node(node.0.id_in(simulation)?),
        ("agent", Some(Worker::Agent(agent))) => EnginePart::Agent(agent.0.id_in(simulation)?),
        _ => return Err(PyValueError::new_err(format!("no part of a link is a {kind} of this"))),
    })
}

#[pymethods]
impl Simulation {
    /// A new part that links may be made of: a connector, hop_limit, closed_gate or discard; a trace of a `TracePlace`;
    /// the arrivals, departures, drops or early_drops of a `Monitor`; the gate, queue or wire of a `Link`; the error_model or
    /// error_module of an `ErrorModule`; a `Node` or an `Agent`. `ValueError` for another `kind`, or a `worker` that does not do it.
    #[pyo3(signature = (kind, worker = None))]
    fn add_part(this: &Bound<Simulation>, kind: &str, worker: Option<Worker>) -> PyResult<Part> {
        let part = part_named(this, kind, worker)?;
        Handle::made(this, |simulation| Ok(simulation.engine.net.parts.add(part))).map(Part)
    }
}

#[pymethods]
impl Part {
    /// Gives the part another purpose: arguments and errors as for `Simulation.add_part`.
    #[pyo3(signature = (kind, worker = None))]
    fn replace(&self, py: Python, kind: &str, worker: Option<Worker>) -> PyResult<()> {
        let part = part_named(self.0.owner(py), kind, worker)?;
        self.0.simulation(py)?.engine.net.parts.replace(self.0.id, part);
        Ok(())
    }

    /// The part that gets its packets; `None` for none.
    fn connect(&self, py: Python, target: Option<&Part>) -> PyResult<()> {
        let target = target.map(|target| self.0.other(&target.0)).transpose()?;
        self.0.simulation(py)?.engine.net.set_part_target(self.0.id, target);
        Ok(())
    }

    /// The part that gets the packets that it drops; `None` for none.
    fn set_drop_target(&self, py: Python, target: Option<&Part>) -> PyResult<()> {
        let target = target.map(|target| self.0.other(&target.0)).transpose()?;
        self.0.simulation(py)?.engine.net.parts.set_drop_target(self.0.id, target);
        Ok(())
    }
}

#[pymethods]
impl Link {
    /// From now on the link is these parts and what is connected to them.
    fn take_apart(&self, py: Python, head: &Part, queue: &Part, wire: &Part) -> PyResult<()> {
        let (head, queue, wire) = (self.0.other(&head.0)?, self.0.other(&queue.0)?, self.0.other(&wire.0)?);
        self.0.simulation(py)?.engine.net.take_apart(self.0.id, head, queue, wire);
        Ok(())
    }
}
