//! Scenario files as the crate for Rust programs and the browser reads and runs them.

use ackclock_scenario::{Error, Scenario};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert::{engine_error, simulation_error};
use crate::run::tables::Table;

/// Tables by name, names of the flows, names of the links.
type Ran = (Vec<(&'static str, Table)>, Vec<String>, Vec<String>);

/// What is wrong with the text of a scenario file, with line and key, or what of it is not read there; `None` if it can be
/// simulated.
#[pyfunction]
pub fn check_scenario_text(py: Python, text: &str) -> Option<String> {
    py.detach(|| Scenario::from_toml(text).err().map(|error| error.to_string()))
}

/// Runs the text of a scenario file by the Rust reader: its tables by name, names of the flows, names of the links.
/// `ValueError` for a description that cannot be simulated, with line and key, or is not read there; `SimulationError` for
/// a run that cannot go on.
#[pyfunction]
pub fn run_scenario_text(py: Python, text: &str) -> PyResult<Ran> {
    let ran = py.detach(|| {
        let scenario = Scenario::from_toml(text).map_err(|error| Box::new(Error::Scenario(error)))?;
        scenario.run().map_err(Box::new)
    });
    let results = ran.map_err(|error| match *error {
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
