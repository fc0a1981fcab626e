//! Fractional ARIMA noise: a fractionally integrated moving average process with long memory.
//!
//! Source: J. R. M. Hosking, "Modeling persistence in hydrological time series using fractional differencing", Water
//! Resources Research 20(12), 1984; with one moving average term.

use super::special::{log_gamma, normal, power};
use crate::math::Math;
use crate::random::rng::Stream;

/// The process.
#[derive(Clone, Debug)]
pub struct Arima {
    /// Weights of past values; the first one is the variance of the innovations.
    weights: Vec<f64>,
    past: Vec<f64>,
    at: usize,
    deviation: f64,
}

impl Arima {
    /// A process of order `d` with `memory` past values, after `memory` steps.
    pub fn new(d: f64, memory: usize, stream: &mut Stream) -> Arima {
        let variance = (log_gamma(1.0 - 2.0 * d) - 2.0 * log_gamma(1.0 - d)).natural_exp();
        let mut weights = vec![0.0; memory];
        let mut past = vec![0.0; memory];
        weights[0] = variance;
        normal(stream);
        for t in 0..=memory {
            if (1..memory).contains(&t) {
                let last = d / (t as f64 - d);
                weights[t] = last;
                for j in 1..=t / 2 {
                    let (near, far) = (weights[j], weights[t - j]);
                    weights[j] = near - last * far;
                    weights[t - j] = far - last * near;
                }
                weights[0] *= 1.0 - last * last;
            }
            let mut mean = 0.0;
            for j in 1..=t.min(memory - 1) {
                mean += weights[j] * past[(t - j) % memory];
            }
            past[t % memory] = normal(stream) * power(weights[0], 0.5) + mean;
        }
        let deviation = power(weights[0], 0.5);
        Arima { weights, past, at: (memory + 1) % memory, deviation }
    }

    /// The next value.
    pub fn next(&mut self, stream: &mut Stream) -> f64 {
        let (recent, old) = self.past.split_at(self.at);
        let weights = &self.weights[1..];
        let mut mean = 0.0;
        for (weight, value) in weights.iter().zip(recent.iter().rev().chain(old.iter().rev())) {
            mean += weight * value;
        }
        let memory = self.past.len();
        let value = normal(stream) * self.deviation + mean;
        self.past[self.at] = value;
        let before = self.past[if self.at == 0 { memory - 1 } else { self.at - 1 }];
        self.at = (self.at + 1) % memory;
        value + before
    }

    /// Draws as many numbers as the initialisation of a process with this memory.
    pub fn skip(memory: usize, stream: &mut Stream) {
        for _ in 0..memory + 2 {
            normal(stream);
        }
    }
}
