//! What a description names that does not stand in it, where nobody provides it.

use crate::error::ScenarioError;

/// The end of every refusal.
pub const NOT_HERE: &str = "is not read here; `ackclock run` runs it";

/// The error for something that the Python package provides, and the caller does not.
pub fn refused(what: &str) -> ScenarioError {
    ScenarioError::new(format!("{what} {NOT_HERE}"))
}
