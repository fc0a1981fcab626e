//! Commands of Tcl that promised objects answer.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use super::Promises;

type Answer = fn(&Bound<Promises>, &[&str]) -> PyResult<Option<String>>;

/// A command of Tcl: what is promised and plain is answered for at once, anything else by who answers otherwise.
#[pyclass(frozen, module = "ackclock._native")]
pub struct Command {
    promises: Py<Promises>,
    answer: Answer,
    otherwise: Py<PyAny>,
}

#[pymethods]
impl Command {
    #[pyo3(signature = (*words))]
    fn __call__(&self, py: Python, words: &Bound<PyTuple>) -> PyResult<Py<PyAny>> {
        let held: Vec<Bound<PyAny>> = words.iter().collect();
        let texts: Vec<&str> = held.iter().map_while(|word| word.cast::<PyString>().ok()?.to_str().ok()).collect();
        // A word may be no text that Rust knows.
        if texts.len() == held.len()
            && let Some(answer) = (self.answer)(self.promises.bind(py), &texts)?
        {
            return Ok(PyString::new(py, &answer).into_any().unbind());
        }
        self.otherwise.call1(py, words)
    }
}

#[pymethods]
impl Promises {
    /// A command of Tcl, by name: `new class`, `call object method word...`, and methods of the Simulator, whose first word it is.
    /// What it does not do for something promised, `otherwise` does.
    fn command(this: &Bound<Promises>, name: &str, otherwise: Py<PyAny>) -> PyResult<Command> {
        let answer: Answer = match name {
            "new" => Promises::new_object,
            "call" => Promises::call,
            "node" => Promises::node,
            "simplex-link" => Promises::simplex_link,
            "duplex-link" => Promises::duplex_link,
            "link" => Promises::link,
            "queue-limit" => Promises::queue_limit,
            "attach-agent" => Promises::attach_agent,
            "connect" => Promises::connect,
            _ => return Err(PyValueError::new_err(format!("there is no such command: {name}"))),
        };
        Ok(Command { promises: this.clone().unbind(), answer, otherwise })
    }
}
