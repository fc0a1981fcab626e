//! packetdrill scripts for Python.

use ackclock_packetdrill::script::Direction;
use ackclock_packetdrill::{Settings, Verdict, parse, run};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Runs the text of a packetdrill script against the simulated socket. `options` are packetdrill's command line options
/// without dashes, `definitions` its symbols. Returns the verdict ("passes", "differs" or "not applicable"), packetdrill's
/// message or the missing feature, the packets (microseconds, whether they are outbound, notation), and the lines that code
/// blocks print. `ValueError` if the script cannot be read, with file, line and column.
#[pyfunction]
pub fn run_packetdrill(
    py: Python<'_>,
    name: &str,
    text: &str,
    options: Vec<(String, String)>,
    definitions: Vec<(String, String)>,
) -> PyResult<(String, String, Vec<(i64, bool, String)>, Vec<String>)> {
    let script = parse(name, text, &definitions)
        .map_err(|error| PyValueError::new_err(format!("{name}:{}:{}: {}", error.line, error.column, error.message)))?;
    let mut settings = Settings::default();
    for (option, value) in &options {
        settings.set(option, Some(value)).map_err(PyValueError::new_err)?;
    }
    let report = py.detach(|| run(&script, &settings));
    let (verdict, message) = match report.verdict {
        Verdict::Passes => ("passes", String::new()),
        Verdict::Differs(message) => ("differs", message),
        Verdict::NotApplicable(feature) => ("not applicable", feature),
    };
    let packets = report.packets.into_iter();
    let packets = packets.map(|packet| (packet.at, packet.direction == Direction::Outbound, packet.text)).collect();
    Ok((verdict.to_owned(), message, packets, report.printed))
}
