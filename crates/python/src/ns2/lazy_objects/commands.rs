//! Commands of Tcl that deferred objects answer.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use super::LazyObjects;

type Answer = fn(&Bound<LazyObjects>, &[&str]) -> PyResult<Option<String>>;

/// A command of Tcl: what is deferred and plain is answered for at once, anything else by who answers otherwise.
#[pyclass(frozen, module = "ackclock._native")]
pub struct Command {
    lazy: Py<LazyObjects>,
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
            && let Some(answer) = (self.answer)(self.lazy.bind(py), &texts)?
        {
            return Ok(PyString::new(py, &answer).into_any().unbind());
        }
        self.otherwise.call1(py, words)
    }
}

#[pymethods]
impl LazyObjects {
    /// A command of Tcl, by name: `new class`, `call object method word...`, and methods of the Simulator, whose first word it is.
    /// What it does not do for something deferred, `otherwise` does.
    fn command(this: &Bound<LazyObjects>, name: &str, otherwise: Py<PyAny>) -> PyResult<Command> {
        let answer: Answer = match name {
            "new" => LazyObjects::new_object,
            "call" => LazyObjects::call,
            "node" => LazyObjects::node,
            "simplex-link" => LazyObjects::simplex_link,
            "duplex-link" => LazyObjects::duplex_link,
            "link" => LazyObjects::link,
            "queue-limit" => LazyObjects::queue_limit,
            "attach-agent" => LazyObjects::attach_agent,
            "connect" => LazyObjects::connect,
            _ => return Err(PyValueError::new_err(format!("there is no such command: {name}"))),
        };
        Ok(Command { lazy: this.clone().unbind(), answer, otherwise })
    }
}
