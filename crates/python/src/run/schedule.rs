//! What is to happen at given instants of a described run, and the run itself, without Python in between.

use ackclock_engine::net::{SimulationError, Upcall};
use ackclock_engine::sim::Stop;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyFunction;

use crate::convert::engine_error;
use crate::simulation::Simulation;
use crate::simulation::action::Action;
use crate::simulation::links::Link;

/// Events between two looks at Python's signals.
const EVENTS_AT_ONCE: u64 = 100_000;

impl Simulation {
    fn act(&mut self, action: Action) {
        match action {
            Action::Stop => {}
            Action::StartApp(app) => {
                self.app_stopped(app, false);
                self.engine.with_app(app, |app, context| app.start(context));
            }
            Action::StopApp(app) => {
                self.engine.with_app(app, |app, context| app.stop(context));
                self.app_stopped(app, true);
            }
            Action::Rate(link, rate_bps) => self.engine.net.links[link.0 as usize].set_rate_bps(rate_bps),
            Action::Delay(link, delay_s) => self.engine.net.links[link.0 as usize].set_delay_s(delay_s),
            Action::Up(link) => self.engine.net.links[link.0 as usize].is_up = true,
            Action::Down(link) => {
                self.engine.net.links[link.0 as usize].is_up = false;
                self.engine.net.use_queue(link, |queue, context| queue.reset(context));
                self.engine.net.cut_wire(link);
            }
            Action::Cost(link, cost) => {
                let (from, to) =
                    (&self.engine.net.links[link.0 as usize].from, &self.engine.net.links[link.0 as usize].to);
                match cost {
                    Some(cost) => self.engine.routing.insert(*from, *to, cost),
                    None => self.engine.routing.remove(*from, *to),
                }
            }
            Action::Exchange(number, step) => self.exchange_steps(number, step),
            Action::StopExchange(number) => self.exchange_stops(number),
            Action::Reroute => self.engine.install_routes(),
            Action::Write(channel, text) => {
                if let Some(channel) = self.recorder().channel(channel) {
                    channel.write(text.as_bytes());
                }
            }
        }
    }

    pub fn put(&mut self, time_s: f64, action: Action) -> PyResult<()> {
        let now_s = self.engine.now().secs();
        if time_s.is_nan() || time_s < now_s {
            return Err(PyValueError::new_err(format!(
                "cannot schedule an event at {time_s} s: the time is {now_s} s"
            )));
        }
        self.put_after(time_s - now_s, action);
        Ok(())
    }

    /// Something happens so many seconds from now.
    pub fn put_after(&mut self, delay_s: f64, action: Action) {
        let script = self.engine.call_back(delay_s).0 as usize;
        if self.timeline.len() <= script {
            self.timeline.resize(script + 1, None);
        }
        self.timeline[script] = Some(action);
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
        match stop {
            Stop::Script(script) => match self.timeline.get(script.0 as usize).cloned().flatten() {
                Some(Action::Stop) => return Ok(true),
                Some(action) => self.act(action),
                None => {}
            },
            Stop::Upcall(Upcall::Done(agent)) => self.is_done(agent),
            Stop::Upcall(Upcall::Received(agent, bytes)) => self.exchange_receives(agent, bytes),
            Stop::Sample => {
                self.take_sample();
            }
            Stop::Upcall(_) | Stop::FreshFlows | Stop::Lines | Stop::Multicast | Stop::Paused | Stop::Exhausted => {}
            Stop::Failed(error) => return Err(error.to_string()),
        }
        Ok(false)
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
    /// Schedules a change at an instant, s: `rate` (`value` bit/s), `delay` (s), `up`, `down`, `cost` (in routes), `withdraw`
    /// (from routes). `ValueError` for something else, a value that cannot be, or a time in the past.
    #[pyo3(signature = (time_s, what, value = 0.0))]
    fn schedule(&self, py: Python, time_s: f64, what: &str, value: f64) -> PyResult<()> {
        let link = self.0.id;
        let action = match what {
            "rate" if value > 0.0 => Action::Rate(link, value),
            "delay" if value >= 0.0 => Action::Delay(link, value),
            "up" => Action::Up(link),
            "down" => Action::Down(link),
            "cost" if value > 0.0 => Action::Cost(link, Some(value)),
            "withdraw" => Action::Cost(link, None),
            _ => return Err(PyValueError::new_err(format!("{what} {value} cannot be scheduled for a link"))),
        };
        self.0.simulation(py)?.put(time_s, action)
    }
}
