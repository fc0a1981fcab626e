//! Random numbers for scripts and scenarios.

use ackclock_engine::random::random_variable::{RandomVariable, VariableId};
use ackclock_engine::random::rng::{Owner, Stream};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert::{no_such, simulation_error, unknown_parameter, value_from_python, value_to_python};
use crate::simulation::Simulation;

impl Simulation {
    /// Stream 0 is the default one; others are numbered as they are made.
    fn stream(&mut self, number: u32) -> PyResult<&mut Stream> {
        let streams = &mut self.engine.net.rng;
        match number {
            0 => Ok(&mut streams.default),
            _ => streams.made.get_mut(number as usize - 1).ok_or_else(|| no_such("random stream", number)),
        }
    }
}

#[pymethods]
impl Simulation {
    /// A stream of its own; its number.
    fn add_stream(&mut self) -> u32 {
        let streams = &mut self.engine.net.rng;
        let stream = streams.new_stream();
        streams.made.push(stream);
        streams.made.len() as u32
    }

    /// Seeds a stream; streams made later follow from the seed.
    fn seed_stream(&mut self, stream: u32, seed: u32) -> PyResult<()> {
        let seeded = self.engine.net.rng.seeded(seed);
        *self.stream(stream)? = seeded;
        Ok(())
    }

    /// From now on each source of random numbers has a stream of its own, by the hash of this seed and of the source's name.
    /// To be called before anything is added.
    fn hash_seed(&mut self, seed: u64) {
        self.engine.net.rng.hash(seed);
    }

    /// Names an `agent`, `app`, `link` or `error_model`: the names of its streams begin so. Without effect unless the seed
    /// is hashed. To be called before the first draw.
    fn name_draws(&mut self, owner: &str, number: u32, name: &str) -> PyResult<()> {
        let owner = match owner {
            "agent" => Owner::Agent,
            "app" => Owner::App,
            "link" => Owner::Link,
            "error_model" => Owner::ErrorModel,
            _ => return Err(PyValueError::new_err(format!("{owner} has no random numbers"))),
        };
        self.engine.net.rng.name(owner, number, name);
        Ok(())
    }

    fn stream_state(&mut self, stream: u32) -> PyResult<[u64; 6]> {
        Ok(self.stream(stream)?.state())
    }

    fn next_substream(&mut self, stream: u32) -> PyResult<()> {
        self.stream(stream)?.next_substream();
        Ok(())
    }

    fn restart_substream(&mut self, stream: u32) -> PyResult<()> {
        self.stream(stream)?.restart_substream();
        Ok(())
    }

    /// Whole numbers of a stream of its own seeded so: the first `first`, then each `every`-th, of `count` in all.
    #[staticmethod]
    fn sample_stream(seed: u32, first: usize, every: usize, count: usize) -> Vec<i64> {
        let mut stream = Stream::from_seed(seed);
        let drawn = (0..count).map(|index| (index, stream.whole()));
        drawn.filter(|(index, _)| *index < first || index % every == 0).map(|(_, number)| number).collect()
    }

    /// Uniform on (0, 1).
    fn draw_unit(&mut self, stream: u32) -> PyResult<f64> {
        Ok(self.stream(stream)?.unit())
    }

    /// A whole number in [0, 2^31).
    fn draw_whole(&mut self, stream: u32) -> PyResult<i64> {
        Ok(self.stream(stream)?.whole())
    }

    /// Exponential with mean 1.
    fn draw_exponential(&mut self, stream: u32) -> PyResult<f64> {
        Ok(self.stream(stream)?.exponential())
    }

    fn draw_normal(&mut self, stream: u32, mean: f64, deviation: f64) -> PyResult<f64> {
        let mut spare = self.engine.net.rng.spare_normal().take();
        let drawn = self.stream(stream)?.normal(&mut spare, mean, deviation);
        *self.engine.net.rng.spare_normal() = spare;
        Ok(drawn)
    }
}

#[pymethods]
impl Simulation {
    /// A random variable of this kind; its number.
    fn add_random_variable(&mut self, kind: &str) -> PyResult<u32> {
        let variable = self.engine.net.rng.add_variable(kind);
        Ok(variable.ok_or_else(|| simulation_error(format!("unknown random variable {kind}")))?.0)
    }

    fn random_variable_param<'py>(
        &mut self,
        py: Python<'py>,
        variable: u32,
        name: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let value = self.variable(variable)?.param(name);
        value_to_python(py, value.ok_or_else(|| unknown_parameter("this random variable", name))?)
    }

    fn set_random_variable_param(&mut self, variable: u32, name: &str, value: &Bound<PyAny>) -> PyResult<()> {
        let known = self.variable(variable)?.set_param(name, value_from_python(value)?);
        if known { Ok(()) } else { Err(unknown_parameter("this random variable", name)) }
    }

    /// From now on a random variable draws from this stream.
    fn set_random_variable_stream(&mut self, variable: u32, stream: u32) -> PyResult<()> {
        self.stream(stream)?;
        self.variable(variable)?.stream = stream;
        Ok(())
    }

    /// The table of an empirical distribution: cumulative probabilities, rising, each with its value.
    fn set_random_variable_table(&mut self, variable: u32, table: Vec<(f64, f64)>) -> PyResult<()> {
        self.variable(variable)?.set_table(table);
        Ok(())
    }

    /// What a random variable draws once for many values is drawn anew.
    fn restart_random_variable(&mut self, variable: u32) -> PyResult<()> {
        self.variable(variable)?;
        self.engine.net.rng.restart(VariableId(variable));
        Ok(())
    }

    /// The next value of a random variable.
    fn draw_random_variable(&mut self, variable: u32) -> PyResult<f64> {
        self.variable(variable)?;
        Ok(self.engine.net.rng.draw(VariableId(variable)))
    }
}

impl Simulation {
    fn variable(&mut self, number: u32) -> PyResult<&mut RandomVariable> {
        let variables = &mut self.engine.net.rng.variables;
        variables.get_mut(number as usize).ok_or_else(|| no_such("random variable", number))
    }
}

/// A stream of random numbers (MRG32k3a) outside a simulation.
#[pyclass(module = "ackclock._native")]
pub struct RandomStream {
    stream: Stream,
}

#[pymethods]
impl RandomStream {
    /// The stream with this name among those of a hashed seed.
    #[staticmethod]
    fn hashed(seed: u64, name: &str) -> RandomStream {
        RandomStream { stream: Stream::hashed(seed, name) }
    }

    /// The stream of an ns-2 seed: all six words of its state are the seed.
    #[staticmethod]
    fn of_ns2(seed: u32) -> RandomStream {
        RandomStream { stream: Stream::from_seed(seed) }
    }

    /// The six words of the state.
    fn state(&self) -> [u64; 6] {
        self.stream.state()
    }

    /// Goes to the start of the next substream.
    fn next_substream(&mut self) {
        self.stream.next_substream();
    }

    /// Uniform on (0, 1).
    fn unit(&mut self) -> f64 {
        self.stream.unit()
    }

    /// So many numbers, uniform on (0, 1).
    fn units(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.stream.unit()).collect()
    }

    /// Exponential with mean 1.
    fn exponential(&mut self) -> f64 {
        self.stream.exponential()
    }
}

/// The hash of a seed and a name, 64 bits.
#[pyfunction]
pub fn hash_seed(seed: u64, name: &str) -> u64 {
    ackclock_engine::random::rng::hash(seed, name)
}
