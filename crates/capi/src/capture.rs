//! Captures of what an endpoint sends and gets.

use std::ffi::c_char;
use std::fs::File;
use std::io::BufWriter;

use crate::boundary::text;
use crate::parts::AckclockEndpoint;
use crate::simulation::{AckclockSimulation, with};
use crate::status::{AckclockStatus, Failure};

/// Writes the datagrams that an endpoint sends and gets from now on to a file, for Wireshark (pcapng). A file that is there
/// is replaced. ACKCLOCK_STATUS_FILE if it cannot be made.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_simulation_capture(
    simulation: *mut AckclockSimulation,
    endpoint: AckclockEndpoint,
    path: *const c_char,
) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(simulation, |made| {
            let (endpoint, path) = (made.endpoint(endpoint)?, text(path, "the capture's path")?);
            let wrong = |error| Failure::new(AckclockStatus::File, format!("{path}: {error}"));
            let file = File::create(path).map_err(wrong)?;
            made.simulation.capture(endpoint, BufWriter::new(file));
            Ok(())
        })
    }
}

/// Ends the captures. ACKCLOCK_STATUS_FILE if one could not be written: it has all up to the failure.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_simulation_end_captures(simulation: *mut AckclockSimulation) -> AckclockStatus {
    // SAFETY: the caller's pointer.
    unsafe {
        with(simulation, |made| {
            let wrong = |error: std::io::Error| Failure::new(AckclockStatus::File, format!("a capture: {error}"));
            made.simulation.end_captures().map_err(wrong)
        })
    }
}
