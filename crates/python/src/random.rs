//! Random numbers for scripts.

use ackclock_engine::rng::{Stream, Streams};
use pyo3::prelude::*;

use crate::convert::no_such;
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

    /// Uniform on (0, 1).
    fn draw_unit(&mut self, stream: u32) -> PyResult<f64> {
        Ok(self.stream(stream)?.unit())
    }

    fn draw_uniform(&mut self, stream: u32, low: f64, high: f64) -> PyResult<f64> {
        Ok(self.stream(stream)?.uniform(low, high))
    }

    /// A whole number in [0, 2^31).
    fn draw_whole(&mut self, stream: u32) -> PyResult<i64> {
        Ok(self.stream(stream)?.whole())
    }

    /// A whole number in [0, below).
    fn draw_integer(&mut self, stream: u32, below: i64) -> PyResult<i64> {
        Ok(self.stream(stream)?.integer(below))
    }

    /// Exponential with mean 1.
    fn draw_exponential(&mut self, stream: u32) -> PyResult<f64> {
        Ok(self.stream(stream)?.exponential())
    }

    fn draw_normal(&mut self, stream: u32, mean: f64, deviation: f64) -> PyResult<f64> {
        let mut spare = self.engine.net.rng.spare_normal().take();
        let drawn = Streams::normal(&mut spare, self.stream(stream)?, mean, deviation);
        *self.engine.net.rng.spare_normal() = spare;
        Ok(drawn)
    }
}
