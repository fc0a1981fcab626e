//! Rate-based pacing (RBP): after an idle period the sender spreads the window over a round trip instead of a burst.
//!
//! Source: V. Visweswaraiah and J. Heidemann, "Improving Restart of Idle TCP Connections", USC 97-661, 1997; ns-2.35's
//! `Agent/TCP/Reno/RBP` and `Agent/TCP/Vegas/RBP`.
//! What it decides: the number and spacing of the first packets after the retransmission timer expired with nothing in
//! flight. Any ACK ends the pacing. The variant does the rest.
//! Departures: none from ns-2.
//! Not implemented: none.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use crate::event::timer::{TimerId, TimerOwner};
use crate::net::{Network, SimulationError};
use crate::params::{Field, Value};
use crate::transport::one_way::ack::ReceivedAck;
use crate::transport::one_way::connection::{Bound, Connection, PACE};
use crate::transport::one_way::recovery::{Paceable, Recovery};
use crate::transport::one_way::segment::reason;

/// The minimum paced window, packets.
const LEAST: f64 = 2.0;
/// Window from the variant's rate measurement.
const BY_RATE: i32 = 1;
/// Window before the idle period.
const BY_WINDOW: i32 = 2;

/// The state of pacing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Off,
    /// The sender was idle; pacing may start.
    Possible,
    GoingOn,
}

/// A variant with pacing after idle periods.
pub struct Paced<R> {
    of: R,
    mode: Mode,
    rbp_scale: f64,
    rbp_rate_algorithm: i32,
    rbp_segs_actually_paced: i32,
    /// s
    rbp_inter_pace_delay: f64,
    timer: Option<TimerId>,
}

impl<R: Paceable> Default for Paced<R> {
    fn default() -> Paced<R> {
        Paced {
            of: R::default(),
            mode: Mode::Off,
            rbp_scale: 0.75,
            rbp_rate_algorithm: if R::MEASURES_RATE { BY_RATE } else { BY_WINDOW },
            rbp_segs_actually_paced: 0,
            rbp_inter_pace_delay: 0.0,
            timer: None,
        }
    }
}

fn may_send(tcp: &Connection) -> bool {
    *tcp.t_seqno < *tcp.seqno && *tcp.t_seqno <= tcp.ack.saturating_add(tcp.window())
}

impl<R: Paceable> Paced<R> {
    fn begin(&mut self, tcp: &mut Connection, net: &mut Network) {
        self.mode = Mode::GoingOn;
        self.rbp_segs_actually_paced = 0;
        let window = match self.rbp_rate_algorithm {
            BY_RATE => self.of.measured_window(),
            BY_WINDOW => *tcp.cwnd,
            other => {
                net.fail(SimulationError::Broken(format!("rbp_rate_algorithm is {other}; it must be 1 or 2")));
                return;
            }
        };
        let window = ((window * self.rbp_scale + 0.5) as i32).max(LEAST as i32);
        tcp.cwnd.set(tcp.cwnd.min(f64::from(window)), &mut tcp.log);
        self.rbp_inter_pace_delay = self.of.round_trip_s(tcp) / (f64::from(tcp.window()) * 1.0);
        self.send_one(tcp, net);
    }

    fn send_one(&mut self, tcp: &mut Connection, net: &mut Network) {
        if self.mode != Mode::GoingOn || !may_send(tcp) {
            return;
        }
        let next = *tcp.t_seqno;
        tcp.t_seqno.set(next + 1, &mut tcp.log);
        self.of.output(tcp, next, reason::PACED, net);
        self.rbp_segs_actually_paced += 1;
        let owner = TimerOwner::Agent(tcp.end.id.0, PACE);
        let timer = *self.timer.get_or_insert_with(|| net.add_timer(owner));
        net.set_timer(timer, self.rbp_inter_pace_delay);
    }

    /// Returns whether nothing is in flight; if so, the next packets may be paced.
    fn is_idle(&mut self, tcp: &Connection) -> bool {
        let is_idle = *tcp.ack == *tcp.maxseq;
        if is_idle {
            self.mode = Mode::Possible;
        }
        is_idle
    }
}

impl<R: Paceable> Recovery for Paced<R> {
    const FIRST_DRAWS: u32 = R::FIRST_DRAWS;
    const BOUND: Bound = R::BOUND;
    const MIN_WINDOW: f64 = R::MIN_WINDOW;

    fn on_ack(&mut self, tcp: &mut Connection, ack: &ReceivedAck, net: &mut Network) {
        if self.mode != Mode::Off {
            self.mode = Mode::Off;
            if ack.seqno > tcp.last_ack {
                self.of.paced_is_acknowledged(tcp);
            }
        }
        self.of.on_ack(tcp, ack, net);
    }

    fn on_timeout(&mut self, tcp: &mut Connection, net: &mut Network) {
        if !self.is_idle(tcp) {
            self.of.on_timeout(tcp, net);
        }
    }

    fn on_send_delay_over(&mut self, tcp: &mut Connection, net: &mut Network) {
        self.of.on_send_delay_over(tcp, net);
    }

    fn own_timer(&mut self, tcp: &mut Connection, net: &mut Network) {
        self.send_one(tcp, net);
    }

    fn output(&mut self, tcp: &mut Connection, seqno: i32, reason: u8, net: &mut Network) {
        self.of.output(tcp, seqno, reason, net);
    }

    fn send(&mut self, tcp: &mut Connection, forced: bool, reason: u8, most: i32, net: &mut Network) {
        if self.mode == Mode::Possible && may_send(tcp) {
            self.begin(tcp, net);
        } else {
            self.of.send(tcp, forced, reason, most, net);
        }
    }

    fn reset(&mut self, tcp: &mut Connection) {
        self.of.reset(tcp);
    }

    fn invariants_hold(&self, tcp: &Connection) -> bool {
        self.of.invariants_hold(tcp)
    }

    fn violation(&self, tcp: &Connection) -> String {
        self.of.violation(tcp)
    }

    fn was_reset(&mut self, tcp: &mut Connection) {
        self.of.was_reset(tcp);
    }

    fn configure(&mut self, tcp: &mut Connection) {
        self.of.configure(tcp);
    }

    fn param(&self, name: &str) -> Option<Value> {
        match name {
            "rbp_scale" => Some(self.rbp_scale.value()),
            "rbp_rate_algorithm" if R::MEASURES_RATE => Some(self.rbp_rate_algorithm.value()),
            "rbp_segs_actually_paced" => Some(self.rbp_segs_actually_paced.value()),
            "rbp_inter_pace_delay" => Some(self.rbp_inter_pace_delay.value()),
            _ => self.of.param(name),
        }
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        match name {
            "rbp_scale" => self.rbp_scale.assign(value),
            "rbp_rate_algorithm" if R::MEASURES_RATE => self.rbp_rate_algorithm.assign(value),
            "rbp_segs_actually_paced" => self.rbp_segs_actually_paced.assign(value),
            "rbp_inter_pace_delay" => self.rbp_inter_pace_delay.assign(value),
            _ => return self.of.set_param(name, value),
        }
        true
    }
}
