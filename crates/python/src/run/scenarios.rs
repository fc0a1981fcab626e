//! Scenario files as the crate for Rust programs and the browser reads and runs them.

use std::path::PathBuf;

use ackclock_scenario::outside::{Nothing, Outside};
use ackclock_scenario::{Error, Scenario};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert::{engine_error, simulation_error};
use crate::run::outside::PythonOutside;
use crate::run::tables::Table;

/// Tables by name, names of the flows, names of the links.
type Ran = (Vec<(&'static str, Table)>, Vec<String>, Vec<String>);

/// What is wrong with the text of a scenario file, with line and key, or what of it is not read there; `None` if it can be
/// simulated. `folder` has the recordings that it names; without it there are none. `code` finds the code that it names (a
/// `NamedCode`), whose own errors pass through.
#[pyfunction]
#[pyo3(signature = (text, folder = None, code = None))]
pub fn check_scenario_text(text: &str, folder: Option<PathBuf>, code: Option<Py<PyAny>>) -> PyResult<Option<String>> {
    let Some(folder) = folder else {
        return Ok(Scenario::from_toml(text).err().map(|error| error.to_string()));
    };
    let outside = PythonOutside::new(code, folder, Default::default());
    let wrong = Scenario::from_toml_with(text, &outside).err();
    outside.take_raised().map_or_else(|| Ok(wrong.map(|error| error.to_string())), Err)
}

/// Runs the text of a scenario file by the Rust reader: its tables by name, names of the flows, names of the links. `folder`
/// and `code` are those of `check_scenario_text`. `ValueError` for a description that cannot be simulated, with line and key,
/// or is not read there; `SimulationError` for a run that cannot go on.
#[pyfunction]
#[pyo3(signature = (text, folder = None, code = None))]
pub fn run_scenario_text(text: &str, folder: Option<PathBuf>, code: Option<Py<PyAny>>) -> PyResult<Ran> {
    let outside = PythonOutside::new(code, folder.clone().unwrap_or_default(), Default::default());
    let outside: &dyn Outside = if folder.is_some() { &outside } else { &Nothing };
    let scenario = Scenario::from_toml_with(text, outside);
    let scenario = scenario.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let results = scenario.run_with(outside).map_err(|error| match error {
        Error::Scenario(error) => PyValueError::new_err(error.to_string()),
        Error::Refused(message) => simulation_error(message),
        Error::Simulation(error) => engine_error(&error),
    })?;
    let network = results.network;
    let flows = network.flows.iter().map(|flow| flow.name.clone()).collect();
    let links = (0..network.links.len()).map(|number| network.link_name(number)).collect();
    let tables = results.tables.into_iter().map(|(name, table)| (name, Table::new(table.into_batch()))).collect();
    Ok((tables, flows, links))
}
