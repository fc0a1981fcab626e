//! What every handle is made of.
//!
//! A class for each kind of thing in a simulation (`Node`, `Link`, `Agent` and so on) wraps a [`Handle`]: the simulation and the
//! thing's number in it. Things are never removed, so a handle stays valid. To add a class, write
//!
//! ```text
//! /// What the thing is.
//! #[pyclass(frozen, module = "ackclock._native")]
//! pub struct Thing(pub Handle<ThingId>);
//! ```
//!
//! with a `#[pymethods] impl Thing`, a method that makes it (`Simulation.add_thing`), and a line in `lib.rs` and in
//! `tools/write_stub.py`.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::simulation::Simulation;

/// A simulation, and the number of something in it.
pub struct Handle<Id> {
    simulation: Py<Simulation>,
    pub id: Id,
}

impl<Id: Copy> Handle<Id> {
    pub fn new(simulation: &Bound<Simulation>, id: Id) -> Handle<Id> {
        Handle { simulation: simulation.clone().unbind(), id }
    }

    /// Makes a handle of what `make` adds to a simulation.
    pub fn made(
        simulation: &Bound<Simulation>,
        make: impl FnOnce(&mut Simulation) -> PyResult<Id>,
    ) -> PyResult<Handle<Id>> {
        let id = make(&mut *simulation.try_borrow_mut()?)?;
        Ok(Handle::new(simulation, id))
    }

    /// The simulation, to be looked at and changed. `RuntimeError` while it runs.
    pub fn simulation<'py>(&'py self, py: Python<'py>) -> PyResult<PyRefMut<'py, Simulation>> {
        Ok(self.simulation.try_borrow_mut(py)?)
    }

    /// The simulation that it belongs to.
    pub fn owner<'py>(&'py self, py: Python<'py>) -> &'py Bound<'py, Simulation> {
        self.simulation.bind(py)
    }

    /// A handle of something else in the same simulation.
    pub fn beside<Other: Copy>(&self, py: Python, id: Other) -> Handle<Other> {
        Handle { simulation: self.simulation.clone_ref(py), id }
    }

    /// The number of something that must be in the same simulation. `ValueError` if it is not.
    pub fn other<Other: Copy>(&self, other: &Handle<Other>) -> PyResult<Other> {
        if self.simulation.is(&other.simulation) { Ok(other.id) } else { Err(elsewhere()) }
    }

    /// The number of this in a simulation that must be its own. `ValueError` if it is not.
    pub fn id_in(&self, simulation: &Bound<Simulation>) -> PyResult<Id> {
        if self.simulation.is(simulation) { Ok(self.id) } else { Err(elsewhere()) }
    }
}

fn elsewhere() -> PyErr {
    PyValueError::new_err("this belongs to another simulation")
}
