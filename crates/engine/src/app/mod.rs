//! Applications: traffic sources that give data to agents.
//!
//! One file per application, and one entry in [`APPLICATIONS`].

mod application;
pub mod call;
pub mod cbr;
pub mod conversation;
pub mod exponential;
pub mod ftp;
pub mod pareto;
pub mod request_response;
pub mod telnet;
pub mod video;

pub use application::{App, AppContext, Attached, Entry};

use crate::net::Network;

/// All applications.
pub const APPLICATIONS: &[Entry] =
    &[ftp::ENTRY, telnet::ENTRY, cbr::ENTRY, exponential::ENTRY, pareto::ENTRY, call::ENTRY];

/// Creates the application with this id; `None` for an unknown id.
pub fn make(kind: &str, id: u32, net: &mut Network) -> Option<Box<dyn App>> {
    APPLICATIONS.iter().find(|entry| entry.id == kind).map(|entry| (entry.make)(id, net))
}
