//! Selection of the sender's congestion control by name.

use super::{Modern, linux26_adapter};
use crate::transport::tcp::cc::{self, CONTROLS};

/// Ids and descriptions of all congestion controls that the sender supports; the first one is the default.
pub fn entries() -> impl Iterator<Item = (&'static str, &'static str)> {
    let own = CONTROLS.iter().map(|entry| (entry.id, entry.about));
    own.chain(linux26_adapter::entries().map(|entry| (entry.id, entry.about)))
}

/// Ids of those that reduce their window in response to ECN marks; all of Linux 2.6 do.
pub fn answering_marks() -> impl Iterator<Item = &'static str> {
    let own = CONTROLS.iter().filter(|entry| (entry.make)().answers_marks()).map(|entry| entry.id);
    own.chain(linux26_adapter::entries().map(|entry| entry.id))
}

impl Modern {
    /// The command `congestion_control NAME`; `record_model`, which records the course of the control's model from now on; and
    /// `model_changes`, which returns it.
    pub(super) fn choose(&mut self, name: &str, arguments: &[&str]) -> Option<Result<String, String>> {
        let id = match (name, arguments) {
            ("congestion_control", [id]) => id,
            ("record_model", []) => {
                self.model_log = Some(Box::default());
                return Some(Ok(String::new()));
            }
            ("model_changes", []) => {
                return Some(Ok(self.model_log.take().map_or_else(String::new, |log| log.text().to_owned())));
            }
            _ => return None,
        };
        let Some(law) = cc::named(id).map(|entry| (entry.make)()).or_else(|| linux26_adapter::named(id)) else {
            let known: Vec<&str> = entries().map(|(id, _)| id).collect();
            return Some(Err(format!("unknown congestion control {id}; expected one of {}", known.join(", "))));
        };
        self.control = law;
        Some(Ok(String::new()))
    }
}
