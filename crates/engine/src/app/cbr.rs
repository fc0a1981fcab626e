//! Constant bit rate (CBR) traffic, with optional random dither.
//!
//! Source: ns-2.35's `Application/Traffic/CBR`.
//! What it decides: when the next packet of fixed size is sent.
//! Departures: none.
//! Not implemented: none. The front end converts an interval to a rate.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use super::{App, AppContext, Entry};
use crate::event::timer::{TimerId, TimerOwner};
use crate::packet::PacketKind;
use crate::params::{Params, own_values};
use crate::random::rng::Source;

/// The entry in [`super::APPLICATIONS`].
pub const ENTRY: Entry = Entry {
    id: "cbr",
    about: "a packet of a fixed size at fixed intervals, dithered on request (ns-2.35's Traffic/CBR)",
    make: |id, net| {
        Box::new(Cbr {
            rate_bps: 448_000.0,
            packet_size: 210,
            random: 0.0,
            maxpkts: 268_435_456,
            sent: 0,
            interval_s: 0.0,
            running: false,
            timer: net.add_timer(TimerOwner::App(id, 0)),
        })
    },
};

#[derive(Params)]
struct Cbr {
    #[param(state)]
    rate_bps: f64,
    #[param(state)]
    packet_size: i32,
    /// 0 for fixed intervals; otherwise each interval is changed at random by up to half of it, up or down.
    #[param(state)]
    random: f64,
    #[param(state)]
    maxpkts: i32,
    sent: i32,
    interval_s: f64,
    running: bool,
    timer: TimerId,
}

impl Cbr {
    /// Time until the next packet, s; negative if there is none.
    fn next_interval(&mut self, context: &mut AppContext) -> f64 {
        self.interval_s = f64::from(self.packet_size << 3) / self.rate_bps;
        let mut wait_s = self.interval_s;
        if self.random != 0.0 {
            wait_s += self.interval_s * context.net.rng.of(Source::Traffic(context.id)).uniform(-0.5, 0.5);
        }
        self.sent += 1;
        if self.sent < self.maxpkts { wait_s } else { -1.0 }
    }

    fn send(&mut self, context: &mut AppContext) {
        if let Some(agent) = &mut context.agent {
            agent.send_bytes(Some(i64::from(self.packet_size)), "", context.net);
        }
    }
}

impl App for Cbr {
    fn start(&mut self, context: &mut AppContext) {
        if let Some(agent) = &mut context.agent {
            let kind = &mut agent.endpoint_mut().kind;
            if !matches!(kind, PacketKind::Tcp | PacketKind::Tfrc) {
                *kind = PacketKind::Cbr;
            }
        }
        self.interval_s = f64::from(self.packet_size << 3) / self.rate_bps;
        self.running = true;
        self.timer(0, context);
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
        self.send(context);
        let wait_s = self.next_interval(context);
        if wait_s > 0.0 {
            context.net.set_timer(self.timer, wait_s);
        } else {
            self.running = false;
        }
    }

    own_values!();
}
