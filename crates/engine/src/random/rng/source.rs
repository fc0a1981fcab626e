//! Sources of random draws, and their streams in hashed mode.

use super::{SeedSequence, Stream, Streams, VariableId};

/// A kind of component that draws and can have a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A sender or a receiver.
    Agent,
    /// An application.
    App,
    /// A link.
    Link,
    /// An error model.
    ErrorModel,
}

/// A source of draws: the number of its owner, and the purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The phase of an agent's clock.
    Clock(u32),
    /// An agent's sending: times and sizes.
    Sending(u32),
    /// An agent's congestion control.
    Control(u32),
    /// An application: times and sizes.
    Traffic(u32),
    /// A link's queue discipline.
    Queue(u32),
    /// The MAC of a LAN port.
    Access(u32),
    /// An error model.
    Loss(u32),
}

const OWNERS: usize = 4;
const PURPOSES: usize = 7;

impl Source {
    /// The owner's kind and number, and the name and number of the purpose.
    fn parts(self) -> (Owner, u32, &'static str, usize) {
        match self {
            Source::Clock(agent) => (Owner::Agent, agent, "clock", 0),
            Source::Sending(agent) => (Owner::Agent, agent, "sending", 1),
            Source::Control(agent) => (Owner::Agent, agent, "control", 2),
            Source::Traffic(app) => (Owner::App, app, "traffic", 3),
            Source::Queue(link) => (Owner::Link, link, "queue", 4),
            Source::Access(link) => (Owner::Link, link, "access", 5),
            Source::Loss(model) => (Owner::ErrorModel, model, "loss", 6),
        }
    }
}

/// The streams of a hashed seed. Each is created at its first draw.
pub(super) struct Hashed {
    sequence: SeedSequence,
    names: [Vec<Box<str>>; OWNERS],
    streams: [Vec<Option<Box<Stream>>>; PURPOSES],
}

impl Hashed {
    pub(super) fn new(seed: u64) -> Hashed {
        Hashed { sequence: SeedSequence::of(seed), names: Default::default(), streams: Default::default() }
    }

    pub(super) fn name(&mut self, owner: Owner, number: u32, name: &str) {
        let (names, number) = (&mut self.names[owner as usize], number as usize);
        if names.len() <= number {
            names.resize_with(number + 1, Box::default);
        }
        names[number] = name.into();
    }

    /// The hash state for the seed and a source's name.
    fn sequence_of(&self, source: Source) -> SeedSequence {
        let (owner, number, purpose, _) = source.parts();
        let kind = match owner {
            Owner::Agent => "agent",
            Owner::App => "app",
            Owner::Link => "link",
            Owner::ErrorModel => "error-model",
        };
        let name = match self.names[owner as usize].get(number as usize) {
            Some(name) if !name.is_empty() => format!("{name}/{purpose}"),
            _ => format!("{kind}/{number}/{purpose}"),
        };
        self.sequence.clone().named(&name)
    }

    fn stream(&mut self, source: Source) -> &mut Stream {
        let (_, number, _, purpose) = source.parts();
        let number = number as usize;
        if self.streams[purpose].get(number).is_none_or(Option::is_none) {
            let stream = Box::new(self.sequence_of(source).stream());
            let streams = &mut self.streams[purpose];
            if streams.len() <= number {
                streams.resize_with(number + 1, || None);
            }
            streams[number] = Some(stream);
        }
        self.streams[purpose][number].as_mut().expect("it was made above")
    }
}

/// The draws of one source.
pub struct Draws<'a> {
    streams: &'a mut Streams,
    source: Source,
}

impl<'a> Draws<'a> {
    #[inline]
    pub(super) fn new(streams: &'a mut Streams, source: Source) -> Draws<'a> {
        Draws { streams, source }
    }

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
            None => Streams::normal(spare_normal, default, mean, deviation),
            Some(hashed) => Streams::normal(&mut None, hashed.stream(self.source), mean, deviation),
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
