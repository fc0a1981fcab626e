//! Exponential on/off traffic: bursts and idle times of exponential length, at a fixed rate within a burst.
//!
//! Source: ns-2.35's `Application/Traffic/Exponential`.
//! What it decides: the number of packets of a burst (drawn, rounded, at least one), and the length of the idle time
//! after it. The first burst begins after one idle time; both are drawn when the source starts.
//! Departures: none.
//! Not implemented: none.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use super::application::stream_number;
use super::{App, AppContext, Entry};
use crate::event::timer::{TimerId, TimerOwner};
use crate::packet::PacketKind;
use crate::params::{Params, own_values};
use crate::random::rng::Source;
use crate::time::cut;

/// The entry in [`super::APPLICATIONS`].
pub const ENTRY: Entry = Entry {
    id: "exponential",
    about: "talk spurts and silences of exponential lengths (ns-2.35's Traffic/Exponential)",
    make: |id, net| {
        Box::new(Exponential {
            burst_time: 0.5,
            idle_time: 0.5,
            rate_bps: 64_000.0,
            packet_size: 210,
            interval_s: 0.0,
            mean_burst: 0.0,
            left: 0,
            next_s: -1.0,
            stream: 0,
            running: false,
            timer: net.add_timer(TimerOwner::App(id, 0)),
        })
    },
};

#[derive(Params)]
struct Exponential {
    /// Mean length of a burst, s.
    #[param(state)]
    burst_time: f64,
    /// Mean length of an idle time, s.
    #[param(state)]
    idle_time: f64,
    #[param(state)]
    rate_bps: f64,
    #[param(state)]
    packet_size: i32,
    interval_s: f64,
    /// Mean number of packets of a burst.
    mean_burst: f64,
    /// Remaining packets of the burst.
    left: u32,
    next_s: f64,
    stream: u32,
    running: bool,
    timer: TimerId,
}

impl Exponential {
    fn next_interval(&mut self, context: &mut AppContext) -> f64 {
        let mut wait_s = self.interval_s;
        if self.left == 0 {
            let mut draws = context.net.rng.of(Source::Traffic(context.id));
            let stream = draws.numbered(self.stream);
            self.left = (cut(stream.exponential_mean(self.mean_burst) + 0.5) as u32).max(1);
            wait_s += stream.exponential_mean(self.idle_time);
        }
        self.left -= 1;
        wait_s
    }
}

impl App for Exponential {
    fn start(&mut self, context: &mut AppContext) {
        self.interval_s = f64::from(self.packet_size << 3) / self.rate_bps;
        self.mean_burst = self.burst_time / self.interval_s;
        self.left = 0;
        if let Some(agent) = &mut context.agent {
            agent.endpoint_mut().kind = PacketKind::Exp;
        }
        self.running = true;
        self.next_s = self.next_interval(context);
        context.net.set_timer(self.timer, self.next_s);
    }

    fn stop(&mut self, context: &mut AppContext) {
        if self.running {
            context.net.stop_timer(self.timer);
        }
        self.running = false;
    }

    fn timer(&mut self, _which: u8, context: &mut AppContext) {
        if !self.running {
            return;
        }
        let flags = if self.next_s == self.interval_s { "" } else { "NEW_BURST" };
        if let Some(agent) = &mut context.agent {
            agent.send_bytes(Some(i64::from(self.packet_size)), flags, context.net);
        }
        self.next_s = self.next_interval(context);
        if self.next_s > 0.0 {
            context.net.set_timer(self.timer, self.next_s);
        }
    }

    own_values!();

    fn command(&mut self, name: &str, arguments: &[&str], context: &mut AppContext) -> Result<String, String> {
        if name != "use-rng" {
            return Err(format!("an exponential source has no command {name}; it has use-rng"));
        }
        self.stream = stream_number(arguments, context.net)?;
        Ok(String::new())
    }
}
