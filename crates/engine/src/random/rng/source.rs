//! Sources of random draws, and their streams in hashed mode.

use super::seed_sequence::SeedSequence;
use super::stream::Stream;

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
    /// The MAC of a LAN port or a Wi-Fi station.
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
    pub(super) fn sequence_of(&self, source: Source) -> SeedSequence {
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

    pub(super) fn stream(&mut self, source: Source) -> &mut Stream {
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
