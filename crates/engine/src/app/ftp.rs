//! A file transfer: as much as the window lets go, or so many packets at a time.
//!
//! Source: ns-2.35's `Application/FTP`.
//! What it decides: nothing but the amount.

use super::{App, AppContext, Entry};
use crate::params;
use crate::params::Value;

/// The table's line.
pub const ENTRY: Entry = Entry {
    id: "ftp",
    about: "a file transfer without end, or of a number of packets",
    make: |_, _| Box::new(Ftp { most_packets: 268_435_456 }),
};

struct Ftp {
    /// How far `stop`ped and `produce`d transfers may go.
    most_packets: i32,
}

params!(Ftp { most_packets });

impl App for Ftp {
    fn start(&mut self, context: &mut AppContext) {
        if let Some(agent) = &mut context.agent {
            agent.send_bytes(None, "", context.net);
        }
    }

    fn stop(&mut self, context: &mut AppContext) {
        // What was sent is all there is.
        if let Some(agent) = &mut context.agent {
            let _ = agent.command("advance", &["0"], context.net);
            agent.close(context.net);
        }
    }

    fn param(&self, name: &str) -> Option<Value> {
        self.own_param(name)
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        self.set_own_param(name, value)
    }
}
