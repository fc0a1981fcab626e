//! Scenario files as the crate for Rust programs and the browser reads and runs them.

use ackclock_scenario::resolve::leo_satellite::{Terms, course};
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

/// When a link over satellites, `a->b`, can send, ms, up to the first instant after the run's end; and from when on, s, it has
/// which delay beyond its own, s. All but the first delay begin with a hand-over. The directions of a `path`, `a-b`, have the
/// same delays.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn leo_course(
    interval_s: f64,
    first_s: f64,
    rates_bps: (f64, f64),
    spread_s: f64,
    pause_s: f64,
    seed: u64,
    path: &str,
    link: &str,
    duration_s: f64,
) -> (Vec<i64>, Vec<(f64, f64)>) {
    let terms = Terms { interval_s, first_s, rates_bps, spread_s, pause_s };
    let found = course(terms, seed, path, link, duration_s);
    (found.deliveries_ms, found.delays_s)
}
