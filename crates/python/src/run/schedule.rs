//! What is to happen at given instants of a described run, and the run itself, without Python in between.

use ackclock_engine::net::SimulationError;
use ackclock_engine::sim::Stop;
use pyo3::prelude::*;
use pyo3::types::PyFunction;

use crate::convert::engine_error;
use crate::simulation::Simulation;

/// Events between two looks at Python's signals.
const EVENTS_AT_ONCE: u64 = 100_000;

impl Simulation {
    /// Runs until the end, an error, or so many events. Whether it has ended.
    fn run_some(&mut self) -> Result<bool, SimulationError> {
        loop {
            match self.engine.run(EVENTS_AT_ONCE) {
                Stop::Paused => return Ok(false),
                Stop::Exhausted => return Ok(true),
                Stop::Failed(error) => return Err(error),
                Stop::Sample => {
                    if self.take_sample() {
                        return Ok(false);
                    }
                }
                stop => {
                    if self.handle_stop(stop).map_err(SimulationError::Broken)? {
                        return self.engine.check().map_or(Ok(true), Err);
                    }
                }
            }
        }
    }

    /// Does what is due at a stop of the engine. Whether the run has ended.
    pub fn handle_stop(&mut self, stop: Stop) -> Result<bool, String> {
        match &stop {
            Stop::Sample => {
                self.take_sample();
            }
            Stop::Failed(error) => return Err(error.to_string()),
            _ => {}
        }
        Ok(self.schedule.handle(&mut self.engine, stop))
    }
}

#[pymethods]
impl Simulation {
    /// Runs what is scheduled up to the end; the instant of it, s. `progress` is called with the simulated time now and
    /// then. The interpreter's lock is released meanwhile.
    #[pyo3(signature = (progress = None))]
    fn run_scheduled(&mut self, py: Python, progress: Option<&Bound<PyFunction>>) -> PyResult<f64> {
        loop {
            let ended = py.detach(|| self.run_some()).map_err(|error| self.stopped(py, engine_error(&error)))?;
            self.check_channels()?;
            if ended {
                return Ok(self.engine.now().secs());
            }
            py.check_signals()?;
            if let Some(progress) = progress {
                progress.call1((self.engine.now().secs(),))?;
            }
        }
    }
}
