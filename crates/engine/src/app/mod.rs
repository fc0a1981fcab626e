//! Applications: who gives an agent something to send, and when.
//!
//! One file per application, one line in [`APPLICATIONS`].

pub mod cbr;
pub mod exponential;
pub mod ftp;
pub mod pareto;
pub mod request_response;
pub mod telnet;

use crate::net::Network;
use crate::net::node::AgentId;
use crate::params::Value;
use crate::transport::agent::Agent;

/// What an application may use.
pub struct AppContext<'a> {
    /// All the world but agents and applications.
    pub net: &'a mut Network,
    /// Its agent, if it has one.
    pub agent: Option<&'a mut (dyn Agent + 'static)>,
    /// The application's own number, for its timers.
    pub id: u32,
}

/// An application.
pub trait App: Send + Sync {
    /// Starts.
    fn start(&mut self, context: &mut AppContext);

    /// Stops.
    fn stop(&mut self, context: &mut AppContext);

    /// Its timer `which` is due.
    fn timer(&mut self, which: u8, context: &mut AppContext) {
        let _ = (which, context);
    }

    /// Its agent has sent all it was given.
    fn agent_is_idle(&mut self, context: &mut AppContext) {
        let _ = context;
    }

    /// Its agent has received this many bytes.
    fn received(&mut self, bytes: i32, context: &mut AppContext) {
        let _ = (bytes, context);
    }

    /// It was attached to its agent.
    fn attached(&mut self, context: &mut AppContext) {
        let _ = context;
    }

    /// The value of a parameter, `None` for an unknown name.
    fn param(&self, name: &str) -> Option<Value>;

    /// Sets a parameter; whether the name is known.
    fn set_param(&mut self, name: &str, value: Value) -> bool;

    /// A command by name.
    fn command(&mut self, name: &str, arguments: &[&str], context: &mut AppContext) -> Result<String, String> {
        let _ = (arguments, context);
        Err(format!("this application has no command {name}"))
    }
}

/// The stream that a source's `use-rng` names, by its number: 0 is the default one.
fn stream_number(arguments: &[&str], net: &Network) -> Result<u32, String> {
    let number = arguments.first().and_then(|text| text.parse().ok());
    number.filter(|&number: &u32| number as usize <= net.rng.made.len()).ok_or_else(|| "no such random stream".into())
}

/// One application of the table.
pub struct Entry {
    /// Its id everywhere: `ftp`.
    pub id: &'static str,
    /// One line for lists and help.
    pub about: &'static str,
    /// Makes one with its default parameters; the number is its own.
    pub make: fn(u32, &mut Network) -> Box<dyn App>,
}

/// Every application.
pub const APPLICATIONS: &[Entry] = &[ftp::ENTRY, telnet::ENTRY, cbr::ENTRY, exponential::ENTRY, pareto::ENTRY];

/// The application with this id.
pub fn make(kind: &str, id: u32, net: &mut Network) -> Option<Box<dyn App>> {
    APPLICATIONS.iter().find(|entry| entry.id == kind).map(|entry| (entry.make)(id, net))
}

/// An application and the agent it feeds.
pub struct Attached {
    /// The application.
    pub app: Box<dyn App>,
    /// Its agent.
    pub agent: Option<AgentId>,
}
