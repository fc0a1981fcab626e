//! Random number generator MRG32k3a with streams and substreams.
//!
//! A simulation has one of two modes. In ns-2's mode, the default, all draws without their own stream use one stream,
//! and a seed is the value of all six words of its state. Draws with consecutive seeds are then nearly proportional.
//! So only ns-2 scripts, and runs compared with them, should use this mode. With [`Streams::hash`], each [`Source`]
//! of draws has its own stream. Its state is the hash of the seed and of the source's name ([`Stream::hashed`]), so a
//! new source does not change the draws of the others.
//!
//! Source: P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number generators",
//! Operations Research 47(1), 1999; streams and substreams after L'Ecuyer, Simard, Chen and Kelton, "An object-oriented
//! random-number package with many long streams and substreams", Operations Research 50(6), 2002.
//! Checked against: the states and draws that ns-2.35 prints (tests/oracle/ns2).

mod seed_sequence;
mod source;

use crate::random::random_variable::{RandomVariable, VariableId};
use seed_sequence::SeedSequence;
use source::Hashed;
pub use source::{Draws, Owner, Source};

const M1: u64 = 4_294_967_087;
const M2: u64 = 4_294_944_443;
/// 1/(m1 + 1), the factor of each draw.
const NORM: f64 = 1.0 / (M1 as f64 + 1.0);

const A1: [[u64; 3]; 3] = [[0, 1, 0], [0, 0, 1], [M1 - 810_728, 1_403_580, 0]];
const A2: [[u64; 3]; 3] = [[0, 1, 0], [0, 0, 1], [M2 - 1_370_589, 0, 527_612]];

/// Streams start 2^127 steps apart, substreams 2^76.
const STREAM_STEPS_LOG2: u32 = 127;
const SUBSTREAM_STEPS_LOG2: u32 = 76;

type Matrix = [[u64; 3]; 3];

const STREAM: Jump = Jump::of(STREAM_STEPS_LOG2);
const SUBSTREAM: Jump = Jump::of(SUBSTREAM_STEPS_LOG2);

/// A jump of many steps, as the matrices of both recurrences.
struct Jump {
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

    fn from(&self, state: [u64; 6]) -> [u64; 6] {
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
    state: [u64; 6],
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

    /// The stream with this name for this seed: its state is the hash of both, see [`hash`].
    ///
    /// The words of the hash fill the state in order. A word that is not below its modulus is skipped, so that all
    /// valid states are equally likely.
    pub fn hashed(seed: u64, name: &str) -> Stream {
        SeedSequence::of(seed).named(name).stream()
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
        -self.unit().ln()
    }

    /// Exponential with the given mean.
    pub fn exponential_mean(&mut self, mean: f64) -> f64 {
        mean * self.exponential()
    }

    /// Pareto with the given scale and shape.
    pub fn pareto(&mut self, scale: f64, shape: f64) -> f64 {
        scale * (1.0 / self.unit().powf(1.0 / shape))
    }
}

/// The seed of a stream that is stored elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seed {
    /// The value of all six words, as in ns-2.
    Same(u32),
    /// A hash; it is hashed again.
    Hashed(u64),
}

impl Default for Seed {
    fn default() -> Seed {
        Seed::Same(1)
    }
}

impl Seed {
    /// The stream with this seed.
    pub fn stream(self) -> Stream {
        match self {
            Seed::Same(seed) => Stream::from_seed(seed.max(1)),
            Seed::Hashed(seed) => Stream::hashed(seed, ""),
        }
    }
}

/// The random numbers of one simulation.
pub struct Streams {
    /// The stream of all draws without their own stream.
    pub default: Stream,
    /// Further streams, created by the caller of the simulation or for single sources.
    pub made: Vec<Stream>,
    /// Random variables by number.
    pub variables: Vec<RandomVariable>,
    next_stream: [u64; 6],
    pub(crate) spare_normal: Option<f64>,
    /// The streams of the sources, in hashed mode.
    hashed: Option<Box<Hashed>>,
}

impl Default for Streams {
    fn default() -> Streams {
        let mut streams = Streams {
            default: Stream::from_seed(1),
            made: Vec::new(),
            variables: Vec::new(),
            next_stream: [12_345; 6],
            spare_normal: None,
            hashed: None,
        };
        streams.default = streams.seeded(1);
        streams
    }
}

impl Streams {
    /// A new stream, 2^127 steps after the last one created or seeded.
    pub fn new_stream(&mut self) -> Stream {
        let stream = Stream::from_state(self.next_stream);
        self.next_stream = STREAM.from(self.next_stream);
        stream
    }

    /// A stream that starts at `seed`; later streams follow it.
    pub fn seeded(&mut self, seed: u32) -> Stream {
        let stream = Stream::from_seed(seed);
        self.next_stream = STREAM.from(stream.state);
        stream
    }

    /// Switches to hashed mode: each source of draws has its own stream, with the hash of this seed and of the
    /// source's name. Other draws use the default stream, whose name is `default`.
    pub fn hash(&mut self, seed: u64) {
        self.default = Stream::hashed(seed, "default");
        self.hashed = Some(Box::new(Hashed::new(seed)));
    }

