//! Why a transfer has no outcome.

use std::fmt;

use ackclock::{BuildError, Error};

/// Why there is no outcome.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The network cannot be simulated.
    Build(BuildError),
    /// The network refused a call.
    Network(Error),
    /// A stack gave up: the reason.
    Stack(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Failure::Build(error) => error.fmt(out),
            Failure::Network(error) => error.fmt(out),
            Failure::Stack(reason) => out.write_str(reason),
        }
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Failure {
        Failure::Build(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Network(error)
    }
}
