//! FTP: a bulk transfer without end, or of a number of packets.
//!
//! Source: ns-2.35's `Application/FTP` and, for `maxpkts`, its older `Source/FTP`. Both translate script commands to
//! operations of a TCP sender.
//! What it decides: only the amount of data.
//! Departures: none.
//! Not implemented: none.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use super::{App, AppContext, Entry};
use crate::params::{Params, own_values};

/// The entry in [`super::APPLICATIONS`].
pub const ENTRY: Entry = Entry {
    id: "ftp",
    about: "a file transfer without end, or of a number of packets (ns-2.35's FTP)",
    make: |_, _| Box::new(Ftp { maxpkts: WITHOUT_END }),
};

const WITHOUT_END: i32 = 268_435_456;

#[derive(Params)]
struct Ftp {
    /// Number of packets that `start` sends.
    #[param(state)]
    maxpkts: i32,
}

fn command_agent(command: &str, argument: &str, context: &mut AppContext) -> Result<String, String> {
    match &mut context.agent {
        Some(agent) => agent.command(command, &[argument], context.net),
        None => Ok(String::new()),
    }
}

impl App for Ftp {
    fn start(&mut self, context: &mut AppContext) {
        if self.maxpkts < WITHOUT_END {
            // An agent that does not count packets sends nothing.
            let _ = command_agent("advance", &self.maxpkts.to_string(), context);
        } else if let Some(agent) = &mut context.agent {
            agent.send_bytes(None, "", context.net);
        }
    }

    fn stop(&mut self, context: &mut AppContext) {
        // Sends nothing beyond what was already sent.
        let _ = command_agent("advance", "0", context);
        if let Some(agent) = &mut context.agent {
            agent.close(context.net);
        }
    }

    own_values!();

    fn command(&mut self, name: &str, arguments: &[&str], context: &mut AppContext) -> Result<String, String> {
        let agents = match name {
            "produce" => "advance",
            "producemore" => "advanceby",
            _ => return Err(format!("ftp has no command {name}; it has produce and producemore")),
        };
        let packets = arguments.first().ok_or_else(|| format!("{name} needs a number of packets"))?;
        command_agent(agents, packets, context)
    }
}
