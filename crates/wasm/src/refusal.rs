//! Refusals of requests.

use ackclock_scenario::Error;

/// Why there is no answer: a sentence, and the key of a description that is wrong.
pub struct Refusal {
    /// The sentence.
    pub error: String,
    /// The key.
    pub key: Option<String>,
}

impl Refusal {
    /// A sentence.
    pub fn new(error: impl Into<String>) -> Refusal {
        Refusal { error: error.into(), key: None }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        let key = match &error {
            Error::Scenario(wrong) if !wrong.key.is_empty() => Some(wrong.key.clone()),
            _ => None,
        };
        Refusal { error: error.to_string(), key }
    }
}
