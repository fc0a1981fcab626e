//! The scenario of a network, resolved.

use ackclock_scenario::Scenario;
use ackclock_scenario::model::seed::Seed;
use ackclock_scenario::outside::Nothing;
use ackclock_scenario::resolve::network::{Network as Resolved, resolve};

use crate::error::BuildError;

/// A scenario, and what it comes to under its own seed.
#[derive(Debug)]
pub(crate) struct Base {
    pub scenario: Scenario,
    pub resolved: Resolved,
}

impl Base {
    /// The scenario under another seed, and what it comes to then.
    pub fn seeded(&self, seed: Option<u64>) -> Result<(Scenario, Resolved), BuildError> {
        let mut scenario = self.scenario.clone();
        let Some(seed) = seed else { return Ok((scenario, self.resolved.clone())) };
        scenario.seed = Some(Seed::Hashed(seed));
        // Arrivals are drawn while it is resolved.
        let resolved = resolve(&scenario, &Nothing).map_err(|error| BuildError::new("scenario", error.to_string()))?;
        Ok((scenario, resolved))
    }
}
