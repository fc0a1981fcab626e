//! What this layer does not read, and `ackclock run` does.

use crate::error::ScenarioError;

/// The end of every refusal.
pub const NOT_HERE: &str = "is not read here; `ackclock run` runs it";

/// The error for something that the Python package reads and this crate does not.
pub fn refused(what: &str) -> ScenarioError {
    ScenarioError::new(format!("{what} {NOT_HERE}"))
}
