//! What a script asks of the clock hundreds of thousands of times, answered to Tcl itself.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::simulation::Simulation;

/// `now` and `at` as commands of Tcl: the object, then the script's words. What is not plain goes to who answers otherwise.
#[pyclass(frozen, module = "ackclock._native")]
pub struct Clock {
    simulation: Py<Simulation>,
    /// Call-back -> what is to be done then.
    due: Py<PyDict>,
    or_now: Py<PyAny>,
    or_at: Py<PyAny>,
}

#[pymethods]
impl Clock {
    #[new]
    fn new(simulation: Py<Simulation>, due: Py<PyDict>, or_now: Py<PyAny>, or_at: Py<PyAny>) -> Clock {
        Clock { simulation, due, or_now, or_at }
    }

    /// The present instant with all 17 digits.
    #[pyo3(signature = (*words))]
    fn now(&self, py: Python, words: &Bound<PyTuple>) -> PyResult<Py<PyAny>> {
        if words.len() == 1 {
            return Ok(PyString::new(py, &self.simulation.borrow(py).now_text()).into());
        }
        self.or_now.call1(py, words)
    }

    /// Puts a command down for an instant; the event's number.
    #[pyo3(signature = (*words))]
    fn at(&self, py: Python, words: &Bound<PyTuple>) -> PyResult<Py<PyAny>> {
        if words.len() == 3 {
            let (time, command) = (words.get_borrowed_item(1)?, words.get_borrowed_item(2)?);
            let event = self.simulation.borrow_mut(py).call_back_at(time.cast::<PyString>()?.to_str()?);
            if let Some(event) = event {
                self.due.bind(py).set_item(event, command)?;
                return Ok(PyString::new(py, &(event + 1).to_string()).into());
            }
        }
        self.or_at.call1(py, words)
    }
}
