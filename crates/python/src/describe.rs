//! The tables of variants, for lists, help and tests.

use ackclock_engine::{agent, app, cc, loss, queue, recovery, tcp, tcp_full};
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

/// Ids of the two-way TCPs, each with a line about it.
#[pyfunction]
pub fn tcp_two_way() -> Vec<(&'static str, &'static str)> {
    tcp_full::VARIANTS.iter().map(|entry| (entry.id, entry.about)).collect()
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

/// Ids of the congestion controls that a TCP sender can be given by name, each with a line about it: those of `linux`, in
/// ns-2's order, of `modern` or of `ns3`; none for another sender.
#[pyfunction]
pub fn congestion_controls(sender: &str) -> Vec<(&'static str, &'static str)> {
    match sender {
        "linux" => cc::linux::CONTROLS.iter().map(|entry| (entry.id, entry.about)).collect(),
        "modern" => recovery::modern::choice::entries().collect(),
        "ns3" => cc::ns3::CONTROLS.iter().map(|entry| (entry.id, entry.about)).collect(),
        _ => Vec::new(),
    }
}

/// `value` as C's `%.{precision}g` prints it.
#[pyfunction]
#[pyo3(signature = (value, precision = 6))]
pub fn format_g(value: f64, precision: usize) -> String {
    let mut out = Vec::new();
    ackclock_trace::number::push_g(&mut out, value, precision);
    String::from_utf8(out).expect("numbers are ASCII")
}
