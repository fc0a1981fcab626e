//! What is to happen at given instants of a described run, and the run itself, without Python in between.

use ackclock_engine::net::SimulationError;
use ackclock_engine::sim::Stop;
use ackclock_scenario::schedule::Action;
use ackclock_trace::recorder::ChannelId;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyFunction;

use crate::convert::engine_error;
use crate::simulation::Simulation;
use crate::simulation::links::Link;

/// Events between two looks at Python's signals.
const EVENTS_AT_ONCE: u64 = 100_000;

impl Simulation {
    /// Something happens at an instant, s. `ValueError` for a time in the past.
    pub fn put(&mut self, time_s: f64, action: Action) -> PyResult<()> {
        let delay_s = self.delay_to(time_s)?;
        self.schedule.put_after(&mut self.engine, delay_s, action);
        Ok(())
    }

    /// A channel gets a text at an instant, s. `ValueError` for a time in the past.
    pub fn put_text(&mut self, time_s: f64, channel: ChannelId, text: String) -> PyResult<()> {
        let delay_s = self.delay_to(time_s)?;
        let number = self.engine.call_back(delay_s).0;
        self.texts.insert(number, (channel, text));
        Ok(())
    }

    fn delay_to(&self, time_s: f64) -> PyResult<f64> {
        let now_s = self.engine.now().secs();
        if time_s.is_nan() || time_s < now_s {
            let message = format!("cannot schedule an event at {time_s} s: the time is {now_s} s");
            return Err(PyValueError::new_err(message));
        }
        Ok(time_s - now_s)
    }

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
            Stop::Script(script) => {
                if let Some((channel, text)) = self.texts.remove(&script.0) {
                    self.write(channel, &text);
                }
            }
            Stop::Sample => {
                self.take_sample();
            }
            Stop::Failed(error) => return Err(error.to_string()),
            _ => {}
        }
        Ok(self.schedule.handle(&mut self.engine, stop))
    }

    fn write(&mut self, channel: ChannelId, text: &str) {
        if let Some(channel) = self.recorder().channel(channel) {
            channel.write(text.as_bytes());
        }
    }
}

#[pymethods]
impl Simulation {
    /// Schedules what concerns the whole run at an instant, s: `stop` (the end) or `reroute` (routes by the present costs).
    /// `ValueError` for something else, or a time in the past. `Link`, `Application`, `Exchange` and `Channel` have a
    /// `schedule` of their own.
    fn schedule(&mut self, time_s: f64, what: &str) -> PyResult<()> {
        let action = match what {
            "stop" => Action::Stop,
            "reroute" => Action::Reroute,
            _ => return Err(PyValueError::new_err(format!("{what} cannot be scheduled"))),
        };
        self.put(time_s, action)
    }

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

#[pymethods]
impl Link {
    /// Schedules a change at an instant, s: `rate` (`value` bit/s), `delay` (s), `up`, `down`, `cut` (what is on its
    /// way is lost), `cost` (in routes), `withdraw` (from routes). `ValueError` for something else, a value that cannot be, or a time in the past.
    #[pyo3(signature = (time_s, what, value = 0.0))]
    fn schedule(&self, py: Python, time_s: f64, what: &str, value: f64) -> PyResult<()> {
        let link = self.0.id;
        let action = match what {
            "rate" if value > 0.0 => Action::Rate(link, value),
            "delay" if value >= 0.0 => Action::Delay(link, value),
            "up" => Action::Up(link),
            "down" => Action::Down(link),
            "cut" => Action::Cut(link),
            "cost" if value > 0.0 => Action::Cost(link, Some(value)),
            "withdraw" => Action::Cost(link, None),
            _ => return Err(PyValueError::new_err(format!("{what} {value} cannot be scheduled for a link"))),
        };
        self.0.simulation(py)?.put(time_s, action)
    }
}
