//! A sender's congestion control, by name.

use super::Modern;
use crate::cc::modern::{self, CONTROLS};

impl Modern {
    /// The command `congestion_control NAME`.
    pub(super) fn choose(&mut self, name: &str, arguments: &[&str]) -> Option<Result<String, String>> {
        let ("congestion_control", [id]) = (name, arguments) else { return None };
        let Some(entry) = modern::named(id) else {
            let known: Vec<&str> = CONTROLS.iter().map(|entry| entry.id).collect();
            return Some(Err(format!("no congestion control of today is called {id}; there are {}", known.join(", "))));
        };
        self.law = (entry.make)();
        Some(Ok(String::new()))
    }
}
