//! Someone types: packets at random times.
//!
//! Source: ns-2.35's `Application/Telnet`.
//! What it decides: when the next packet of the agent's own size goes: after an exponential time of mean `interval`.
//! Departures: none.
//! Not implemented: the measured interarrival times that ns-2 uses when `interval` is 0. They are ten thousand numbers of
//! tcplib (P. B. Danzig and S. Jamin, "tcplib: a library of TCP internetwork traffic characteristics", 1991) in a file
//! that bears no licence.
//! Checked against: ns-2.35, byte for byte (tests/ns2).

use super::{App, AppContext, Entry};
use crate::network::Trouble;
use crate::params;
use crate::params::Value;
use crate::timer::{TimerId, TimerOwner};

/// The table's line.
pub const ENTRY: Entry = Entry {
    id: "telnet",
    about: "single packets at exponential intervals",
    make: |id, net| Box::new(Telnet { interval: 1.0, running: false, timer: net.add_timer(TimerOwner::App(id, 0)) }),
};

struct Telnet {
    /// Mean time between packets, s.
    interval: f64,
    running: bool,
    timer: TimerId,
}

params!(Telnet { interval });

impl Telnet {
    fn wait(&mut self, context: &mut AppContext) {
        if self.interval == 0.0 {
            context.net.fail(Trouble::Broken(
                "telnet with interval 0 asks for ns-2's measured interarrival times, which ackclock does not have; \
                 give a mean interval above 0"
                    .into(),
            ));
            return;
        }
        let wait_s = context.net.rng.default.exponential() * self.interval;
        context.net.set_timer(self.timer, wait_s);
    }
}

impl App for Telnet {
    fn start(&mut self, context: &mut AppContext) {
        if context.net.timer_runs(self.timer) {
            context
                .net
                .fail(Trouble::Broken("telnet was started again while its last packet was still to come".into()));
            return;
        }
        self.running = true;
        self.wait(context);
    }

    fn stop(&mut self, _context: &mut AppContext) {
        // The timer runs on, and then finds that there is nothing to do.
        self.running = false;
    }

    fn timer(&mut self, _which: u8, context: &mut AppContext) {
        if !self.running {
            return;
        }
        if let Some(agent) = &mut context.agent {
            let bytes = i64::from(agent.endpoint().packet_size);
            agent.send_bytes(Some(bytes), "", context.net);
        }
        self.wait(context);
    }

    fn param(&self, name: &str) -> Option<Value> {
        self.own_param(name)
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        self.set_own_param(name, value)
    }
}
