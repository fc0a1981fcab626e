//! Errors of a description, and errors of a running simulation.

use std::fmt;
use std::time::Duration;

/// A network that cannot be simulated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError {
    /// The part with the mistake, such as `link client -> server`.
    pub part: String,
    /// What is wrong, and what was expected.
    pub problem: String,
}

impl BuildError {
    pub(crate) fn new(part: impl fmt::Display, problem: impl Into<String>) -> BuildError {
        BuildError { part: part.to_string(), problem: problem.into() }
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "{}: {}", self.part, self.problem)
    }
}

impl std::error::Error for BuildError {}

/// `unknown WHAT "NAME"`, with the nearest known name or all of them.
pub(crate) fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.collect();
    let nearest = known.iter().map(|&one| (strsim::jaro_winkler(name, one), one)).max_by(|one, other| {
        // Of names that are equally near, the first one.
        one.0.total_cmp(&other.0).then(other.1.cmp(one.1))
    });
    match nearest {
        Some((likeness, nearest)) if likeness > 0.8 => format!("unknown {what} {name:?}; did you mean {nearest:?}?"),
        Some(_) => format!("unknown {what} {name:?}; expected one of {}", known.join(", ")),
        None => format!("unknown {what} {name:?}; there are none to set"),
    }
}

/// Why a call was refused. After all but [`Error::Over`] and [`Error::Failed`] the simulation goes on as before.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// The time that was given has passed.
    Past {
        /// The time that was given.
        at: Duration,
        /// The time of the simulation.
        now: Duration,
    },
    /// The datagram does not fit through a link of its path.
    TooLarge {
        /// Bytes of the datagram.
        bytes: usize,
        /// The largest datagram that fits, bytes.
        limit: usize,
        /// The link, by the names of its nodes.
        link: String,
    },
    /// No path leads from the first to the second node.
    NoRoute(String, String),
    /// The endpoint is of another network.
    UnknownEndpoint,
    /// The simulation has reached its end.
    Over {
        /// The end.
        end: Duration,
    },
    /// The simulation cannot continue; every later call gives the same error.
    Failed(String),
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Error::Past { at, now } => {
                let (at, now) = (at.as_secs_f64(), now.as_secs_f64());
                write!(out, "{at} s is in the past: the simulation is at {now} s")
            }
            Error::TooLarge { bytes, limit, link } => {
                write!(out, "a datagram of {bytes} bytes exceeds the MTU of the link {link}: at most {limit} bytes fit")
            }
            Error::NoRoute(from, to) => write!(out, "no path leads from {from} to {to}"),
            Error::UnknownEndpoint => out.write_str("the endpoint is of another network"),
            Error::Over { end } => write!(out, "the simulation is over: it ended at {} s", end.as_secs_f64()),
            Error::Failed(reason) => write!(out, "the simulation cannot continue: {reason}"),
        }
    }
}

impl std::error::Error for Error {}
