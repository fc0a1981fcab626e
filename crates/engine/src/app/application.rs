//! The interface of an application.

use crate::net::Network;
use crate::net::node::AgentId;
use crate::params::Value;
use crate::registry;
use crate::transport::agent::Agent;

/// A line of the table of applications. `make` gets the number of the application.
pub type Entry = registry::Entry<fn(u32, &mut Network) -> Box<dyn App>>;

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
pub(super) fn stream_number(arguments: &[&str], net: &Network) -> Result<u32, String> {
    let number = arguments.first().and_then(|text| text.parse().ok());
    number.filter(|&number: &u32| number as usize <= net.rng.made.len()).ok_or_else(|| "no such random stream".into())
}

/// An application and its agent.
pub struct Attached {
    /// The application.
    pub app: Box<dyn App>,
    /// Its agent.
    pub agent: Option<AgentId>,
}
