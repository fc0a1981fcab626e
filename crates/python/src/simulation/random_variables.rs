//! Streams of random numbers in a simulation, and random variables that draw from them.

use ackclock_engine::random::random_variable::VariableId;
use ackclock_engine::random::rng::Stream;
use pyo3::prelude::*;

use crate::convert::{unknown_parameter, value_from_python, value_to_python};
use crate::simulation::Simulation;
use crate::simulation::handle::Handle;

/// A stream of random numbers (MRG32k3a) in a simulation.
#[pyclass(frozen, module = "ackclock._native")]
pub struct SimulationStream(pub Handle<u32>);

/// A random variable, which draws from a stream of its simulation. `KeyError` for a parameter that it does not have.
#[pyclass(frozen, module = "ackclock._native")]
pub struct RandomVariable(pub Handle<VariableId>);

impl Simulation {
    /// Stream 0 is the default one; others are numbered as they are made.
    fn stream(&mut self, number: u32) -> &mut Stream {
        let streams = &mut self.engine.net.rng;
        if number == 0 { &mut streams.default } else { &mut streams.made[number as usize - 1] }
    }
}

#[pymethods]
impl SimulationStream {
    /// Its number; 0 is the default stream's.
    #[getter]
    fn number(&self) -> u32 {
        self.0.id
    }

    /// Seeds it; streams made later follow from the seed.
    fn seed(&self, py: Python, seed: u32) -> PyResult<()> {
        let mut simulation = self.0.simulation(py)?;
        let seeded = simulation.engine.net.rng.seeded(seed);
        *simulation.stream(self.0.id) = seeded;
        Ok(())
    }

    /// The six words of the state.
    fn state(&self, py: Python) -> PyResult<[u64; 6]> {
        Ok(self.0.simulation(py)?.stream(self.0.id).state())
    }

    /// Goes to the start of the next substream.
    fn next_substream(&self, py: Python) -> PyResult<()> {
        self.0.simulation(py)?.stream(self.0.id).next_substream();
        Ok(())
    }

    /// Goes back to the start of this substream.
    fn restart_substream(&self, py: Python) -> PyResult<()> {
        self.0.simulation(py)?.stream(self.0.id).restart_substream();
        Ok(())
    }

    /// Uniform on (0, 1).
    fn unit(&self, py: Python) -> PyResult<f64> {
        Ok(self.0.simulation(py)?.stream(self.0.id).unit())
    }

    /// A whole number in [0, 2^31).
    fn whole(&self, py: Python) -> PyResult<i64> {
        Ok(self.0.simulation(py)?.stream(self.0.id).whole())
    }

    /// Normal with this mean and standard deviation.
    fn normal(&self, py: Python, mean: f64, deviation: f64) -> PyResult<f64> {
        let mut simulation = self.0.simulation(py)?;
        let mut spare = simulation.engine.net.rng.spare_normal().take();
        let drawn = simulation.stream(self.0.id).normal(&mut spare, mean, deviation);
        *simulation.engine.net.rng.spare_normal() = spare;
        Ok(drawn)
    }
}

#[pymethods]
impl RandomVariable {
    /// Its number, by which commands of error models name it.
    #[getter]
    fn number(&self) -> u32 {
        self.0.id.0
    }

    /// A parameter's value.
    fn param<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let value = self.0.simulation(py)?.engine.net.rng.variables[self.0.id.0 as usize].param(name);
        value_to_python(py, value.ok_or_else(|| unknown_parameter("this random variable", name))?)
    }

    /// Sets a parameter.
    fn set_param(&self, py: Python, name: &str, value: &Bound<PyAny>) -> PyResult<()> {
        let mut simulation = self.0.simulation(py)?;
        let variable = &mut simulation.engine.net.rng.variables[self.0.id.0 as usize];
        let known = variable.set_param(name, value_from_python(value)?);
        if known { Ok(()) } else { Err(unknown_parameter("this random variable", name)) }
    }

    /// Lets it draw from this stream.
    fn set_stream(&self, py: Python, stream: &SimulationStream) -> PyResult<()> {
        let stream = self.0.other(&stream.0)?;
        self.0.simulation(py)?.engine.net.rng.variables[self.0.id.0 as usize].stream = stream;
        Ok(())
    }

    /// Sets the table of an empirical distribution: cumulative probabilities, rising, each with its value.
    fn set_table(&self, py: Python, table: Vec<(f64, f64)>) -> PyResult<()> {
        self.0.simulation(py)?.engine.net.rng.variables[self.0.id.0 as usize].set_table(table);
        Ok(())
    }

    /// Draws anew what is drawn once for many values.
    fn restart(&self, py: Python) -> PyResult<()> {
        self.0.simulation(py)?.engine.net.rng.restart(self.0.id);
        Ok(())
    }

    /// The next value.
    fn draw(&self, py: Python) -> PyResult<f64> {
        Ok(self.0.simulation(py)?.engine.net.rng.draw(self.0.id))
    }
}

#[pymethods]
impl Simulation {
    /// The stream that everything draws from that has none of its own.
    #[getter]
    fn default_stream(this: &Bound<Simulation>) -> SimulationStream {
        SimulationStream(Handle::new(this, 0))
    }

    /// A new stream.
    fn add_stream(this: &Bound<Simulation>) -> PyResult<SimulationStream> {
        let made = Handle::made(this, |simulation| {
            let streams = &mut simulation.engine.net.rng;
            let stream = streams.new_stream();
            streams.made.push(stream);
            Ok(streams.made.len() as u32)
        });
        made.map(SimulationStream)
    }

    /// A new random variable of a kind; `SimulationError` for one that there is not.
    fn add_random_variable(this: &Bound<Simulation>, kind: &str) -> PyResult<RandomVariable> {
        let made = Handle::made(this, |simulation| {
            let variable = simulation.engine.net.rng.add_variable(kind);
            variable.ok_or_else(|| crate::convert::simulation_error(format!("unknown random variable {kind}")))
        });
        made.map(RandomVariable)
    }
}
