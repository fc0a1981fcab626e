//! A run of a scenario, in steps or at once, and its tables.

use std::fmt;

use ackclock_engine::net::SimulationError;
use ackclock_engine::sim::{Simulation, Stop};
use ackclock_trace::columns::Table;
use ackclock_trace::tabulate;

use crate::builder;
use crate::error::ScenarioError;
use crate::model::described::Described;
use crate::model::scenario::Scenario;
use crate::outside::{Nothing, Outside};
use crate::read_toml;
use crate::resolve::network::{Network, resolve};
use crate::schedule::Schedule;
use crate::tree::Table as Keys;

/// Events between two looks at whether a run shall go on.
const EVENTS_AT_ONCE: u64 = 100_000;

/// What is said of a scenario that needs endpoints from outside.
const EXTERNAL: &str = "packets enter and leave there: `ackclock emulate` runs it, or `ackclock quic`";

/// Why there are no results.
#[derive(Clone, Debug)]
pub enum Error {
    /// The description cannot be simulated.
    Scenario(ScenarioError),
    /// The engine refuses a value; a message.
    Refused(String),
    /// The simulation cannot go on.
    Simulation(SimulationError),
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Error::Scenario(error) => error.fmt(out),
            Error::Refused(message) => out.write_str(message),
            Error::Simulation(error) => error.fmt(out),
        }
    }
}

impl std::error::Error for Error {}

impl From<ScenarioError> for Error {
    fn from(error: ScenarioError) -> Error {
        Error::Scenario(error)
    }
}

impl Scenario {
    /// Reads a scenario file's text.
    ///
    /// # Errors
    /// For what is wrong in it, with line and key.
    pub fn from_toml(text: &str) -> Result<Scenario, ScenarioError> {
        Scenario::from_toml_with(text, &Nothing)
    }

    /// Reads a scenario file's text, which may name what `outside` has: recordings in files, code.
    ///
    /// # Errors
    /// For what is wrong in it, with line and key.
    pub fn from_toml_with(text: &str, outside: &dyn Outside) -> Result<Scenario, ScenarioError> {
        let read = read_toml::read(text)?;
        let found = Scenario::from_keys_with(&read.table, outside);
        found.map_err(|error| ScenarioError { line: read.line(&error.key), ..error })
    }

    /// The scenario that keys and values describe.
    ///
    /// # Errors
    /// For what is wrong, with its key.
    pub fn from_keys(keys: &Keys) -> Result<Scenario, ScenarioError> {
        Scenario::from_keys_with(keys, &Nothing)
    }

    /// The scenario that keys and values describe, which may name what `outside` has.
    ///
    /// # Errors
    /// For what is wrong, with its key.
    pub fn from_keys_with(keys: &Keys, outside: &dyn Outside) -> Result<Scenario, ScenarioError> {
        let scenario = Scenario::of(keys, false, outside)?;
        resolve(&scenario, outside)?;
        Ok(scenario)
    }

    /// Runs it to its end.
    ///
    /// # Errors
    /// If it cannot be simulated.
    pub fn run(&self) -> Result<Results, Error> {
        self.run_with(&Nothing)
    }

    /// Runs it to its end with the code that it names, which `outside` has.
    ///
    /// # Errors
    /// If it cannot be simulated.
    pub fn run_with(&self, outside: &dyn Outside) -> Result<Results, Error> {
        let mut run = Run::with(self, outside)?;
        while !run.go_on()? {}
        Ok(run.finish())
    }
}

/// A run that has begun.
pub struct Run {
    engine: Simulation,
    schedule: Schedule,
    /// What is simulated.
    pub network: Network,
}

impl Run {
    /// A run before its first event.
    ///
    /// # Errors
    /// If the scenario cannot be simulated.
    pub fn new(scenario: &Scenario) -> Result<Run, Error> {
        Run::with(scenario, &Nothing)
    }

    /// A run before its first event, with the code that the scenario names, which `outside` has.
    ///
    /// # Errors
    /// If the scenario cannot be simulated.
    pub fn with(scenario: &Scenario, outside: &dyn Outside) -> Result<Run, Error> {
        if !scenario.external_nodes.is_empty() {
            return Err(ScenarioError::new(EXTERNAL).key("external_nodes").into());
        }
        let network = resolve(scenario, outside)?;
        let (engine, schedule) = builder::build(scenario, &network, outside).map_err(Error::Refused)?;
        Ok(Run { engine, schedule, network })
    }

    /// The simulated time, s.
    pub fn now_s(&self) -> f64 {
        self.engine.now().secs()
    }

    /// Runs some events. Whether it has ended.
    ///
    /// # Errors
    /// If the simulation cannot go on.
    pub fn go_on(&mut self) -> Result<bool, Error> {
        loop {
            match self.engine.run(EVENTS_AT_ONCE) {
                Stop::Paused => return Ok(false),
                Stop::Exhausted => return Ok(true),
                Stop::Failed(error) => return Err(Error::Simulation(error)),
                Stop::Sample => {
                    if tabulate::sample(&mut self.engine) {
                        return Ok(false);
                    }
                }
                stop => {
                    if self.schedule.handle(&mut self.engine, stop) {
                        return self.engine.check().map_or(Ok(true), |error| Err(Error::Simulation(error)));
                    }
                }
            }
        }
    }

    /// The run is over: its results.
    pub fn finish(mut self) -> Results {
        self.schedule.finish(&mut self.engine);
        let tables = tabulate::take(&mut self.engine);
        Results { tables, network: self.network }
    }
}

/// What a run gives.
pub struct Results {
    /// Tables by name: `flows`, `links`, and what the scenario records.
    pub tables: Vec<(&'static str, Table)>,
    /// What was simulated.
    pub network: Network,
}

impl Results {
    /// The table of a name.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|(known, _)| *known == name).map(|(_, table)| table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // 20 s at 0.1 Mb/s are a few hundred packets: fewer events than between two looks. The samples, one each 0.1 s, make the
    // run return now and then all the same.
    #[test]
    fn a_run_with_few_events_returns_now_and_then() {
        let text = r#"
            duration = "20 s"
            [topology]
            kind = "dumbbell"
            bottleneck = { rate = "0.1 Mb/s", delay = "20 ms" }
            [[flows]]
            pair = 1
            tcp = "reno"
        "#;
        let mut run = Run::new(&Scenario::from_toml(text).unwrap()).unwrap();
        let mut times_s = Vec::new();
        while !run.go_on().unwrap() {
            times_s.push(run.now_s());
        }
        assert!(times_s.len() >= 5 && times_s.is_sorted(), "{times_s:?}");
    }
}
