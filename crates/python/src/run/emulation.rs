//! A described run in real time, with real packets.

use std::net::IpAddr;
use std::time::Duration;

use ackclock_emulate::pace::{End, Failure, Pace, Simulated};
use ackclock_engine::sim::{Simulation as Engine, Stop};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyFunction;

use crate::convert::simulation_error;
use crate::process::files::take_descriptor;
use crate::simulation::Simulation;
use crate::simulation::agents::Agent;

/// Between two looks at Python's signals.
const EVERY: Duration = Duration::from_millis(50);

fn python_error(simulation: &Simulation, py: Python, failure: Failure) -> PyErr {
    match failure {
        Failure::Simulation(error) => simulation.stopped(py, simulation_error(error)),
        Failure::Device(error) => PyOSError::new_err((error.raw_os_error().unwrap_or(0), error.to_string())),
    }
}

impl Simulated for Simulation {
    fn engine(&mut self) -> &mut Engine {
        &mut self.engine
    }

    fn handle_stop(&mut self, stop: Stop) -> Result<bool, String> {
        Simulation::handle_stop(self, stop)
    }
}

#[pymethods]
impl Simulation {
    /// Runs what is scheduled in real time, up to the end; the present instant is now. `ends`: a gateway agent,
    /// the descriptor of a device that gives and takes one IP packet at a time and does not wait, and the addresses whose
    /// packets go out there. The descriptors are taken over. `progress` is called every 50 ms with the simulated time and
    /// how many packets came in or went out, and ends the run when it gives False. The interpreter's lock is released meanwhile.
    ///
    /// What was seen: packets that `came_in`, `went_out`, were `marked`, were `strange` (no IP, or for no end), were `lost`
    /// outside the simulation; `latest_s`, how late an event was dealt with at most, and `late_median_s` and `late_99_s`,
    /// how late half and 99 % of the packets that went out were at most; and each flow's id, source, destination, protocol
    /// and ports.
    fn run_in_real_time(
        &mut self,
        py: Python,
        ends: Vec<(Py<Agent>, i32, Vec<String>)>,
        progress: &Bound<PyFunction>,
    ) -> PyResult<(Vec<(&'static str, f64)>, Vec<(i32, String, String, u8, u16, u16)>)> {
        let mut open = Vec::new();
        for (agent, fd, addresses) in ends {
            let gateway = agent.get().0.id;
            let addresses: Result<Vec<IpAddr>, _> = addresses.iter().map(|address| address.parse()).collect();
            let addresses = addresses.map_err(|error| PyValueError::new_err(format!("not an IP address: {error}")))?;
            open.push(End { device: take_descriptor(fd)?, addresses, gateway });
        }
        let mut pace = Pace::new(open, &mut self.engine);
        loop {
            let ended = py.detach(|| pace.keep(self, EVERY)).map_err(|failure| python_error(self, py, failure))?;
            self.check_channels()?;
            py.check_signals()?;
            let seen = pace.counts.came_in + pace.counts.went_out;
            let goes_on = progress.call1((self.engine.now().secs(), seen))?;
            if ended || goes_on.extract::<bool>().is_ok_and(|goes_on| !goes_on) {
                break;
            }
        }
        let counts = &pace.counts;
        let seen = vec![
            ("came_in", counts.came_in as f64),
            ("went_out", counts.went_out as f64),
            ("marked", counts.marked as f64),
            ("strange", counts.strange as f64),
            ("lost", counts.lost as f64),
            ("latest_s", counts.latest_s),
            ("late_median_s", counts.late.quantile_s(0.5)),
            ("late_99_s", counts.late.quantile_s(0.99)),
        ];
        let flows = pace.flows().into_iter().map(|(id, flow)| {
            (id, flow.source.to_string(), flow.destination.to_string(), flow.protocol, flow.ports.0, flow.ports.1)
        });
        Ok((seen, flows.collect()))
    }
}
