//! How a link sends that has no rate of its own: random processes, and media that it shares.

use crate::error::ScenarioError;
use crate::model::leo_satellite::LeoSatellite;
use crate::model::typed::{Described, Read, of_kind};
use crate::model::wifi::Wifi;
use crate::refused::refused;
use crate::tree::Tree;

/// Names of the processes.
pub const PROCESSES: [&str; 3] = ["cellular", "leo_satellite", "wifi"];

/// How a link sends that has no rate of its own.
#[derive(Clone, Debug, PartialEq)]
pub enum Process {
    /// A link over satellites.
    LeoSatellite(Box<LeoSatellite>),
    /// A link over the medium of IEEE 802.11.
    Wifi(Box<Wifi>),
}

impl Read for Process {
    fn read(tree: &Tree) -> Result<Process, ScenarioError> {
        of_kind(tree, "Cellular", &PROCESSES, |kind, table| {
            Ok(match kind {
                "leo_satellite" => Process::LeoSatellite(Box::new(LeoSatellite::of(table, true)?)),
                "wifi" => Process::Wifi(Box::new(Wifi::of(table, true)?)),
                _ => return Err(refused("a random process of a link's rate").value(tree.clone())),
            })
        })
    }

    fn expected() -> String {
        "a table of Cellular".into()
    }
}
