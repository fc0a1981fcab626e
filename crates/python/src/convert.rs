//! Values and errors between the engine and Python.

use ackclock_engine::net;
use ackclock_engine::params::{Parameter, Value};
use ackclock_engine::sim::Simulation;
use pyo3::create_exception;
use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt};

create_exception!(
    _native,
    SimulationError,
    PyRuntimeError,
    "A simulation that cannot go on, or cannot be described so."
);

create_exception!(
    _native,
    InvariantError,
    SimulationError,
    "What holds in every simulation did not hold: the simulator, or code of one's own in it, is wrong. Nothing of the run is a \
     result."
);

create_exception!(
    _native,
    LimitError,
    SimulationError,
    "A run that went beyond what it was allowed: time, memory, or events at one instant. Nothing of it is a result."
);

pub fn value_to_python<'py>(py: Python<'py>, value: Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Int(whole) => whole.into_pyobject(py)?.into_any(),
        Value::Real(real) => real.into_pyobject(py)?.into_any(),
        Value::Flag(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
    })
}

pub fn value_from_python(value: &Bound<PyAny>) -> PyResult<Value> {
    if value.is_instance_of::<PyBool>() {
        Ok(Value::Flag(value.extract()?))
    } else if value.is_instance_of::<PyInt>() {
        Ok(Value::Int(value.extract()?))
    } else if value.is_instance_of::<PyFloat>() {
        Ok(Value::Real(value.extract()?))
    } else {
        Err(PyTypeError::new_err(format!("expected a number or a flag, got {}", value.repr()?)))
    }
}

/// A parameter that scenarios offer: name, value, unit, description.
pub type Described<'py> = (String, Bound<'py, PyAny>, &'static str, String);

pub fn described<'py>(py: Python<'py>, parameters: Vec<Parameter>) -> PyResult<Vec<Described<'py>>> {
    parameters
        .into_iter()
        .map(|one| Ok((one.name.into_owned(), value_to_python(py, one.value)?, one.unit, one.about.into_owned())))
        .collect()
}

/// Names of parameters with their values, to be given to many of a kind.
#[pyclass(frozen, module = "ackclock._native")]
pub struct Params(Vec<(String, Value)>);

#[pymethods]
impl Params {
    #[new]
    fn new(params: Vec<(String, Bound<PyAny>)>) -> PyResult<Params> {
        params
            .into_iter()
            .map(|(name, value)| Ok((name, value_from_python(&value)?)))
            .collect::<PyResult<_>>()
            .map(Params)
    }
}

impl Params {
    /// Those of them that a new agent of a kind does not have anyway; all where nothing is of that kind.
    pub fn new_to(&self, kind: &str) -> Params {
        let mut aside = Simulation::default();
        let Ok(number) = aside.add_agent(kind) else { return Params(self.0.clone()) };
        let agent = &mut aside.agents[number.0 as usize];
        // One may change another, so each is set before the next is looked at.
        let is_new = |(name, value): &&(String, Value)| {
            let has_it = agent.param(name).is_some_and(|present| present.real() == value.real());
            if !has_it {
                agent.set_param(name, *value);
            }
            !has_it
        };
        Params(self.0.iter().filter(is_new).cloned().collect())
    }

    /// Hands them to whoever takes them; `KeyError` for the first one that `take` does not know.
    pub fn give(&self, take: impl FnMut(&str, Value) -> bool, whom: &str) -> PyResult<()> {
        match self.offer(take).first() {
            Some(&place) => Err(unknown_parameter(whom, &self.0[place].0)),
            None => Ok(()),
        }
    }

    /// Hands them to whoever takes them; the places of those that `take` does not know.
    pub fn offer(&self, mut take: impl FnMut(&str, Value) -> bool) -> Vec<usize> {
        let places = self.0.iter().enumerate();
        places.filter(|(_, (name, value))| !take(name, *value)).map(|(place, _)| place).collect()
    }
}

pub fn unknown_parameter(what: &str, name: &str) -> PyErr {
    PyKeyError::new_err(format!("{what} has no parameter {name}"))
}

pub fn no_such(what: &str, index: u32) -> PyErr {
    PyKeyError::new_err(format!("there is no {what} number {index}"))
}

/// Why a simulation stopped.
pub fn engine_error(error: &net::SimulationError) -> PyErr {
    match error {
        net::SimulationError::Invariant(_) => InvariantError::new_err(error.to_string()),
        net::SimulationError::Limit(_) => LimitError::new_err(error.to_string()),
        net::SimulationError::NoRoute { .. }
        | net::SimulationError::NoAgent { .. }
        | net::SimulationError::Broken(_) => simulation_error(error),
    }
}

pub fn simulation_error(problem: impl std::fmt::Display) -> PyErr {
    SimulationError::new_err(problem.to_string())
}
