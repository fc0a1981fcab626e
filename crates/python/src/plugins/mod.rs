//! Objects of the user's own Python that a run calls, what they do wrong, and the changes of their variables.

pub mod control;
pub mod kernel;
pub mod ledger;
pub mod library;
pub mod queue;

use ackclock_trace::columns::Rows;
use arrow_array::RecordBatch;
use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::plugins::ledger::{Shared, open};
use crate::simulation::Simulation;

/// Whom an object acts for.
#[derive(Clone, Copy)]
pub enum Number {
    Flow(u32),
    Link(u32),
}

fn push(rows: &mut Rows, time_s: f64, number: Number, variable: &str, value: f64) {
    let (flow, link) = match number {
        Number::Flow(flow) => (Some(flow), None),
        Number::Link(link) => (None, Some(link)),
    };
    rows.real("time_s", time_s).number("flow", flow).number("link", link);
    rows.word("variable", variable).real("value", value).end();
}

/// An object whose methods are called in a run.
pub struct PluginObject {
    object: Py<PyAny>,
    /// What errors call it: `flow MyAimd1`.
    place: String,
    number: Number,
    /// Its traced variables and their last values.
    traced: Vec<(Py<PyString>, f64)>,
    ledger: Shared,
    /// It has raised something, and is not called any more.
    pub failed: bool,
}

impl PluginObject {
    pub fn new(
        py: Python,
        object: Py<PyAny>,
        place: String,
        number: Number,
        traced: &[String],
        ledger: &Shared,
    ) -> PluginObject {
        if !traced.is_empty() {
            let pattern = || Rows::like(|rows| push(rows, 0.0, Number::Flow(0), "", 0.0));
            open(ledger).changes.get_or_insert_with(pattern);
        }
        let traced = traced.iter().map(|name| (PyString::new(py, name).unbind(), f64::NAN)).collect();
        PluginObject { object, place, number, traced, ledger: ledger.clone(), failed: false }
    }

    /// Calls a method and notes which traced variables it changed. An exception is kept for whoever runs the simulation;
    /// the error says in words where it came from.
    pub fn call<'py>(
        &mut self,
        py: Python<'py>,
        method: &Bound<'py, PyString>,
        arguments: impl PyCallArgs<'py>,
        now_s: f64,
    ) -> Result<Bound<'py, PyAny>, String> {
        let called = self.object.bind(py).call_method1(method, arguments);
        let called = called.and_then(|result| self.note_changes(py, now_s).map(|()| result));
        called.map_err(|error| {
            let wrong = error.value(py).str().map(|text| text.to_string()).unwrap_or_default();
            let kind = error.get_type(py).name().map(|name| name.to_string()).unwrap_or_default();
            open(&self.ledger).raised.get_or_insert(error);
            self.wrong(py, &method.to_string(), now_s, &format!("{kind}: {wrong}"))
        })
    }

    /// The object has done something wrong: it is called no more. What errors say of it.
    pub fn wrong(&mut self, py: Python, method: &str, now_s: f64, what: &str) -> String {
        self.failed = true;
        let class = self.object.bind(py).get_type().name().map(|name| name.to_string()).unwrap_or_default();
        format!("{} at {now_s} s: {class}.{method}: {what}", self.place)
    }

    /// Sets an attribute of the object.
    pub fn set(&self, py: Python, name: &str, value: f64) {
        // An object that refuses the attribute does not want to know.
        let _ = self.object.bind(py).setattr(name, value);
    }

    fn note_changes(&mut self, py: Python, now_s: f64) -> PyResult<()> {
        for (name, last) in &mut self.traced {
            let value: f64 = self.object.bind(py).getattr(name.bind(py))?.extract()?;
            if value != *last {
                *last = value;
                if let Some(rows) = &mut open(&self.ledger).changes {
                    push(rows, now_s, self.number, name.bind(py).to_str()?, value);
                }
            }
        }
        Ok(())
    }
}

impl Simulation {
    /// The error of a run that cannot go on: what the user's own code raised is its cause, and what is no error of code
    /// (Ctrl-C) stays what it is.
    pub fn stopped(&self, py: Python, error: PyErr) -> PyErr {
        match open(&self.plugins).raised.take() {
            Some(raised) if !raised.is_instance_of::<PyException>(py) => raised,
            raised => {
                error.set_cause(py, raised);
                error
            }
        }
    }

    /// The table of the changes of traced variables, if anything was traced.
    pub fn own_changes(&self) -> Option<RecordBatch> {
        open(&self.plugins).changes.take().map(|mut rows| rows.finish().into_batch())
    }
}
