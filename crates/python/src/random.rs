//! Random numbers outside a simulation.

use ackclock_engine::random::rng::Stream;
use pyo3::prelude::*;

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

    /// Whole numbers of the stream of an ns-2 seed: the first `first`, then each `every`-th, of `count` in all.
    #[staticmethod]
    fn sample(seed: u32, first: usize, every: usize, count: usize) -> Vec<i64> {
        let mut stream = Stream::from_seed(seed);
        let drawn = (0..count).map(|index| (index, stream.whole()));
        drawn.filter(|(index, _)| *index < first || index % every == 0).map(|(_, number)| number).collect()
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
