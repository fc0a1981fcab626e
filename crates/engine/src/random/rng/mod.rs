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
mod stream;

use crate::random::random_variable::{RandomVariable, VariableId};
pub use seed_sequence::hash;
use source::Hashed;
pub use source::{Owner, Source};
use stream::STREAM;
pub use stream::Stream;

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
        Draws { streams: self, source }
    }

    /// A stream by number: 0 is the default stream, n the n-th in `made`.
    #[inline]
    pub fn numbered(&mut self, number: u32) -> &mut Stream {
        match number {
            0 => &mut self.default,
            _ => &mut self.made[number as usize - 1],
        }
    }

    /// Adds a random variable with the default stream; `None` for an unknown kind.
    pub fn add_variable(&mut self, kind: &str) -> Option<VariableId> {
        self.variables.push(RandomVariable::new(kind)?);
        Some(VariableId(self.variables.len() as u32 - 1))
    }

    /// Draws again the values that a random variable draws only once.
    pub fn restart(&mut self, variable: VariableId) {
        self.variables[variable.0 as usize].restart(&mut self.default, &mut self.made);
    }

    /// The next value of a random variable.
    pub fn draw(&mut self, variable: VariableId) -> f64 {
        self.variables[variable.0 as usize].next(&mut self.default, &mut self.made, &mut self.spare_normal)
    }

    /// The spare variate of [`Stream::normal`], for streams stored elsewhere.
    pub fn spare_normal(&mut self) -> &mut Option<f64> {
        &mut self.spare_normal
    }
}

/// The draws of one source.
pub struct Draws<'a> {
    streams: &'a mut Streams,
    source: Source,
}

impl Draws<'_> {
    #[inline]
    fn stream(&mut self) -> &mut Stream {
        match &mut self.streams.hashed {
            None => &mut self.streams.default,
            Some(hashed) => hashed.stream(self.source),
        }
    }

    /// Uniform on (0, 1).
    #[inline]
    pub fn unit(&mut self) -> f64 {
        self.stream().unit()
    }

    /// Uniform on (low, high).
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        self.stream().uniform(low, high)
    }

    /// Uniform on (0, high).
    pub fn uniform_below(&mut self, high: f64) -> f64 {
        self.stream().uniform_below(high)
    }

    /// An integer in [0, 2^31).
    pub fn whole(&mut self) -> i64 {
        self.stream().whole()
    }

    /// An integer in [0, below); 0 if `below` is 0.
    pub fn integer(&mut self, below: i64) -> i64 {
        self.stream().integer(below)
    }

    /// Exponential with mean 1.
    pub fn exponential(&mut self) -> f64 {
        self.stream().exponential()
    }

    /// A normal variate. In ns-2's mode the second one of each pair is kept for the next call of any source. In
    /// hashed mode each call draws a new pair.
    pub fn normal(&mut self, mean: f64, deviation: f64) -> f64 {
        let Streams { default, spare_normal, hashed, .. } = &mut *self.streams;
        match hashed {
            None => default.normal(spare_normal, mean, deviation),
            Some(hashed) => hashed.stream(self.source).normal(&mut None, mean, deviation),
        }
    }

    /// The first draw of the source's stream, uniform on (0, 1); in ns-2's mode the next one of the default stream.
    /// The stream is not stored, so the clock phases of thousands of senders need no memory.
    pub fn first_unit(&mut self) -> f64 {
        match &self.streams.hashed {
            None => self.streams.default.unit(),
            Some(hashed) => hashed.sequence_of(self.source).stream().unit(),
        }
    }

    /// The hash of the seed and of the source's name, to seed a generator elsewhere; `None` in ns-2's mode.
    pub fn own_seed(&self) -> Option<u64> {
        self.streams.hashed.as_ref().map(|hashed| hashed.sequence_of(self.source).hash())
    }

    /// The stream with this number, for a source with a stream parameter; 0 is the source's own.
    #[inline]
    pub fn numbered(&mut self, number: u32) -> &mut Stream {
        match number {
            0 => self.stream(),
            _ => self.streams.numbered(number),
        }
    }

    /// The next value of a random variable. If it uses the default stream, it draws from the source's stream.
    pub fn variable(&mut self, variable: VariableId) -> f64 {
        // A variable may draw from several streams, so the source's stream replaces the default one during the draw.
        let spare = self.exchange();
        let value = self.streams.draw(variable);
        if let Some(spare) = spare {
            self.exchange();
            self.streams.spare_normal = spare;
        }
        value
    }

    /// Exchanges the default stream and the source's own, if it has one; then returns the spare normal variate.
    fn exchange(&mut self) -> Option<Option<f64>> {
        let Streams { default, spare_normal, hashed, .. } = &mut *self.streams;
        std::mem::swap(default, hashed.as_mut()?.stream(self.source));
        Some(spare_normal.take())
    }
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
