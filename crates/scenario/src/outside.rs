//! What a description names that does not stand in it: recordings in files, and code.

use std::fmt;

use ackclock_engine::net::link::LinkId;
use ackclock_engine::net::node::AgentId;
use ackclock_engine::sim::Simulation;

use crate::defaults::Values;
use crate::error::ScenarioError;
use crate::refused::refused;

/// Where the code of a control or a queue discipline comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A class of the user's Python: `module:Class`.
    Python,
    /// A congestion control of the Linux kernel's source: `kernel:cubic`.
    Kernel,
    /// A congestion control of a shared library: `./libmine.so:Mine`.
    Library,
}

impl Origin {
    /// Where the code of a sender comes from that a flow's `tcp` names; `None` for the engine's senders.
    pub fn of_tcp(tcp: &str) -> Option<Origin> {
        if tcp.starts_with("kernel:") {
            return Some(Origin::Kernel);
        }
        let (file, _) = tcp.rsplit_once(':').filter(|(_, control)| !control.contains(['/', '\\']))?;
        let is_library = [".so", ".dylib", ".dll"].iter().any(|end| file.len() > end.len() && file.ends_with(end));
        is_library.then_some(Origin::Library)
    }
}

/// What a description asks code for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// To decide about a sender's window.
    Control,
    /// To be a link's queue discipline.
    Queue,
}

/// Code by its name, at a place of a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named<'a> {
    /// The name: `module:Class`, `kernel:cubic`, `./libmine.so:Mine`.
    pub name: &'a str,
    /// The path of the key that names it, such as `flows.0.control`.
    pub key: &'a str,
    /// Where it comes from.
    pub origin: Origin,
    /// What it is to do.
    pub role: Role,
}

/// What is known of code without running it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Code {
    /// What messages call it.
    pub name: String,
    /// Its parameters and their values unless a description sets them.
    pub parameters: Values,
    /// Whether it was looked at. Of code that was not, every parameter may be set.
    pub is_known: bool,
}

/// Code that a network has found, with the parameters that the description sets.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// The path of the key that names it.
    pub key: String,
    /// Where it comes from.
    pub origin: Origin,
    /// Of Python every parameter, of compiled code those that the description sets.
    pub values: Values,
}

/// An object of code that a simulation wants.
pub struct Wanted<'a> {
    /// Which code, with which parameters.
    pub code: &'a Chosen,
    /// The flow or the link that it acts for, by name.
    pub name: &'a str,
    /// The number of the flow, from 1, or of the link, from 0.
    pub number: u32,
    /// What its random numbers follow from.
    pub seed: String,
    /// Whether the changes of its variables are recorded.
    pub records_changes: bool,
}

/// Answers for what a description names that does not stand in it. As they stand here, its methods refuse by name.
pub trait Outside {
    /// The bytes of a recording of deliveries, and the name that messages call it. More than
    /// `model::deliveries::MAX_BYTES` need not be read.
    ///
    /// # Errors
    /// For a recording that cannot be read, with its name as the value.
    fn recording(&self, name: &str) -> Result<(String, Vec<u8>), ScenarioError> {
        Err(refused("a recording of deliveries in a file (its numbers are)").value(name))
    }

    /// What code is behind a name.
    ///
    /// # Errors
    /// For code that is not there or may not be used, with the key.
    fn code(&self, named: Named) -> Result<Code, ScenarioError> {
        let what = match (named.origin, named.role) {
            (Origin::Python, Role::Control) => "a congestion control of the user's own",
            (Origin::Python, Role::Queue) => "a queue discipline of the user's own",
            (Origin::Kernel, _) => "a congestion control of the kernel's",
            (Origin::Library, _) => "a congestion control of a shared library",
        };
        Err(refused(what).key(named.key).value(named.name))
    }

    /// Gives a sender that is being set up its congestion control.
    ///
    /// # Errors
    /// A message, if that cannot be.
    fn give_control(&self, engine: &mut Simulation, sender: AgentId, wanted: Wanted) -> Result<(), String> {
        let _ = (engine, sender);
        Err(format!("{} has no code here", wanted.name))
    }

    /// Gives a link that is being set up, of this rate, bit/s, and delay, s, its queue discipline.
    ///
    /// # Errors
    /// A message, if that cannot be.
    fn give_queue(
        &self,
        engine: &mut Simulation,
        link: LinkId,
        (rate_bps, delay_s): (f64, f64),
        wanted: Wanted,
    ) -> Result<(), String> {
        let _ = (engine, link, rate_bps, delay_s);
        Err(format!("{} has no code here", wanted.name))
    }
}

/// There is nothing outside of the description: every name of such a thing is refused.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

impl Outside for Nothing {}

impl fmt::Debug for dyn Outside + '_ {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str("Outside")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Names as the module of Python that loads libraries has them: everything up to the last colon is the file.
    #[test]
    fn a_name_says_where_code_comes_from() {
        assert_eq!(Origin::of_tcp("kernel:cubic"), Some(Origin::Kernel));
        for name in ["./libmine.so:Mine", "/a b/lib:x.dylib:C", "mine.dll:"] {
            assert_eq!(Origin::of_tcp(name), Some(Origin::Library), "{name}");
        }
        for name in ["cubic", ".so:Mine", "libmine.so", "a.so:b/c", "mine:Class"] {
            assert_eq!(Origin::of_tcp(name), None, "{name}");
        }
    }
}
