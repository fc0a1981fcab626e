//! The tables of variants, for lists, help and tests.

use ackclock_engine::transport::compat::{linux26, ns3_25};
use ackclock_engine::transport::registry;
use ackclock_engine::transport::tcp::controls;
use ackclock_engine::{app, loss, queue};
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
    registry::tables().map(|entry| (entry.id, entry.about)).collect()
}

/// Ids of the one-way TCP senders, each with a line about it.
#[pyfunction]
pub fn tcp_senders() -> Vec<(&'static str, &'static str)> {
    registry::VARIANTS.iter().map(|entry| (entry.id, entry.about)).collect()
}

/// Ids of the two-way TCPs, each with a line about it.
#[pyfunction]
pub fn tcp_two_way() -> Vec<(&'static str, &'static str)> {
    registry::two_way().map(|entry| (entry.id, entry.about)).collect()
}

/// Ids of the one-way TCP receivers, each with a line about it.
#[pyfunction]
pub fn tcp_receivers() -> Vec<(&'static str, &'static str)> {
    registry::SINKS.iter().map(|entry| (entry.id, entry.about)).collect()
}

/// Ids of the error models, each with a line about it.
#[pyfunction]
pub fn error_models() -> Vec<(&'static str, &'static str)> {
    loss::MODELS.iter().map(|entry| (entry.id, entry.about)).collect()
}

/// Ids of the congestion controls that a TCP sender can be given by name, each with a line about it: those of `linux`, in
/// ns-2's order, of `tcp` or of `ns3`; none for another sender.
#[pyfunction]
pub fn congestion_controls(sender: &str) -> Vec<(&'static str, &'static str)> {
    match sender {
        "linux" => linux26::cc::CONTROLS.iter().map(|entry| (entry.id, entry.about)).collect(),
        "tcp" => controls::entries().collect(),
        "ns3" => ns3_25::cc::CONTROLS.iter().map(|entry| (entry.id, entry.about)).collect(),
        _ => Vec::new(),
    }
}

/// Ids of the congestion controls of `tcp` that reduce their window in response to ECN marks.
#[pyfunction]
pub fn ecn_controls() -> Vec<&'static str> {
    controls::answering_marks().collect()
}

/// `value` as C's `%.{precision}g` prints it.
#[pyfunction]
#[pyo3(signature = (value, precision = 6))]
pub fn format_g(value: f64, precision: usize) -> String {
    let mut out = Vec::new();
    ackclock_trace::ns2::number::push_g(&mut out, value, precision);
    String::from_utf8(out).expect("numbers are ASCII")
}
