//! What descriptions consist of, as values: Python's classes, the JSON Schema and the reference are written from it.

use std::sync::LazyLock;

use crate::error::ScenarioError;
use crate::model::loss::PACKET_NUMBERS;
use crate::model::scenario::{DEFAULT_SETS, Scenario};
use crate::model::seed;
use crate::model::shape::{Part, Parts, texts};
use crate::model::traffic::{CALL_RECEIVER, LEAVE_WINDOW, TAKE_DATAGRAMS, WITH_CONTROLS};
use crate::model::typed::Read;
use crate::tree::Tree;
use crate::units::{self, Kind};

/// The parts of a whole description.
pub fn parts() -> Parts {
    let mut parts = Parts::default();
    Scenario::shape(&mut parts);
    parts
}

/// Checks a table as the part of this name, its key `kind` included. Nothing outside of it is there.
///
/// # Errors
/// What is wrong.
pub fn check(name: &str, table: &[(String, Tree)]) -> Result<(), ScenarioError> {
    static PARTS: LazyLock<Parts> = LazyLock::new(parts);
    PARTS.check(name, table)
}

/// The parts and their keys, as values: what the generators of other forms go by.
pub fn tree() -> Tree {
    Tree::List(parts().all().iter().map(Part::tree).collect())
}

/// Words and numbers that other layers need: name, what it is, value of each.
pub fn constants() -> Vec<(&'static str, &'static str, Tree)> {
    let numbers = |all: &[(&str, f64)]| {
        Tree::Table(all.iter().map(|(name, factor)| ((*name).to_owned(), (*factor).into())).collect())
    };
    let packets = PACKET_NUMBERS.iter().map(|(name, number)| ((*name).to_owned(), (*number).into()));
    let expected = Kind::ALL.iter().map(|kind| (kind.name().to_owned(), kind.expected().into()));
    vec![
        ("DEFAULT_SETS", "names of the default sets", texts(DEFAULT_SETS)),
        ("WITH_CONTROLS", "senders whose congestion control is chosen by name", texts(WITH_CONTROLS)),
        ("LEAVE_WINDOW", "senders whose window a user-defined control can decide", texts(LEAVE_WINDOW)),
        ("TAKE_DATAGRAMS", "the engine's agents that take datagrams", texts(TAKE_DATAGRAMS)),
        ("CALL_RECEIVER", "the engine's agent that receives the video of a call", CALL_RECEIVER.into()),
        ("PACKET_NUMBERS", "what a loss can select, and ns-2's numbers for it", Tree::Table(packets.collect())),
        ("SEEDS", "one more than the largest hashed seed", Tree::Large((u128::from(u64::MAX) + 1).to_string())),
        ("NS2_SEEDS", "one more than ns-2's largest seed", Tree::Whole(seed::NS2_SEEDS.into())),
        ("NS2_SEED", "a pattern of seeds with ns-2's meaning", seed::NS2_SEED.into()),
        ("TIMES", "units of time, in seconds", numbers(units::TIMES)),
        ("RATES", "units of rates, in bit/s", numbers(units::RATES)),
        ("BYTE_RATES", "units of rates, in byte/s", numbers(units::BYTE_RATES)),
        ("SIZES", "units of sizes, in bytes", numbers(units::SIZES)),
        ("PACKETS", "units of packets", texts(units::PACKETS.iter().map(|(name, _)| *name))),
        ("EXPECTED", "what errors say of a wrong quantity, by its kind", Tree::Table(expected.collect())),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::described::Described;
    use crate::outside::Nothing;
    use crate::tree::Table;

    /// What a part takes where a description says no more than it must.
    fn least(parts: &Parts, name: &str) -> Table {
        let part = parts.all().iter().find(|part| part.name == name).expect("the part is there");
        part.keys.iter().filter_map(|key| Some((key.name.to_owned(), key.default.clone()?))).collect()
    }

    #[test]
    fn every_default_is_taken_as_it_is_told() {
        let parts = parts();
        for part in parts.all().iter().filter(|part| part.keys.iter().all(|key| !key.is_required)) {
            if part.name != "Loss" && part.name != "Flow" {
                assert_eq!(parts.check(part.name, &least(&parts, part.name)), Ok(()), "{}", part.name);
            }
        }
    }

    #[test]
    fn a_description_written_out_is_the_same_description() {
        let text = r#"
            duration = "5 s"
            seed = "ns2:7"
            [topology]
            kind = "graph"
            nodes = ["a", "b"]
            links = [{ ends = ["a", "b"], delay = "1 ms", process = { kind = "wifi", retries = 3 }, loss = [
                { kind = "multi_state", states = [{ rate = 0.5, next = [1.0] }] }, { rate = 0.1, flows = [1, "x"] },
            ], reverse = { loss = [], queue = "codel" } }]
            [[flows]]
            source = "a"
            destination = "b"
            tcp = "sack"
            dscp = "EF"
            name = "x"
            parameters = { window_init = "4 packets" }
            app = { kind = "ftp", size = "10 packets" }
        "#;
        let scenario = Scenario::from_toml(text).expect("the text is a scenario");
        let Some(Tree::Table(written)) = scenario.to_tree() else { panic!("a scenario is a table") };
        assert_eq!(Scenario::of(&written, false, &Nothing).as_ref(), Ok(&scenario));
    }
}
