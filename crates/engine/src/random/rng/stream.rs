//! One stream of the generator MRG32k3a.

use crate::math::Math;

pub(super) const M1: u64 = 4_294_967_087;
pub(super) const M2: u64 = 4_294_944_443;
/// 1/(m1 + 1), the factor of each draw.
const NORM: f64 = 1.0 / (M1 as f64 + 1.0);

const A1: [[u64; 3]; 3] = [[0, 1, 0], [0, 0, 1], [M1 - 810_728, 1_403_580, 0]];
const A2: [[u64; 3]; 3] = [[0, 1, 0], [0, 0, 1], [M2 - 1_370_589, 0, 527_612]];

/// Streams start 2^127 steps apart, substreams 2^76.
const STREAM_STEPS_LOG2: u32 = 127;
const SUBSTREAM_STEPS_LOG2: u32 = 76;

type Matrix = [[u64; 3]; 3];

pub(super) const STREAM: Jump = Jump::of(STREAM_STEPS_LOG2);
const SUBSTREAM: Jump = Jump::of(SUBSTREAM_STEPS_LOG2);

/// A jump of many steps, as the matrices of both recurrences.
pub(super) struct Jump {
    first: Matrix,
    second: Matrix,
}

impl Jump {
    /// The jump of 2^`steps_log2` steps: squares the matrices of one step repeatedly.
    const fn of(steps_log2: u32) -> Jump {
        let mut jump = Jump { first: A1, second: A2 };
        let mut done = 0;
        while done < steps_log2 {
            jump = Jump { first: squared(&jump.first, M1), second: squared(&jump.second, M2) };
            done += 1;
        }
        jump
    }

    pub(super) fn from(&self, state: [u64; 6]) -> [u64; 6] {
        let [a, b, c, d, e, f] = state;
        let first = self.first.map(|row| dot(row, [a, b, c], M1));
        let second = self.second.map(|row| dot(row, [d, e, f], M2));
        [first[0], first[1], first[2], second[0], second[1], second[2]]
    }
}

const fn squared(a: &Matrix, modulus: u64) -> Matrix {
    let mut product = [[0; 3]; 3];
    let mut cell = 0;
    while cell < 9 {
        let (row, column) = (cell / 3, cell % 3);
        product[row][column] = dot(a[row], [a[0][column], a[1][column], a[2][column]], modulus);
        cell += 1;
    }
    product
}

/// The dot product modulo `modulus`; all numbers are below 2^32.
const fn dot(a: [u64; 3], b: [u64; 3], modulus: u64) -> u64 {
    (a[0] * b[0] % modulus + a[1] * b[1] % modulus + a[2] * b[2] % modulus) % modulus
}

/// One stream of random numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    pub(super) state: [u64; 6],
    substream_start: [u64; 6],
}

impl Stream {
    /// The stream that starts at `seeds`. The first three must be below 4294967087, the last three below 4294944443,
    /// and neither three all zero.
    pub fn from_state(seeds: [u64; 6]) -> Stream {
        Stream { state: seeds, substream_start: seeds }
    }

    /// The stream whose six seeds are all `seed`.
    pub fn from_seed(seed: u32) -> Stream {
        Stream::from_state([u64::from(seed); 6])
    }

    /// The six words of the state.
    pub fn state(&self) -> [u64; 6] {
        self.state
    }

    /// The first word of the state with which the stream was seeded.
    pub fn seed(&self) -> u64 {
        self.state[0]
    }

    /// Moves to the start of the next substream.
    pub fn next_substream(&mut self) {
        self.substream_start = SUBSTREAM.from(self.substream_start);
        self.state = self.substream_start;
    }

    /// Moves to the start of the current substream.
    pub fn restart_substream(&mut self) {
        self.state = self.substream_start;
    }

    /// Uniform on (0, 1).
    pub fn unit(&mut self) -> f64 {
        let [s10, s11, s12, s20, s21, s22] = self.state;
        // Adds 2m - s instead of subtracting s: the remainder is equal, and no number is negative.
        let p1 = (1_403_580 * s11 + 810_728 * (2 * M1 - s10)) % M1;
        let p2 = (527_612 * s22 + 1_370_589 * (2 * M2 - s20)) % M2;
        self.state = [s11, s12, p1, s21, s22, p2];
        let difference = if p1 > p2 { p1 - p2 } else { p1 + M1 - p2 };
        difference as f64 * NORM
    }

    /// Uniform on (low, high).
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + self.uniform_below(high - low)
    }

    /// Uniform on (0, high).
    pub fn uniform_below(&mut self, high: f64) -> f64 {
        self.unit() * high
    }

    /// An integer in [0, 2^31).
    pub fn whole(&mut self) -> i64 {
        (2_147_483_648.0 * self.unit()) as i64
    }

    /// An integer in [0, below); 0 if `below` is 0.
    pub fn integer(&mut self, below: i64) -> i64 {
        if below == 0 { 0 } else { self.whole() % below }
    }

    /// Exponential with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -self.unit().natural_log()
    }

    /// Exponential with the given mean.
    pub fn exponential_mean(&mut self, mean: f64) -> f64 {
        mean * self.exponential()
    }

    /// Pareto with the given scale and shape.
    pub fn pareto(&mut self, scale: f64, shape: f64) -> f64 {
        scale * (1.0 / self.unit().power(1.0 / shape))
    }

    /// A normal variate (polar method). As in ns-2, the second one of each pair is kept for the next
    /// call, whatever its stream.
    pub fn normal(&mut self, spare: &mut Option<f64>, mean: f64, deviation: f64) -> f64 {
        if deviation == 0.0 {
            return mean;
        }
        if let Some(spared) = spare.take() {
            return spared * deviation + mean;
        }
        loop {
            let first = 2.0 * self.unit() - 1.0;
            let second = 2.0 * self.unit() - 1.0;
            let radius = first * first + second * second;
            if radius < 1.0 {
                let scale = ((-2.0 * radius.natural_log()) / radius).sqrt();
                *spare = Some(second * scale);
                return first * scale * deviation + mean;
            }
        }
    }
}
