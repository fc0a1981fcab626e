//! What a scenario's `seed` may be: a whole number, which is hashed, or the text `ns2:7`, which has ns-2's meaning.

use crate::error::ScenarioError;
use crate::model::shape::{Parts, Shape};
use crate::model::typed::Read;
use crate::outside::Outside;
use crate::tree::Tree;

/// One more than ns-2's largest seed. Its seed 0 is the time of day, which no run could repeat.
pub const NS2_SEEDS: u32 = 1 << 31;

/// What a text is that has ns-2's meaning, as a regular expression.
pub const NS2_SEED: &str = "^ns2:[1-9][0-9]{0,9}$";

/// A seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seed {
    /// Hashed with the name of each source of random numbers.
    Hashed(u64),
    /// One stream for all draws, as after `ns-random N` in an ns-2 script.
    Ns2(u32),
}

impl Seed {
    /// Its number.
    pub fn number(self) -> u64 {
        match self {
            Seed::Hashed(number) => number,
            Seed::Ns2(number) => number.into(),
        }
    }
}

impl Read for Seed {
    fn read(tree: &Tree, _: &dyn Outside) -> Result<Seed, ScenarioError> {
        let found = match tree {
            Tree::Whole(whole) => u64::try_from(*whole).ok().map(Seed::Hashed),
            Tree::Large(digits) => digits.parse().ok().map(Seed::Hashed),
            Tree::Text(text) => text.strip_prefix("ns2:").and_then(ns2_seed).map(Seed::Ns2),
            _ => None,
        };
        found.ok_or_else(|| {
            let most = u64::MAX;
            let ns2s = NS2_SEEDS - 1;
            let expected = format!(
                "expected a whole number from 0 to {most}, or \"ns2:N\" for ns-2's stream of seed N, 1 to {ns2s}"
            );
            ScenarioError::new(expected).value(tree.clone())
        })
    }

    fn expected() -> String {
        "a seed".into()
    }

    fn shape(_: &mut Parts) -> Shape {
        Shape::Seed
    }

    fn to_tree(&self) -> Option<Tree> {
        Some(match self {
            Seed::Ns2(number) => Tree::Text(format!("ns2:{number}")),
            Seed::Hashed(number) => i64::try_from(*number).map_or(Tree::Large(number.to_string()), Tree::Whole),
        })
    }
}

fn ns2_seed(digits: &str) -> Option<u32> {
    let is_number =
        digits.len() <= 10 && !digits.starts_with('0') && digits.bytes().all(|digit| digit.is_ascii_digit());
    digits.parse().ok().filter(|&seed| is_number && seed < NS2_SEEDS)
}

/// What the names of each described flow's streams begin with, from the flows' own names: `flow/` and the name, or the
/// flow's place where it has none. A name that was there before gets a number, since flows with the same stream would
/// draw the same.
pub fn stream_names<'a>(names: impl Iterator<Item = Option<&'a str>>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    let mut found = Vec::new();
    for (index, name) in names.enumerate() {
        let first = name
            .filter(|name| !name.is_empty())
            .map_or_else(|| format!("flow/flows.{index}"), |name| format!("flow/{name}"));
        let (mut again, mut number) = (first.clone(), 2);
        while !seen.insert(again.clone()) {
            again = format!("{first} ({number})");
            number += 1;
        }
        found.push(again);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::stream_names;

    #[test]
    fn every_flow_has_streams_of_its_own() {
        let names = [None, Some("web"), Some("web"), None, Some("flows.0"), Some("web (2)")];
        let expected =
            ["flow/flows.0", "flow/web", "flow/web (2)", "flow/flows.3", "flow/flows.0 (2)", "flow/web (2) (2)"];
        assert_eq!(stream_names(names.into_iter()), expected);
    }
}
