//! The tables of variants, for lists, help and tests.

use ackclock_engine::{agent, app, cc, loss, queue, tcp};
use pyo3::prelude::*;

/// Ids of the queue disciplines, each with a line about it.
#[pyfunction]
pub fn queue_disciplines() -> Vec<(&'static str, &'static str)> {
    queue::DISCIPLINES.iter().map(|entry| (entry.id, entry.about)).collect()
}

/// Ids of the applications, each with a line about it.
#[pyfunction]
pub fn applications() -> Vec<(&'static str, &'static str)> {
    app::APPLICATIONS.iter().map(|entry| (entry.id, entry.about)).collect()
}

/// Ids of the agents, each with a line about it.
#[pyfunction]
pub fn agents() -> Vec<(&'static str, &'static str)> {
    agent::tables().map(|entry| (entry.id, entry.about)).collect()
}

/// Ids of the one-way TCP senders, each with a line about it.
#[pyfunction]
pub fn tcp_senders() -> Vec<(&'static str, &'static str)> {
    tcp::VARIANTS.iter().map(|entry| (entry.id, entry.about)).collect()
}

/// Ids of the one-way TCP receivers, each with a line about it.
#[pyfunction]
pub fn tcp_receivers() -> Vec<(&'static str, &'static str)> {
    tcp::SINKS.iter().map(|entry| (entry.id, entry.about)).collect()
}

/// Ids of the error models, each with a line about it.
#[pyfunction]
pub fn error_models() -> Vec<(&'static str, &'static str)> {
    loss::MODELS.iter().map(|entry| (entry.id, entry.about)).collect()
}

/// Ids of the Linux congestion controls, in ns-2's order, each with a line about it.
#[pyfunction]
pub fn congestion_controls() -> Vec<(&'static str, &'static str)> {
    cc::linux::CONTROLS.iter().map(|entry| (entry.id, entry.about)).collect()
}

/// `value` as C's `%.{precision}g` prints it.
#[pyfunction]
#[pyo3(signature = (value, precision = 6))]
pub fn format_g(value: f64, precision: usize) -> String {
    let mut out = Vec::new();
    ackclock_trace::number::push_g(&mut out, value, precision);
    String::from_utf8(out).expect("numbers are ASCII")
}