    /// Sets the name of an owner of draws. The default name is its kind and number, such as `agent/3`. Must be called
    /// before its first draw; has no effect in ns-2's mode.
    pub fn name(&mut self, owner: Owner, number: u32, name: &str) {
        if let Some(hashed) = &mut self.hashed {
            hashed.name(owner, number, name);
        }
    }

    /// The draws of a source: from its own stream in hashed mode, otherwise from the default stream.
    #[inline]
    pub fn of(&mut self, source: Source) -> Draws<'_> {
        Draws::new(self, source)
    }

    /// A stream by number: 0 is the default stream, n the n-th in `made`.
    #[inline]
    pub fn numbered(&mut self, number: u32) -> &mut Stream {
        match number {
            0 => &mut self.default,
            _ => &mut self.made[number as usize - 1],
        }
    }

    /// A normal variate from `stream` (polar method). As in ns-2, the second one of each pair is kept for the next
    /// call, whatever its stream.
    pub fn normal(spare: &mut Option<f64>, stream: &mut Stream, mean: f64, deviation: f64) -> f64 {
        if deviation == 0.0 {
            return mean;
        }
        if let Some(spared) = spare.take() {
            return spared * deviation + mean;
        }
        loop {
            let first = 2.0 * stream.unit() - 1.0;
            let second = 2.0 * stream.unit() - 1.0;
            let radius = first * first + second * second;
            if radius < 1.0 {
                let scale = ((-2.0 * radius.ln()) / radius).sqrt();
                *spare = Some(second * scale);
                return first * scale * deviation + mean;
            }
        }
    }

    /// The spare variate of [`Streams::normal`], for streams stored elsewhere.
    pub fn spare_normal(&mut self) -> &mut Option<f64> {
        &mut self.spare_normal
    }
}

/// The hash of a seed and a name: the value of
/// `numpy.random.SeedSequence(seed, spawn_key=key).generate_state(1, "u8")`. `key` is the name's length in bytes, then
/// its UTF-8 bytes as little-endian 32-bit words; the last one is padded with zeros.
pub fn hash(seed: u64, name: &str) -> u64 {
    SeedSequence::of(seed).named(name).hash()
}

#[cfg(test)]
mod tests {
    use super::*;

    // Printed by ns-2.35: `puts [[new RNG] all-seeds]` after start-up, and after `$r seed 5`.
    #[test]
    fn streams_start_where_ns2_starts_them() {
        let mut streams = Streams::default();
        assert_eq!(
            streams.new_stream().state(),
            [2_662_865_579, 741_857_976, 4_206_142_246, 3_352_832_365, 2_519_202_871, 655_500_294]
        );
        streams.seeded(5);
        assert_eq!(streams.new_stream().state()[0], 429_426_634);
    }

    #[test]
    fn sources_have_streams_of_their_own_by_name() {
        let mut streams = Streams::default();
        streams.hash(7);
        streams.name(Owner::Link, 3, "link/a->b");
        let mut expected = Stream::hashed(7, "link/a->b/queue");
        for _ in 0..3 {
            assert_eq!(streams.of(Source::Queue(3)).unit().to_bits(), expected.unit().to_bits());
            streams.of(Source::Queue(2)).unit();
            streams.of(Source::Access(3)).normal(0.0, 1.0);
        }
        assert_eq!(streams.of(Source::Loss(2)).unit(), Stream::hashed(7, "error-model/2/loss").unit());
        assert_eq!(streams.default, Stream::hashed(7, "default"));
        let seed = streams.of(Source::Control(1)).own_seed();
        assert_eq!(seed, Some(hash(7, "agent/1/control")));
        assert_eq!(streams.of(Source::Clock(1)).first_unit(), Stream::hashed(7, "agent/1/clock").unit());
    }

    #[test]
    fn a_source_s_random_variable_draws_from_its_stream() {
        let mut streams = Streams::default();
        streams.hash(7);
        let variable = streams.add_variable("exponential").expect("the kind is known");
        let drawn = [(); 2].map(|()| streams.of(Source::Loss(0)).variable(variable));
        let mut own = Stream::hashed(7, "error-model/0/loss");
        assert_eq!(drawn, [(); 2].map(|()| own.exponential()));
        assert_eq!(streams.default, Stream::hashed(7, "default"));
    }

    #[test]
    fn in_ns2_s_way_all_sources_draw_from_the_default_stream() {
        let (mut streams, mut default) = (Streams::default(), Streams::default().default);
        streams.name(Owner::Link, 0, "link/a->b");
        for source in [Source::Queue(0), Source::Clock(0), Source::Loss(0)] {
            assert_eq!(streams.of(source).unit(), default.unit());
        }
        assert_eq!(streams.of(Source::Clock(1)).first_unit(), default.unit());
        assert_eq!(streams.of(Source::Control(0)).own_seed(), None);
    }
}
