//! Applications: traffic sources that give data to agents.
//!
//! One file per application, and one entry in [`APPLICATIONS`].

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

/// The interface of an application to the rest of the simulation.
pub struct AppContext<'a> {
    /// The network.
    pub net: &'a mut Network,
    /// Its agent, if it is attached to one.
    pub agent: Option<&'a mut (dyn Agent + 'static)>,
    /// The number of the application, for its timers.
    pub id: u32,
}

/// An application.
pub trait App: Send + Sync {
    /// Starts the application.
    fn start(&mut self, context: &mut AppContext);

    /// Stops the application.
    fn stop(&mut self, context: &mut AppContext);

    /// Its timer `which` expires.
    fn timer(&mut self, which: u8, context: &mut AppContext) {
        let _ = (which, context);
    }

    /// Its agent has sent all data that it was given.
    fn agent_is_idle(&mut self, context: &mut AppContext) {
        let _ = context;
    }

    /// Its agent has received this many bytes.
    fn received(&mut self, bytes: i32, context: &mut AppContext) {
        let _ = (bytes, context);
    }

    /// The application was attached to its agent.
    fn attached(&mut self, context: &mut AppContext) {
        let _ = context;
    }

    /// The value of a parameter, `None` for an unknown name.
    fn param(&self, name: &str) -> Option<Value>;

    /// Sets a parameter; false for an unknown name.
    fn set_param(&mut self, name: &str, value: Value) -> bool;

    /// Runs a command.
    fn command(&mut self, name: &str, arguments: &[&str], context: &mut AppContext) -> Result<String, String> {
        let _ = (arguments, context);
        Err(format!("this application has no command {name}"))
    }
}

/// The number of the stream named in `use-rng`; 0 is the default stream.
fn stream_number(arguments: &[&str], net: &Network) -> Result<u32, String> {
    let number = arguments.first().and_then(|text| text.parse().ok());
    number.filter(|&number: &u32| number as usize <= net.rng.made.len()).ok_or_else(|| "no such random stream".into())
}

/// An application in the table.
pub struct Entry {
    /// Its id, such as `ftp`.
    pub id: &'static str,
    /// One line for lists and help.
    pub about: &'static str,
    /// Creates it with default parameters. The argument is its number.
    pub make: fn(u32, &mut Network) -> Box<dyn App>,
}

/// All applications.
pub const APPLICATIONS: &[Entry] = &[ftp::ENTRY, telnet::ENTRY, cbr::ENTRY, exponential::ENTRY, pareto::ENTRY];

/// Creates the application with this id; `None` for an unknown id.
pub fn make(kind: &str, id: u32, net: &mut Network) -> Option<Box<dyn App>> {
    APPLICATIONS.iter().find(|entry| entry.id == kind).map(|entry| (entry.make)(id, net))
}

/// An application and its agent.
pub struct Attached {
    /// The application.
    pub app: Box<dyn App>,
    /// Its agent.
    pub agent: Option<AgentId>,
}
