//! Telnet traffic of an interactive user: packets at random times.
//!
//! Source: ns-2.35's `Application/Telnet`.
//! What it decides: when the next packet of the agent's packet size is sent. The interval is exponential with mean
//! `interval`. If `interval` is 0, it is one of the 10,000 intervals of tcplib (P. B. Danzig and S. Jamin, "tcplib: a
//! library of TCP internetwork traffic characteristics", 1991). tools/record_tcplib.py recorded them from ns-2.
//! Departures: none.
//! Not implemented: none.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use super::{App, AppContext, Entry};
use crate::event::timer::{TimerId, TimerOwner};
use crate::net::SimulationError;
use crate::params::{Params, own_values};
use crate::random::rng::Source;

/// The entry in [`super::APPLICATIONS`].
pub const ENTRY: Entry = Entry {
    id: "telnet",
    about: "single packets at exponential or measured intervals (tcplib, Danzig and Jamin 1991)",
    make: |id, net| {
        Box::new(Telnet {
            interval: 1.0,
            measured_s: Vec::new(),
            running: false,
            timer: net.add_timer(TimerOwner::App(id, 0)),
        })
    },
};

/// The intervals in ascending order, as differences in nanoseconds.
const MEASURED: &str = include_str!("tcplib_telnet.txt");

fn measured_times_s() -> Vec<f64> {
    let mut sum_ns = 0u64;
    let rising = MEASURED.split_whitespace().map(|step| {
        sum_ns += step.parse::<u64>().expect("the recorded times are whole numbers");
        sum_ns as f64 / 1.0e9
    });
    rising.collect()
}

#[derive(Params)]
struct Telnet {
    /// Mean interval, s; 0 for the intervals of tcplib.
    #[param(state)]
    interval: f64,
    /// The intervals of tcplib, loaded at the first use.
    measured_s: Vec<f64>,
    running: bool,
    timer: TimerId,
}

impl Telnet {
    fn wait(&mut self, context: &mut AppContext) {
        let mut stream = context.net.rng.of(Source::Traffic(context.id));
        let wait_s = if self.interval == 0.0 {
            if self.measured_s.is_empty() {
                self.measured_s = measured_times_s();
            }
            self.measured_s[(stream.unit() * self.measured_s.len() as f64) as usize]
        } else {
            stream.exponential() * self.interval
        };
        context.net.set_timer(self.timer, wait_s);
    }
}

impl App for Telnet {
    fn start(&mut self, context: &mut AppContext) {
        if context.net.timer_runs(self.timer) {
            context.net.fail(SimulationError::Broken("telnet was restarted before its last packet was sent".into()));
            return;
        }
        self.running = true;
        self.wait(context);
    }

    fn stop(&mut self, _context: &mut AppContext) {
        // The timer keeps running; its handler then does nothing.
        self.running = false;
    }

    fn timer(&mut self, _which: u8, context: &mut AppContext) {
        if !self.running {
            return;
        }
        if let Some(agent) = &mut context.agent {
            let bytes = i64::from(agent.message_bytes());
            agent.send_bytes(Some(bytes), "", context.net);
        }
        self.wait(context);
    }

    own_values!();
}
