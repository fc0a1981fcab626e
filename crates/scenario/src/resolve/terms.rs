//! What all conversations of a described flow have in common, and how its parameters are read.

use ackclock_engine::params::Value;

use crate::defaults::{Bench, Values, parameter_value};
use crate::error::{ScenarioError, nearest};
use crate::outside::Chosen;
use crate::resolve::codes::Choice;
use crate::tree::Tree;

/// What all conversations of a described flow have in common.
#[derive(Clone, Debug)]
pub struct Terms {
    /// What the names of those begin with that have none.
    pub(super) kind: String,
    /// The agent that sends.
    pub sender: String,
    /// The agent that receives.
    pub receiver: String,
    /// The congestion control.
    pub control: Option<String>,
    /// The sender's parameters.
    pub parameters: Values,
    /// The receiver's parameters.
    pub receiver_parameters: Values,
    /// The code that decides about the window, if it is none of the engine's.
    pub code: Option<Chosen>,
    pub(super) packet_bytes: i64,
    /// Bytes of a packet with its headers.
    pub wire_bytes: i64,
}

/// A parameter of an agent of this kind; `room` is what declares those of its kind, if anything does.
pub(super) fn parameter(
    bench: &mut Bench,
    room: &str,
    kind: &str,
    (name, value): (&str, &Tree),
    key: &str,
    own: Option<&Choice>,
) -> Result<Value, ScenarioError> {
    let mut declared: Vec<String> = match room {
        "" => Vec::new(),
        room => bench.parameters(room).iter().map(|known| known.name.to_string()).collect(),
    };
    let is_known =
        if room.starts_with("tcp_") { declared.iter().any(|known| known == name) } else { bench.knows(kind, name) };
    if !is_known {
        declared.extend(own.iter().flat_map(|own| own.names().map(str::to_owned)));
        let error = ScenarioError::new("unknown parameter").key(format!("{key}.{name}")).value(value.clone());
        return Err(error.near(nearest(name, &declared)));
    }
    parameter_value(bench, room, name, value).map_err(|error| error.under(name).under(key))
}
