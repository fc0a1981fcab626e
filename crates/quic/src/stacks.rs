//! The stacks that are built in.

use crate::failure::Failure;
use crate::stack::{Application, Stack};

/// A stack.
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// Its congestion controls that give the same bytes twice, the default first.
    pub controls: &'static [&'static str],
    /// Whether it marks its packets as ECN-capable.
    pub has_ecn: bool,
    /// Makes an end of a connection: the application, the seed, the congestion control.
    pub make: fn(Application, u64, &str) -> Box<dyn Stack>,
}

/// The stacks that are built in, by the features of this crate.
pub const STACKS: &[Entry] = &[
    #[cfg(feature = "quinn")]
    Entry {
        name: "quinn",
        controls: crate::quinn::CONTROLS,
        has_ecn: true,
        make: |application, seed, control| Box::new(crate::quinn::Quinn::new(application, seed, control)),
    },
    #[cfg(feature = "noq")]
    Entry {
        name: "noq",
        controls: crate::noq::CONTROLS,
        has_ecn: true,
        make: |application, seed, control| Box::new(crate::noq::Noq::new(application, seed, control)),
    },
    #[cfg(feature = "quiche")]
    Entry {
        name: "quiche",
        controls: crate::quiche::CONTROLS,
        has_ecn: false,
        make: |application, seed, control| Box::new(crate::quiche::Quiche::new(application, seed, control)),
    },
];

/// Stacks that have an adapter, and the feature of cargo that builds each in.
const WITH_FEATURE: &[&str] = &["quinn", "noq", "quiche"];

/// The stack of a name.
///
/// # Errors
/// If it is not built in: how to build it in, or the nearest known name.
pub fn find(name: &str) -> Result<&'static Entry, Failure> {
    let found = STACKS.iter().find(|entry| entry.name == name);
    found.ok_or_else(|| {
        if WITH_FEATURE.contains(&name) {
            return Failure::Stack(format!("{name} is not built in; build crates/quic with --features {name}"));
        }
        Failure::Stack(unknown("stack", name, &STACKS.iter().map(|entry| entry.name).collect::<Vec<_>>()))
    })
}

impl Entry {
    /// The control of a name, or the default.
    ///
    /// # Errors
    /// If the stack has none of this name: the nearest known one.
    pub fn control(&self, name: Option<&str>) -> Result<&'static str, Failure> {
        let Some(name) = name else { return Ok(self.controls[0]) };
        let found = self.controls.iter().find(|known| **known == name);
        let what = format!("congestion control of {}", self.name);
        found.copied().ok_or_else(|| Failure::Stack(unknown(&what, name, self.controls)))
    }
}

fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    let alike = known.iter().map(|one| (strsim::jaro_winkler(name, one), one));
    match alike.max_by(|one, other| one.0.total_cmp(&other.0)) {
        Some((likeness, nearest)) if likeness > 0.8 => format!("unknown {what} {name:?}; did you mean {nearest:?}?"),
        _ => format!("unknown {what} {name:?}; expected one of {}", known.join(", ")),
    }
}
