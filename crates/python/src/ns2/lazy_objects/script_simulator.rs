//! The script's Simulator object, as far as Rust must know it.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::ns2::tcl_hash_order::MANY_VARIABLES;

/// The script's Simulator, and what Python keeps of it.
pub(super) struct ScriptSimulator {
    pub(super) kind: usize,
    pub(super) handle: String,
    /// Its variables: as an object, which says whether they are kept here; while they are; what was looked for in vain.
    pub(super) vars: Py<PyAny>,
    pub(super) kept: Py<PyDict>,
    pub(super) looked: Py<PyList>,
    /// Numbers of nodes -> handles.
    pub(super) nodes: Py<PyDict>,
    /// Handles of the links that nam is to be told of.
    pub(super) drawn: Py<PyDict>,
    /// How many nodes and links the script counts.
    pub(super) nodes_made: Py<Count>,
    pub(super) links_made: Py<Count>,
    /// Tells a node that Python made of a neighbour.
    pub(super) add_neighbour: Py<PyAny>,
}

/// A class variable that counts what was made. It is not known how many that are at first, and after a script has written to it.
#[pyclass(module = "ackclock._native")]
pub struct Count(Option<i64>);

#[pymethods]
impl Count {
    #[new]
    fn new() -> Count {
        Count(None)
    }

    /// How many were made, if that is known.
    pub fn value(&self) -> Option<i64> {
        self.0
    }

    /// So many there are.
    pub fn set(&mut self, value: i64) {
        self.0 = Some(value);
    }

    /// The script has written to the variable.
    fn forget(&mut self) {
        self.0 = None;
    }
}

impl ScriptSimulator {
    /// Whether this is its handle, and its variables are Python's.
    pub(super) fn is_plain(&self, py: Python, simulator: &str) -> PyResult<bool> {
        Ok(self.handle == simulator && self.vars.bind(py).getattr(intern!(py, "are_kept"))?.is_truthy()?)
    }

    pub(super) fn has(&self, py: Python, variable: &str) -> PyResult<bool> {
        self.kept.bind(py).contains(variable)
    }

    /// The script's Tcl would look for this element of an array, which is not there.
    pub(super) fn look(&self, py: Python, element: &str) -> PyResult<()> {
        let count = self.kept.bind(py).len();
        if count >= MANY_VARIABLES {
            let looked = self.looked.bind(py);
            looked.append(count)?;
            looked.append(element)?;
        }
        Ok(())
    }
}
